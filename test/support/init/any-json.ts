import fc from "fast-check";

// What stands between two tokens of a JSON text as people write it.
const space = fc.constantFrom(
  "",
  " ",
  "  ",
  "\t",
  "\n",
  "\n  ",
  "\n\n\t",
  ' // words, "quoted" {\n',
  "/* a, b */",
  " /* {\n} */ ",
  "\n// ebb: {}\n  ",
);
const key = fc.constantFrom("model", "theme", 'a\\"b', "hooks", "ünï", "x y", "permissions");
const scalar = fc.constantFrom("1", "-2.5e3", "true", "null", '"text"', '"// no comment"', '"\\u0041 \\\\"', '"a{b}"');

const value = fc.letrec<{ value: string; object: string; list: string }>((tie) => ({
  value: fc.oneof({ depthSize: "small", withCrossShrink: true }, scalar, tie("object"), tie("list")),
  object: members(fc.tuple(space, key, space, space, tie("value"), space), "{", "}"),
  list: fc
    .tuple(fc.array(fc.tuple(space, tie("value"), space), { maxLength: 3 }), space)
    .map(([items, end]) => (items.length === 0 ? `[${end}]` : `[${items.map((parts) => parts.join("")).join(",")}]`)),
}));

/** Texts of objects that may hold some of `maps` (empty or not) beside other keys, each key once. */
export function anyJsonObject(maps: readonly string[]): fc.Arbitrary<string> {
  const inner = members(fc.tuple(space, key, space, space, value.value, space), "{", "}");
  const mapEntry = fc.tuple(space, fc.constantFrom(...maps), space, space, inner, space);
  const entry = fc.oneof(fc.tuple(space, key, space, space, value.value, space), mapEntry);
  const object = members(entry, "{", "}");
  return fc
    .tuple(space, object, space, fc.constantFrom("\n", "\r\n"))
    .map(([before, text, after, eol]) => (before + text + after).replaceAll("\n", eol));
}

type Entry = readonly [string, string, string, string, string, string];

function members(entry: fc.Arbitrary<Entry>, open: string, close: string): fc.Arbitrary<string> {
  const entries = fc.uniqueArray(entry, { maxLength: 4, selector: ([, name]) => name });
  return fc.tuple(entries, space, fc.boolean()).map(([found, end, isTrailing]) => {
    const written = found.map(([a, name, b, c, inner, d]) => `${a}"${name}"${b}:${c}${inner}${d}`).join(",");
    return `${open}${written}${isTrailing && found.length > 0 ? "," : ""}${end}${close}`;
  });
}
