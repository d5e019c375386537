import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseTree, type TreeNode } from "./json-tree.ts";

function tree(json: string): TreeNode {
  const node = parseTree(Buffer.from(json));
  if (node === null) throw new Error("not JSON");
  return node;
}

function plainOf(node: TreeNode): unknown {
  switch (node.kind) {
    case "string":
      return node.text;
    case "array":
      return node.elements.map(plainOf);
    case "object":
      return Object.fromEntries(Array.from(node.members, ([name, member]) => [name, plainOf(member)]));
    case "other":
      return JSON.parse(Buffer.from(node.raw, "latin1").toString());
  }
}

describe("the tree of a JSON body", () => {
  it("holds what JSON.parse reads, whatever the white space", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom("", " ", "\t", "\n  "), (value, space) => {
        expect(plainOf(tree(`\n${JSON.stringify(value, null, space)} `))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it("gives each node its very bytes", () => {
    const body = Buffer.from('{ "ü" : [ 1.50e3 , "é\\u00e9😀" ], "n":{"deep":[[[[[[[[[[[[["x"]]]]]]]]]]]]]} }');
    const root = parseTree(body);
    const list = root?.members.get("ü");
    for (const node of [root, list, ...(list?.elements ?? []), root?.members.get("n")]) {
      const { start = -1, raw = "" } = node ?? {};
      expect(body.subarray(start, start + raw.length).toString("latin1")).toBe(raw);
    }
    expect(list?.elements.map(({ raw, text }) => text ?? raw)).toEqual(["1.50e3", "éé😀"]);
  });

  it("tells bytes that are no UTF-8 apart, although they read the same", () => {
    const [one, other] = [0xff, 0xfe].map((byte) => parseTree(Buffer.from([0x22, byte, 0x22])));
    expect(one?.text).toBe(other?.text);
    expect(one?.raw).not.toBe(other?.raw);
  });

  it("counts the last of members with one name", () => {
    expect(tree('{"a":1,"\\u0061":[2],"a":3}').members.get("a")?.raw).toBe("3");
  });

  it("is none where the body is not JSON", () => {
    for (const body of ["", "{", "[1,]", '{"a":1}x', "\ufeff{}", "'a'"])
      expect(parseTree(Buffer.from(body))).toBeNull();
  });
});
