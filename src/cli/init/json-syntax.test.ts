import { expect, test } from "vitest";
import { jsonSyntax } from "./json-syntax.ts";
import type { Placed } from "./syntax.ts";

const PATH = ["env", "URL"];

function put(text: string): { readonly text: string; readonly made: Placed } {
  const edited = jsonSyntax.put(text, PATH, "u");
  if (!edited.ok) throw new Error(edited.fault.words);
  return edited;
}

function taken(text: string, made: Placed): string {
  const edited = jsonSyntax.take(text, made);
  if (!edited.ok) throw new Error(edited.fault.words);
  return edited.text;
}

test.each([
  [
    "a comment behind the brace keeps its line",
    '{ // mine\n  "a": 1\n}',
    '{ // mine\n  "env": {\n    "URL": "u"\n  },\n  "a": 1\n}',
  ],
  [
    "a comment above the first key keeps its key",
    '{\n  // of a\n  "a": 1\n}',
    '{\n  "env": {\n    "URL": "u"\n  },\n  // of a\n  "a": 1\n}',
  ],
  ["a step of tabs and CRLF go on", '{\r\n\t"a": 1\r\n}', '{\r\n\t"env": {\r\n\t\t"URL": "u"\r\n\t},\r\n\t"a": 1\r\n}'],
  ["a line stays a line", '{ "a": 1 }', '{ "env": {"URL":"u"}, "a": 1 }'],
  ["a line without spaces gets none", '{"a":1}', '{"env":{"URL":"u"},"a":1}'],
  [
    "a comment alone is kept behind",
    "{\n  // nothing yet\n}",
    '{\n  "env": {\n    "URL": "u"\n  }\n  // nothing yet\n}',
  ],
  ["a map that is there is used", '{ "env": {} }', '{ "env": {\n  "URL": "u"\n} }'],
  ["an exchanged value changes alone", '{ "env": { "URL" : "old" /* c */ } }', '{ "env": { "URL" : "u" /* c */ } }'],
])("%s", (_, before, after) => {
  const edited = put(before);
  expect(edited.text).toBe(after);
  expect(taken(edited.text, edited.made)).toBe(before);
});

test.each([
  ["moved to the end by its user", '{\n  "a": 1, // one\n  "env": { "URL": "u" }\n}', '{\n  "a": 1 // one\n}'],
  [
    "moved behind a comment, with something in its line",
    '{\n  // c\n  "env": {"URL":"u"}, "a": 1\n}',
    '{\n  // c\n   "a": 1\n}',
  ],
])("what was %s leaves the others' commas and comments right", (_, moved, expected) => {
  expect(taken(moved, put('{ "a": 1 }').made)).toBe(expected);
});
