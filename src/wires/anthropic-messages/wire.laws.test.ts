import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { testWire } from "../../testing/test-wire.ts";
import { createAnthropicMessages } from "./index.ts";

const wire = createAnthropicMessages();

const space = fc.constantFrom("", "", " ", "\n\t", "\r\n  ");
const char = fc.oneof(
  fc.constantFrom(
    "a",
    "b",
    " ",
    "é",
    "😀",
    "\\n",
    "\\t",
    '\\"',
    "\\\\",
    "\\/",
    "\\u0000",
    "\\u00E9",
    "\\ud83d",
    "\\uDE00",
  ),
  fc.integer({ min: 0xd800, max: 0xdfff }).map((unit) => `\\u${unit.toString(16)}`),
);
const words = fc.array(char, { maxLength: 6 }).map((chars) => `"${chars.join("")}"`);
const exotic = fc.oneof(
  fc.constantFrom(
    "1.0",
    "-0",
    "1E+400",
    "12345678901234567890",
    "0.1e-7",
    "null",
    "true",
    "[ ]",
    '{"a":1,"a":2}',
    '{"__proto__":{}}',
  ),
  fc.json({ maxDepth: 2 }),
  words,
);

/** An object as JSON text: members in any order, white space anywhere. */
function object(members: Record<string, fc.Arbitrary<string | null>>): fc.Arbitrary<string> {
  return fc.tuple(fc.record(members), fc.nat(), space).map(([values, turn, gap]) => {
    const list = Object.entries(values).flatMap(([key, value]) =>
      value === null ? [] : [`"${key}"${gap}:${gap}${value}`],
    );
    const at = list.length === 0 ? 0 : turn % list.length;
    return `{${gap}${[...list.slice(at), ...list.slice(0, at)].join(`${gap},`)}${gap}}`;
  });
}

function list(element: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc
    .tuple(fc.array(element, { maxLength: 4 }), space)
    .map(([elements, gap]) => `[${gap}${elements.join(`${gap},${gap}`)}${gap}]`);
}

const literal = (text: string) => fc.constant(JSON.stringify(text));
const sometimes = (value: fc.Arbitrary<string>) => fc.option(value, { freq: 3 });
const breakpoint = fc.option(fc.constantFrom('{"type":"ephemeral"}', '{"type":"ephemeral","ttl":"1h"}', "null"), {
  freq: 4,
});
const id = fc.constantFrom("t1", "t2", "t:1#2").map((name) => JSON.stringify(name));

const text = object({ type: literal("text"), text: words, cache_control: breakpoint });
const source = fc.oneof(
  object({
    type: literal("base64"),
    media_type: literal("image/png"),
    data: fc.base64String().map((data) => JSON.stringify(data)),
  }),
  object({ type: literal("text"), media_type: literal("text/plain"), data: words }),
  object({ type: literal("content"), content: list(text) }),
  object({ type: literal("url"), url: words }),
);
const media = object({
  type: fc.constantFrom('"image"', '"document"'),
  source,
  title: sometimes(words),
  cache_control: breakpoint,
});
const unknown = object({
  type: fc.constantFrom('"tool_reference"', '"server_tool_use"', '"zzz"'),
  deep: exotic,
  cache_control: breakpoint,
});
const inner = fc.oneof(
  { weight: 6, arbitrary: text },
  { weight: 3, arbitrary: media },
  { weight: 1, arbitrary: fc.oneof(unknown, exotic) },
);
const result = object({
  type: literal("tool_result"),
  tool_use_id: id,
  content: sometimes(fc.oneof(words, list(inner), exotic)),
  is_error: sometimes(fc.constantFrom("true", "false")),
  cache_control: breakpoint,
});
const call = object({ type: literal("tool_use"), id, name: words, input: exotic });
const thinking = object({ type: literal("thinking"), thinking: words, signature: words });
const block = fc.oneof({ weight: 4, arbitrary: result }, text, call, media, thinking, unknown, exotic);
const role = fc.constantFrom('"user"', '"assistant"', '"system"');
const message = object({
  role,
  content: fc.oneof({ weight: 1, arbitrary: words }, { weight: 4, arbitrary: list(block) }),
});
const odd = object({
  role: sometimes(fc.oneof(role, fc.constantFrom('"developer"', '"tool"'), exotic)),
  content: sometimes(fc.oneof(list(block), exotic)),
});
const body = object({
  messages: list(
    fc.oneof({ weight: 8, arbitrary: message }, { weight: 2, arbitrary: odd }, { weight: 1, arbitrary: exotic }),
  ),
  tools: sometimes(list(exotic)),
  system: sometimes(exotic),
  max_tokens: exotic,
  zzz: exotic,
});

describe("any body of the Messages API", () => {
  it("passes every check of the kit, whatever valid JSON stands in it", () => {
    fc.assert(
      fc.property(body, (json) => {
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
      fc.property(body, fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 3 }), (json, damages) => {
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
