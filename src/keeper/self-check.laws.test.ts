import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { scriptFrom, scriptSeeds } from "../../test/support/any-script.ts";
import { CACHE_EDITS } from "../../test/support/cache-edits-adapter.ts";
import { plainBody } from "../../test/support/plain-body.ts";
import type { Edit } from "../model/edit.ts";
import type { Item } from "../model/item.ts";
import { declaredEdits } from "../replay/declared-edits.ts";
import { createLawChecker } from "../replay/law-checker.ts";
import { createAnthropicMessages } from "../wires/anthropic-messages/index.ts";
import { readBack } from "./self-check.ts";
import { insertedParts } from "./self-check-parts.ts";
import { splicesOf } from "./self-check-splices.ts";
import { unstatedFault } from "./self-check-stated.ts";

/** The same cases each time. */
const SEED = 20_261_130;

const wire = createAnthropicMessages({ cacheEdits: CACHE_EDITS });
const BESIDE = ["breakpoint", "omit", "note", "delete", "server-clear", "drop-thinking"] as const;

function open(json: string) {
  const body = Buffer.from(json);
  const outcome = wire.read(body, new Map());
  if (!outcome.ok) throw new Error(outcome.words);
  return { body, source: outcome.source, items: outcome.source.transcript.items };
}

function markersIn(script: readonly Edit[], items: readonly Item[]): ReadonlyMap<string, string> {
  const leaving = new Set(items.filter(({ kind }) => kind === "result" || kind === "media").map(({ key }) => key));
  return new Map(
    script.flatMap((edit) =>
      edit.kind === "replace" && edit.text !== "" && leaving.has(edit.itemKey) ? [[edit.itemKey, edit.text]] : [],
    ),
  );
}

describe("whatever a script says", () => {
  it("what the wire makes of it is sound by every check", () => {
    fc.assert(
      fc.property(plainBody, scriptSeeds(), (plain, seeds) => {
        const { body, source, items } = open(JSON.stringify(plain));
        const script = scriptFrom(seeds, items);
        const slices = wire.write(body, source, script);
        const meant = { kind: "markers", markers: markersIn(script, items) } as const;
        expect(readBack({ wire, route: null, slices, before: source, memo: new Map() }, meant, script)).toBeNull();
        const parts = insertedParts(splicesOf(body, slices) ?? []);
        expect(parts === null ? "something else was put in" : unstatedFault(parts, script, source)).toBeNull();
      }),
      { numRuns: 1_000, seed: SEED },
    );
  });

  it("what the wire makes of it without one edit is sound only where that made no difference", () => {
    let differed = 0;
    fc.assert(
      fc.property(plainBody, scriptSeeds(BESIDE), fc.nat(), (plain, seeds, at) => {
        const { body, source, items } = open(JSON.stringify(plain));
        const script = scriptFrom(seeds, items);
        const less = script.filter((_, index) => index !== at % Math.max(1, script.length));
        const slices = wire.write(body, source, script);
        const isSame = Buffer.concat(slices).equals(Buffer.concat(wire.write(body, source, less)));
        if (isSame) return;
        differed += 1;
        const parts = insertedParts(splicesOf(body, slices) ?? []);
        const own = parts === null ? "something else was put in" : unstatedFault(parts, less, source);
        const written = { wire, route: null, slices, before: source, memo: new Map() };
        expect(own ?? readBack(written, { kind: "texts", left: [] }, less)).not.toBeNull();
      }),
      { numRuns: 1_000, seed: SEED },
    );
    expect(differed).toBeGreaterThan(200);
  });

  it("the checker of forwarded bodies finds the same", () => {
    fc.assert(
      fc.property(plainBody, scriptSeeds(BESIDE), (plain, seeds) => {
        const { body, source, items } = open(JSON.stringify(plain, null, 1));
        const script = scriptFrom(seeds, items);
        const { violations } = createLawChecker().check({
          conversation: "c",
          original: body,
          forwarded: Buffer.concat(wire.write(body, source, script)),
          declared: new Set(),
          insertions: new Set(),
          edits: declaredEdits(source.transcript, script),
        });
        expect(violations).toEqual([]);
      }),
      { numRuns: 1_000, seed: SEED },
    );
  });
});
