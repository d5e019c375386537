import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson } from "./canonical-json.ts";
import { toJsonBytes } from "./json-scan.ts";

function canonical(json: string, omitted: string | null = null): string {
  return canonicalJson(toJsonBytes(Buffer.from(json)), 0, omitted);
}

describe("canonical JSON", () => {
  it("sorts keys, drops white space and keeps numbers as they stand", () => {
    expect(canonical('{ "b" : 1.0, "a" : [ 12345678901234567890 , {} , [ ] ] }')).toBe(
      '{"a":[12345678901234567890,{},[]],"b":1.0}',
    );
  });

  it("leaves a named member out at every depth, and takes the last of duplicates", () => {
    expect(
      canonical('{"x":{"cache_control":{"a":[1]},"y":1},"cache_control":null,"z":1,"z":{"q":2}}', "cache_control"),
    ).toBe('{"x":{"y":1},"z":{"q":2}}');
  });

  it("writes one text for escapes spelled differently", () => {
    expect(canonical('"\\u0041\\/\\u000a"')).toBe(canonical('"A/\\n"'));
  });

  it("passes a hundred thousand levels of nesting", () => {
    const json = '{"a":['.repeat(100_000) + "]}".repeat(100_000);
    expect(canonical(json).length).toBe(json.length);
  });

  it("is the same for every order of keys and means the same value", () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue(), { maxKeys: 5 }),
        fc.nat(2),
        (object, indent) => {
          const reversed = Object.fromEntries(Object.entries(object).reverse());
          const written = canonical(JSON.stringify(object, null, indent));
          expect(canonical(JSON.stringify(reversed))).toBe(written);
          expect(JSON.parse(written)).toEqual(JSON.parse(JSON.stringify(object)));
        },
      ),
    );
  });
});
