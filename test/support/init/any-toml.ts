import fc from "fast-check";

const space = fc.constantFrom("", " ", "\t", "  ");
const comment = fc.constantFrom("", " # [mcp_servers.ebb]", '# words = "x"', "\t#");
const value = fc.constantFrom(
  '"text"',
  "'li#teral'",
  "1",
  "-0.5",
  "true",
  "1979-05-27",
  '["a", "b"]',
  '[\n  "a", # first\n]',
  "{ x = 1, y = 'z' }",
  '"""\n[mcp_servers.ebb]\n"""',
);
const keyName = fc.constantFrom("model", "sandbox_mode", '"quoted key"', "a.b", "notify", "b-c");
const headerName = fc.constantFrom(
  "[tui]",
  "[ projects . '/x' ]",
  "[[hooks]]",
  "[mcp_servers.other]",
  "[model_providers.azure]",
  '["odd ]"]',
);

const line = fc.oneof(
  fc.tuple(space, comment).map(([a, b]) => `${a}${b}`),
  fc
    .tuple(space, keyName, space, space, value, comment)
    .map(([a, key, b, c, found, d]) => `${a}${key}${b}=${c}${found}${d}`),
);

/** TOML as people write it: comments, blank lines, odd spacing, tables of all kinds, either line end, with or without a last one. */
export const anyToml: fc.Arbitrary<string> = fc
  .tuple(
    section(fc.constant("")),
    fc.uniqueArray(section(fc.tuple(space, headerName, comment).map((parts) => parts.join(""))), {
      maxLength: 3,
      selector: (one) => /\[+[^\]]*/.exec(one)?.[0] ?? "",
    }),
    fc.constantFrom("\n", "\r\n"),
    fc.constantFrom("", "\n", "\n\n"),
  )
  .map(([top, tables, eol, end]) =>
    ([top, ...tables].filter((one) => one !== "").join("\n") + end).replaceAll("\n", eol),
  );

function section(header: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const lines = fc.uniqueArray(line, {
    maxLength: 4,
    selector: (one) => (one.trim().startsWith("#") || one.trim() === "" ? one : (one.trim().split(/[\s=.]/)[0] ?? "")),
  });
  return fc.tuple(header, lines).map(([head, found]) => [head, ...found].join("\n"));
}
