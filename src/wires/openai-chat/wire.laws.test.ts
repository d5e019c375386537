import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { id, list, literal, object, space, words } from "../../../test/support/any-body.ts";
import { testWire } from "../../testing/test-wire.ts";
import { createOpenaiChat } from "./index.ts";

const wire = createOpenaiChat();

const odd = fc.oneof(
  fc.constantFrom("1.0", "-0", "null", "true", "[ ]", "12345678901234567890", '{"a":1,"a":2}', '{"__proto__":{}}'),
  fc.json({ maxDepth: 2 }),
  words,
);
const sometimes = (value: fc.Arbitrary<string>) => fc.option(value, { freq: 3 });
const mark = sometimes(fc.constantFrom('{"mode":"explicit"}', "null"));
const control = sometimes(fc.constantFrom('{"type":"ephemeral"}', "null"));
const text = object({ type: literal("text"), text: words, prompt_cache_breakpoint: mark, cache_control: control });
const url = fc.oneof(
  fc.base64String().map((data) => `"data:image/png;base64,${data}"`),
  fc.constant('"https://x.y/z"'),
  words,
);
const image = object({
  type: literal("image_url"),
  image_url: fc.oneof(url, object({ url, detail: sometimes(words) })),
  prompt_cache_breakpoint: mark,
});
const part = fc.oneof({ weight: 5, arbitrary: text }, { weight: 3, arbitrary: image }, odd);
const content = fc.oneof(words, fc.constant("null"), { weight: 3, arbitrary: list(part) }, odd);
const inner = object({ name: fc.oneof(literal("f"), words), arguments: fc.oneof(literal("{}"), words, odd) });
const call = fc.oneof(
  { weight: 4, arbitrary: object({ id: sometimes(id), type: literal("function"), function: inner }) },
  odd,
);
const message = fc.oneof(
  object({ role: fc.constantFrom('"system"', '"developer"', '"user"'), content: sometimes(content) }),
  {
    weight: 2,
    arbitrary: object({
      role: literal("assistant"),
      content: sometimes(content),
      reasoning_content: sometimes(words),
      refusal: sometimes(fc.oneof(words, odd)),
      function_call: sometimes(fc.oneof(inner, odd)),
      tool_calls: sometimes(fc.oneof({ weight: 4, arbitrary: list(call) }, odd)),
    }),
  },
  {
    weight: 3,
    arbitrary: object({
      role: fc.constantFrom('"tool"', '"tool"', '"function"'),
      tool_call_id: sometimes(id),
      name: sometimes(fc.oneof(literal("f"), words)),
      content: sometimes(content),
    }),
  },
);
const strange = object({ role: sometimes(odd), content: sometimes(odd) });
const anyBody = object({
  messages: list(
    fc.oneof({ weight: 9, arbitrary: message }, { weight: 1, arbitrary: strange }, { weight: 1, arbitrary: odd }),
  ),
  tools: sometimes(list(odd)),
  response_format: sometimes(odd),
  prompt_cache_options: sometimes(odd),
  zzz: odd,
});

describe("any body of Chat Completions", () => {
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
    const results = list(object({ role: literal("tool"), tool_call_id: id, content: words }));
    let replaced = 0;
    fc.assert(
      fc.property(results, (messages) => {
        const bytes = Buffer.from(`{"messages":${messages}}`);
        const outcome = wire.read(bytes, new Map());
        if (!outcome.ok) throw new Error(outcome.words);
        const { items } = outcome.source.transcript;
        const script = items.map((item) => ({ kind: "replace", itemKey: item.key, text: "MARKER" }) as const);
        replaced += script.length;
        const written = Buffer.concat(wire.write(bytes, outcome.source, script)).toString();
        const string = /("content"\s*:\s*)"(?:[^"\\]|\\.)*"/g;
        expect(written).toBe(bytes.toString().replace(string, '$1"MARKER"'));
      }),
    );
    expect(replaced).toBeGreaterThan(100);
  });

  it("keeps every byte outside replaced pictures, and the value of each breakpoint", () => {
    const picture = fc
      .tuple(fc.base64String({ minLength: 4 }), mark, fc.boolean(), space)
      .map(([data, value, isFirst, gap]) => {
        const held = `"image_url":${gap}{"url":${JSON.stringify(`data:image/png;base64,${data}`)}}`;
        const marked = value === null ? [] : [`"prompt_cache_breakpoint":${gap}${value}`];
        const members = [`"type":"image_url"`, held, ...marked];
        const whole = `{${gap}${(isFirst ? members.toReversed() : members).join(`${gap},`)}${gap}}`;
        const left = value === null ? "" : `,"prompt_cache_breakpoint":${value}`;
        return [whole, `{"type":"text","text":"MARKER"${left}}`] as const;
      });
    let replaced = 0;
    fc.assert(
      fc.property(fc.array(picture, { minLength: 1, maxLength: 4 }), fc.boolean(), space, (pictures, isTool, gap) => {
        const bodyWith = (at: 0 | 1) => {
          const parts = `[${gap}${pictures.map((pair) => pair[at]).join(`${gap},`)}${gap}]`;
          const role = isTool ? '"tool","tool_call_id":"t"' : '"user"';
          return `{"messages":[{"role":${role},"content":${parts}}],"x":1.0}`;
        };
        const bytes = Buffer.from(bodyWith(0));
        const outcome = wire.read(bytes, new Map());
        if (!outcome.ok) throw new Error(outcome.words);
        const media = outcome.source.transcript.items.filter((item) => item.kind === "media");
        expect(media.every((item) => item.isReplaceable)).toBe(true);
        const script = media.map((item) => ({ kind: "replace", itemKey: item.key, text: "MARKER" }) as const);
        replaced += script.length;
        expect(Buffer.concat(wire.write(bytes, outcome.source, script)).toString()).toBe(bodyWith(1));
      }),
    );
    expect(replaced).toBeGreaterThan(100);
  });

  it("is read or refused, never thrown at, whatever bytes are damaged", () => {
    const damage = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(anyBody, damage, (json, damages) => {
        const bytes = Buffer.from(json);
        for (const [place, byte] of damages) bytes[place % bytes.length] = byte;
        const outcome = wire.read(bytes, new Map());
        if (!outcome.ok) expect(outcome.words).not.toBe("");
        else expect(wire.write(bytes, outcome.source, [])).toEqual([bytes]);
      }),
      { numRuns: 1_000 },
    );
  });
});
