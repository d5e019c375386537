import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyBody } from "../../../test/support/any-body.ts";
import { type EditSeed, scriptFrom, scriptSeeds } from "../../../test/support/any-script.ts";
import { CACHE_EDITS } from "../../../test/support/cache-edits-adapter.ts";
import { editedBody } from "../../../test/support/edited-body.ts";
import { plainBody } from "../../../test/support/plain-body.ts";
import { createAnthropicMessages } from "./index.ts";

/** The same cases each time. */
const SEED = 20_261_130;

const wire = createAnthropicMessages({ cacheEdits: CACHE_EDITS });

function open(json: string) {
  const bytes = Buffer.from(json);
  const outcome = wire.read(bytes, new Map());
  if (!outcome.ok) throw new Error(outcome.words);
  return { bytes, source: outcome.source, items: outcome.source.transcript.items };
}

/** Slices that are the body's own memory, in order. */
function ownSlices(bytes: Buffer, slices: readonly Uint8Array[]): readonly Uint8Array[] {
  const end = bytes.byteOffset + bytes.length;
  return slices.filter(
    (slice) => slice.buffer === bytes.buffer && slice.byteOffset >= bytes.byteOffset && slice.byteOffset < end,
  );
}

function write(json: string, seeds: readonly EditSeed[]) {
  const { bytes, source, items } = open(json);
  const script = scriptFrom(seeds, items);
  const slices = wire.write(bytes, source, script);
  return { bytes, items, script, slices, written: Buffer.concat(slices) };
}

describe("whatever a script says of whatever body", () => {
  it("the written body is one, and the same each time", () => {
    fc.assert(
      fc.property(anyBody, scriptSeeds(), (json, seeds) => {
        const { written } = write(json, seeds);
        open(written.toString());
        expect(write(json, seeds).written).toEqual(written);
      }),
      { numRuns: 500, seed: SEED },
    );
  });

  it("every byte that came leaves in its place, but for replaced and omitted items", () => {
    let inserted = 0;
    const kinds = ["breakpoint", "note", "delete", "server-clear", "drop-thinking"] as const;
    fc.assert(
      fc.property(anyBody, scriptSeeds(kinds), (json, seeds) => {
        const { bytes, slices } = write(json, seeds);
        expect(Buffer.concat(ownSlices(bytes, slices))).toEqual(bytes);
        if (slices.length > 1) inserted += 1;
      }),
      { numRuns: 500, seed: SEED },
    );
    expect(inserted).toBeGreaterThan(150);
  });

  it("items that are not edited stay what they were, in their order", () => {
    const kinds = ["breakpoint", "omit", "note", "delete", "server-clear", "drop-thinking"] as const;
    fc.assert(
      fc.property(anyBody, scriptSeeds(kinds), (json, seeds) => {
        const { items, written } = write(json, seeds);
        const left = open(written.toString()).items.map(({ kind, digest, role }) => `${kind} ${role} ${digest}`);
        let at = 0;
        const missing = items.filter(({ kind, digest, role }) => {
          const found = left.indexOf(`${kind} ${role} ${digest}`, at);
          if (found !== -1) at = found + 1;
          return found === -1;
        });
        expect(missing.filter(({ kind, role }) => kind !== "thinking" || role !== "assistant")).toEqual([]);
      }),
      { numRuns: 500, seed: SEED },
    );
  });

  it("a breakpoint is written exactly where the wire says that it can be", () => {
    fc.assert(
      fc.property(anyBody, (json) => {
        const { bytes, source, items } = open(json);
        for (const item of items) {
          const script = [{ kind: "breakpoint", itemKey: item.key, ttlMs: 300_000 }] as const;
          const slices = wire.write(bytes, source, script);
          expect(slices.length > 1).toBe(source.canMark(item));
          if (!source.canMark(item)) continue;
          const written = open(Buffer.concat(slices).toString()).source.transcript;
          expect(written.items).toEqual(items);
          expect(written.breakpoints.length).toBe(source.transcript.breakpoints.length + 1);
        }
      }),
      { numRuns: 300, seed: SEED },
    );
  });
});

/** What stands in a body only if the edit of its kind was written. */
const PIECES = ["MARKER", "cache_edits", '"cache_reference":', "note", "context_management", "drop_block"];

describe("a written body", () => {
  it("is what the script makes of the values, with all kinds of edits at once", () => {
    const seen = new Map<string, number>();
    fc.assert(
      fc.property(plainBody, scriptSeeds(), fc.constantFrom(undefined, 1), (body, seeds, indent) => {
        const { items, script, written } = write(JSON.stringify(body, null, indent), seeds);
        expect(JSON.parse(written.toString())).toEqual(editedBody(body, script, items));
        for (const piece of PIECES) if (written.includes(piece)) seen.set(piece, (seen.get(piece) ?? 0) + 1);
      }),
      { numRuns: 2_000, seed: SEED },
    );
    expect(PIECES.filter((piece) => (seen.get(piece) ?? 0) < 50)).toEqual([]);
  });
});
