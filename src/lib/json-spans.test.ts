import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { scanJson, skipSpace, skipValue, toJsonBytes } from "./json-scan.ts";
import { decodeString, elementsOf, hasEscapes, membersOf, visitMembers } from "./json-spans.ts";

function scan(text: string) {
  return scanJson(toJsonBytes(Buffer.from(text)));
}

describe("the scan of JSON", () => {
  it("accepts every kind of value, with white space around it", () => {
    for (const text of [
      "0",
      "-0.5e+10",
      "1E400",
      ' "a" ',
      "null",
      "true",
      "\t[]\r\n",
      "{ }",
      '{"a":[1,{"b":"\\u00e9"}]}',
    ]) {
      expect(scan(text), text).toMatchObject({ ok: true });
    }
  });

  it("names the byte at which the text stops being JSON", () => {
    expect(scan('{"a":1,}')).toEqual({ ok: false, offset: 7, words: 'invalid JSON: unexpected "}" at byte 7' });
    expect(scan('{"a":')).toEqual({ ok: false, offset: 5, words: "invalid JSON: it ends too soon, at byte 5" });
    expect(scan('"a\u0001"')).toEqual({ ok: false, offset: 2, words: "invalid JSON: unexpected byte 0x01 at byte 2" });
    expect(scan("")).toMatchObject({ ok: false, offset: 0 });
    expect(scan("\ufeff{}")).toMatchObject({ ok: false, offset: 0 });
  });

  it("refuses what only looks like JSON", () => {
    for (const text of [
      "01",
      "1.",
      ".5",
      "+1",
      "1e",
      "- 1",
      "tru",
      "nulll",
      "[1 2]",
      "[1,]",
      "{1:2}",
      "[}",
      '"\\x"',
      '"\\u12g4"',
      "NaN",
      "'a'",
    ]) {
      expect(scan(text), text).toMatchObject({ ok: false });
    }
  });

  it("passes a hundred thousand levels of nesting", () => {
    const depth = 100_000;
    expect(scan("[".repeat(depth) + "]".repeat(depth))).toMatchObject({ ok: true });
    expect(scan(`${'{"a":['.repeat(depth)}1${"]}".repeat(depth)}`)).toMatchObject({ ok: true });
    expect(scan(`${"[".repeat(depth)}}`)).toMatchObject({ ok: false, offset: depth });
  });

  it("keeps objects and arrays apart across the words of its level record", () => {
    for (let depth = 25; depth < 70; depth += 1) {
      const open = Array.from({ length: depth }, (_, index) => (index % 3 === 0 ? '{"k":' : "["));
      const close = open.map((piece) => (piece === "[" ? "]" : "}")).reverse();
      expect(scan(`${open.join("")}1${close.join("")}`), String(depth)).toMatchObject({ ok: true });
      const wrong = close.with(depth - 2, close[depth - 2] === "]" ? "}" : "]");
      expect(scan(`${open.join("")}1${wrong.join("")}`), String(depth)).toMatchObject({ ok: false });
    }
  });
});

describe("the walk over members and elements", () => {
  it("finds values and decoded keys, the last of duplicates", () => {
    const text = toJsonBytes(Buffer.from('{"a":1, "\\u0062" : "x\\n" ,"a":[2 ,3]}'));
    const members = membersOf(text, 0);
    expect(members.hasDuplicates).toBe(true);
    expect([...members.spans.keys()]).toEqual(["a", "b"]);
    const list = members.spans.get("a");
    expect(
      list === undefined
        ? []
        : elementsOf(text, list.start).map((span) => text.bytes.toString("utf8", span.start, span.end)),
    ).toEqual(["2", "3"]);
  });

  it("gives the key's span and says whether a string holds escapes", () => {
    const text = toJsonBytes(Buffer.from('{"\\u0062":"plain"}'));
    const seen: [string, boolean, boolean][] = [];
    visitMembers(text, 0, (key, start, keySpan) => {
      const end = skipValue(text, start);
      seen.push([key, hasEscapes(text, keySpan), hasEscapes(text, { start, end })]);
      return end;
    });
    expect(seen).toEqual([["b", true, false]]);
  });

  it("hands a failure inside a visited value on", () => {
    const text = toJsonBytes(Buffer.from('{"a":[1,]}'));
    expect(visitMembers(text, 0, (_key, start) => skipValue(text, start))).toBe(~8);
  });
});

const exoticText = fc.array(
  fc.constantFrom(
    ...'{}[],:"\\ \n\t',
    "true",
    "null",
    "-0",
    "1e5",
    "12345678901234567890",
    '"a"',
    '"\\ud83d"',
    '"\\ud83d\\ude00"',
    '"é"',
    "😀",
    "\\u0041",
    "\u0000",
    '"k":',
    "[1,2]",
    '{"a":1}',
  ),
  { maxLength: 14 },
);

describe("the scan against JSON.parse", () => {
  it("accepts exactly what JSON.parse accepts, whatever the bytes", () => {
    const oracle = (bytes: Uint8Array) => {
      try {
        JSON.parse(Buffer.from(bytes).toString("utf8"));
        return true;
      } catch {
        return false;
      }
    };
    fc.assert(
      fc.property(
        fc.oneof(
          exoticText.map((parts) => Buffer.from(parts.join(""))),
          fc.json().map((text) => Buffer.from(text)),
          fc.tuple(fc.json(), fc.nat(), fc.nat(255)).map(([text, place, byte]) => {
            const bytes = Buffer.from(text);
            bytes[place % bytes.length] = byte;
            return bytes;
          }),
          fc.uint8Array({ maxLength: 12 }),
        ),
        (bytes) => scanJson(toJsonBytes(bytes)).ok === oracle(bytes),
      ),
      { numRuns: 5_000 },
    );
  });

  it("finds the members that JSON.parse finds", () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue(), { maxKeys: 6 }),
        fc.nat(3),
        (object, indent) => {
          const json = JSON.stringify(object, null, indent);
          const text = toJsonBytes(Buffer.from(json));
          const parsed = new Map(Object.entries(JSON.parse(json) as Record<string, unknown>));
          const found = new Map(
            [...membersOf(text, 0).spans].map(([key, span]) => [
              key,
              JSON.parse(text.bytes.toString("utf8", span.start, span.end)),
            ]),
          );
          expect(found).toEqual(parsed);
        },
      ),
    );
  });

  it("decodes strings as JSON.parse does and finds their end at any alignment", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.nat(8), (value, spaces) => {
        const json = " ".repeat(spaces) + JSON.stringify(value);
        const text = toJsonBytes(Buffer.from(`${json}x`));
        const start = skipSpace(text, 0);
        const end = skipValue(text, start);
        expect(end).toBe(text.bytes.length - 1);
        expect(decodeString(text, { start, end })).toBe(JSON.parse(text.bytes.toString("utf8", start, end)));
      }),
    );
  });
});
