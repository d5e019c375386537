import { describe, expect, it } from "vitest";
import { namesOf, type Splice, splicesOf } from "./self-check-splices.ts";

const body = Buffer.from("0123456789");
const put = Buffer.from("new");

function inserting(text: string): Pick<Splice, "inserted" | "pieces"> {
  const inserted = Buffer.from(text);
  return { inserted, pieces: text === "" ? [] : [inserted] };
}

describe("a written body", () => {
  it.each([
    ["the body that came", [body], []],
    ["nothing of it", [put], [{ start: 0, end: 10, inserted: put }]],
    ["a cut", [body.subarray(0, 3), body.subarray(5)], [{ start: 3, end: 5, inserted: Buffer.alloc(0) }]],
    ["a replacement", [body.subarray(0, 3), put, body.subarray(5)], [{ start: 3, end: 5, inserted: put }]],
    ["an insertion", [body.subarray(0, 3), put, body.subarray(3)], [{ start: 3, end: 3, inserted: put }]],
    ["a lost end", [body.subarray(0, 3)], [{ start: 3, end: 10, inserted: Buffer.alloc(0) }]],
    ["nothing at all", [], [{ start: 0, end: 10, inserted: Buffer.alloc(0) }]],
    ["an empty slice", [body.subarray(0, 3), put.subarray(3), body.subarray(3)], []],
    ["two pieces", [put, put, body], [{ start: 0, end: 0, inserted: Buffer.concat([put, put]) }]],
  ])("of %s is told by its slices", (_, slices, splices) => {
    const found = splicesOf(body, slices) ?? [];
    expect(found.map(({ start, end, inserted }) => ({ start, end, inserted }))).toEqual(splices);
    expect(found.map(({ pieces }) => Buffer.concat(pieces))).toEqual(splices.map(({ inserted }) => inserted));
  });

  it("keeps what was put in piece by piece", () => {
    expect(splicesOf(body, [put, put.subarray(1), body])?.map(({ pieces }) => pieces)).toEqual([
      [put, put.subarray(1)],
    ]);
  });

  it("out of order is none", () => {
    expect(splicesOf(body, [body.subarray(5), body.subarray(0, 5)])).toBeNull();
    expect(splicesOf(body, [body, body.subarray(9)])).toBeNull();
  });

  it("is not taken for the body where it only shares its memory", () => {
    const memory = Buffer.from("..0123456789..");
    const inner = memory.subarray(2, 12);
    expect(splicesOf(inner, [memory.subarray(0, 5)])).toMatchObject([{ start: 0, end: 10 }]);
    expect(splicesOf(inner, [memory.subarray(2, 5), memory.subarray(5, 12)])).toEqual([]);
  });
});

describe("the name of a splice", () => {
  const text = Buffer.from(`${"a".repeat(200)}[one two]${"b".repeat(200)}`);
  const splice: Splice = { start: 201, end: 208, ...inserting('"m"') };
  const [name] = namesOf(text, [splice]);

  it("is the same where only what is far away or behind it differs", () => {
    const later = Buffer.from(`${"x".repeat(50)}${text.subarray(0, 208)}${"y".repeat(50)}`);
    expect(namesOf(later, [{ ...splice, start: 251, end: 258 }])).toEqual([name]);
  });

  it.each([
    ["begins elsewhere", { ...splice, start: 200 }],
    ["ends elsewhere", { ...splice, end: 207 }],
    ["puts something else in", { ...splice, ...inserting('"n"') }],
  ])("is another one where it %s", (_, other) => {
    expect(namesOf(text, [other])).not.toEqual([name]);
  });

  it("is another one where a byte before it or within it differs", () => {
    for (const at of [100, 200, 201, 207]) {
      const changed = Buffer.from(text);
      changed[at] = 0x7a;
      expect(namesOf(changed, [splice])).not.toEqual([name]);
    }
  });

  it("tells whether a cut stands beside it", () => {
    const cut: Splice = { start: 220, end: 230, ...inserting("") };
    expect(namesOf(text, [splice, cut])[0]).not.toBe(name);
    expect(namesOf(text, [splice, { ...cut, ...inserting('"m"') }])[0]).toBe(name);
  });
});
