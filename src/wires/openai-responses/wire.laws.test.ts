import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { id, list, literal, object, space, words } from "../../../test/support/any-body.ts";
import { anyResponsesBody } from "../../../test/support/any-responses-body.ts";
import { testWire } from "../../testing/test-wire.ts";
import { createOpenaiResponses } from "./index.ts";

const wire = createOpenaiResponses();

function open(bytes: Buffer) {
  const outcome = wire.read(bytes, new Map());
  if (!outcome.ok) throw new Error(outcome.words);
  return outcome.source;
}

/** The body with a text in the place of everything that is to be replaced. */
function replaceAll(bytes: Buffer): string {
  const source = open(bytes);
  const items = source.transcript.items.filter((item) => "isReplaceable" in item && item.isReplaceable);
  const script = items.map((item) => ({ kind: "replace", itemKey: item.key, text: "MARKER" }) as const);
  return Buffer.concat(wire.write(bytes, source, script)).toString();
}

describe("any body of the Responses API", () => {
  it("passes every check of the kit, whatever valid JSON stands in it", () => {
    fc.assert(
      fc.property(anyResponsesBody, (json) => {
        const bodies = [{ name: "it", bytes: Buffer.from(json) }];
        for (const check of testWire({ wire, bodies, reshapes: [] })) check.run();
      }),
      { numRuns: 500 },
    );
  });

  it("keeps every byte outside the strings of replaced outputs", () => {
    const output = object({ type: literal("function_call_output"), call_id: id, output: words });
    fc.assert(
      fc.property(list(output), space, (input, gap) => {
        const bytes = Buffer.from(`{"input"${gap}:${input},"x":1.0}`);
        const string = /("output"\s*:\s*)"(?:[^"\\]|\\.)*"/g;
        expect(replaceAll(bytes)).toBe(bytes.toString().replace(string, '$1"MARKER"'));
      }),
    );
  });

  it("keeps every byte outside replaced pictures, and the value of each breakpoint", () => {
    const mark = fc.constantFrom(null, '{ "mode":"explicit" }', "null");
    const picture = fc
      .tuple(fc.base64String({ minLength: 4 }), mark, fc.boolean(), space)
      .map(([data, value, isFirst, gap]) => {
        const marked = value === null ? [] : [`"prompt_cache_breakpoint":${gap}${value}`];
        const members = ['"type":"input_image"', `"image_url":${gap}"data:image/png;base64,${data}"`, ...marked];
        const part = `{${gap}${(isFirst ? members.toReversed() : members).join(`${gap},`)}${gap}}`;
        const kept = value === null ? "" : `,"prompt_cache_breakpoint":${value}`;
        return [part, `{"type":"input_text","text":"MARKER"${kept}}`] as const;
      });
    fc.assert(
      fc.property(
        fc.array(picture, { minLength: 1, maxLength: 4 }),
        fc.boolean(),
        space,
        (pictures, isInResult, gap) => {
          const bodyWith = (at: 0 | 1) => {
            const parts = `[${gap}${pictures.map((pair) => pair[at]).join(`${gap},`)}${gap}]`;
            const result = `{"type":"function_call_output","call_id":"c","output":${parts}}`;
            return `{"input":[${isInResult ? result : `{"role":"user","content":${parts}}`}]}`;
          };
          expect(replaceAll(Buffer.from(bodyWith(0)))).toBe(bodyWith(1));
        },
      ),
    );
  });

  it("is read or refused, never thrown at, whatever bytes are damaged", () => {
    const damage = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(anyResponsesBody, damage, (json, damages) => {
        const bytes = Buffer.from(json);
        for (const [place, byte] of damages) bytes[place % bytes.length] = byte;
        const outcome = wire.read(bytes, new Map());
        if (!outcome.ok) expect(outcome.words).not.toBe("");
        else expect(wire.write(bytes, outcome.source, [])).toEqual([bytes]);
      }),
      { numRuns: 500 },
    );
  });

  it("is read alike after any other body of the same conversation", () => {
    const memo = new Map<string, unknown>();
    const tail = fc.array(fc.constantFrom("a", "b", "c"), { minLength: 1, maxLength: 6 });
    const entryOf = (text: string) =>
      ({
        a: '{"role":"user","content":"a"}',
        b: '{"role":"assistant","content":"b"}',
        c: '{"type":"reasoning","summary":[],"encrypted_content":"c"}',
      })[text];
    fc.assert(
      fc.property(tail, (texts) => {
        const entries = [
          '{"role":"developer","content":"rules"}',
          '{"role":"user","content":"first"}',
          ...texts.map(entryOf),
        ];
        const body = Buffer.from(`{"input":[${entries.join(",")}]}`);
        const warm = wire.read(body, memo);
        expect(warm.ok && warm.source.transcript).toEqual(open(body).transcript);
      }),
      { numRuns: 300 },
    );
  });
});
