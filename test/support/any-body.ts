import fc from "fast-check";

/** White space between tokens. */
export const space = fc.constantFrom("", "", " ", "\n\t", "\r\n  ");
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
/** A JSON string with whatever escapes. */
export const words = fc.array(char, { maxLength: 6 }).map((chars) => `"${chars.join("")}"`);
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
export function object(members: Record<string, fc.Arbitrary<string | null>>): fc.Arbitrary<string> {
  return fc.tuple(fc.record(members), fc.nat(), space).map(([values, turn, gap]) => {
    const list = Object.entries(values).flatMap(([key, value]) =>
      value === null ? [] : [`"${key}"${gap}:${gap}${value}`],
    );
    const at = list.length === 0 ? 0 : turn % list.length;
    return `{${gap}${[...list.slice(at), ...list.slice(0, at)].join(`${gap},`)}${gap}}`;
  });
}

/** A list as JSON text. */
export function list(element: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc
    .tuple(fc.array(element, { maxLength: 4 }), space)
    .map(([elements, gap]) => `[${gap}${elements.join(`${gap},${gap}`)}${gap}]`);
}

/** Always this string. */
export const literal = (text: string) => fc.constant(JSON.stringify(text));
const sometimes = (value: fc.Arbitrary<string>) => fc.option(value, { freq: 3 });
/** The value of a `cache_control`, or none. */
export const breakpoint = fc.option(
  fc.constantFrom('{"type":"ephemeral"}', '{"type":"ephemeral","ttl":"1h"}', "null"),
  {
    freq: 4,
  },
);
/** A call id. */
export const id = fc.constantFrom("t1", "t2", "t:1#2").map((name) => JSON.stringify(name));

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
/** A known role. */
export const role = fc.constantFrom('"user"', '"assistant"', '"system"');
const message = object({
  role,
  content: fc.oneof({ weight: 1, arbitrary: words }, { weight: 4, arbitrary: list(block) }),
});
const odd = object({
  role: sometimes(fc.oneof(role, fc.constantFrom('"developer"', '"tool"'), exotic)),
  content: sometimes(fc.oneof(list(block), exotic)),
});
/** Any body of the Messages API that is JSON: known and unknown blocks, odd shapes, members that come twice. */
export const anyBody = object({
  messages: list(
    fc.oneof({ weight: 8, arbitrary: message }, { weight: 2, arbitrary: odd }, { weight: 1, arbitrary: exotic }),
  ),
  tools: sometimes(list(exotic)),
  system: sometimes(exotic),
  max_tokens: exotic,
  zzz: exotic,
});
