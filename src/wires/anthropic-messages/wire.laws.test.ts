import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyBody, breakpoint, id, list, literal, object, role, space, words } from "../../../test/support/any-body.ts";
import { testWire } from "../../testing/test-wire.ts";
import { createAnthropicMessages } from "./index.ts";

const wire = createAnthropicMessages();

describe("any body of the Messages API", () => {
  it("passes every check of the kit, whatever valid JSON stands in it", () => {
    fc.assert(
      fc.property(anyBody, (json) => {
        for (const check of testWire({ wire, bodies: [{ name: "it", bytes: Buffer.from(json) }], reshapes: [] }))
          check.run();
      }),
      { numRuns: 1_000 },
    );
  });

  it("keeps every byte outside the strings of replaced results", () => {
    let replaced = 0;
    fc.assert(
      fc.property(
        list(
          object({ role, content: list(object({ type: literal("tool_result"), tool_use_id: id, content: words })) }),
        ),
        (messages) => {
          const bytes = Buffer.from(`{"messages":${messages}}`);
          const outcome = wire.read(bytes, new Map());
          if (!outcome.ok) throw new Error(outcome.words);
          const { items } = outcome.source.transcript;
          const script = items.map((item) => ({ kind: "replace", itemKey: item.key, text: "MARKER" }) as const);
          replaced += script.length;
          const written = Buffer.concat(wire.write(bytes, outcome.source, script)).toString();
          const string = /("content"\s*:\s*)"(?:[^"\\]|\\.)*"/g;
          expect(written).toBe(bytes.toString().replace(string, '$1"MARKER"'));
        },
      ),
    );
    expect(replaced).toBeGreaterThan(100);
  });

  it("keeps every byte outside replaced media, and the value of each breakpoint", () => {
    const picture = fc
      .tuple(fc.base64String({ minLength: 4 }), breakpoint, fc.boolean(), space)
      .map(([data, value, isFirst, gap]) => {
        const source = `"source":${gap}{"type":"base64","media_type":"image/png","data":${JSON.stringify(data)}}`;
        const cache = value === null ? "" : `"cache_control":${gap}${value}`;
        const members = [`"type":"image"`, source, ...(cache === "" ? [] : [cache])];
        const block = `{${gap}${(isFirst ? members.toReversed() : members).join(`${gap},`)}${gap}}`;
        const marker = `{"type":"text","text":"MARKER"${value === null ? "" : `,"cache_control":${value}`}}`;
        return [block, marker] as const;
      });
    let replaced = 0;
    fc.assert(
      fc.property(
        fc.array(picture, { minLength: 1, maxLength: 4 }),
        fc.boolean(),
        space,
        (pictures, isInResult, gap) => {
          const bodyWith = (at: 0 | 1) => {
            const content = `[${gap}${pictures.map((pair) => pair[at]).join(`${gap},`)}${gap}]`;
            const result = `[{"type":"tool_result","tool_use_id":"t","content":${content}}]`;
            return `{"messages":[{"role":"user","content":${isInResult ? result : content}}],"x":1.0}`;
          };
          const bytes = Buffer.from(bodyWith(0));
          const outcome = wire.read(bytes, new Map());
          if (!outcome.ok) throw new Error(outcome.words);
          const media = outcome.source.transcript.items.filter((item) => item.kind === "media");
          expect(media.every((item) => item.isReplaceable)).toBe(true);
          const script = media.map((item) => ({ kind: "replace", itemKey: item.key, text: "MARKER" }) as const);
          replaced += script.length;
          expect(Buffer.concat(wire.write(bytes, outcome.source, script)).toString()).toBe(bodyWith(1));
        },
      ),
    );
    expect(replaced).toBeGreaterThan(100);
  });

  it("is read or refused, never thrown at, whatever bytes are damaged", () => {
    fc.assert(
      fc.property(
        anyBody,
        fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 3 }),
        (json, damages) => {
          const bytes = Buffer.from(json);
          for (const [place, byte] of damages) bytes[place % bytes.length] = byte;
          const outcome = wire.read(bytes, new Map());
          if (!outcome.ok) expect(outcome.words).not.toBe("");
          else expect(wire.write(bytes, outcome.source, [])).toEqual([bytes]);
        },
      ),
      { numRuns: 1_000 },
    );
  });
});
