import { describe, expect, it } from "vitest";
import { createLawChecker, type LawFindings, type LawInput } from "./law-checker.ts";

const LONG = "a long result ".repeat(20);
const MARKER = "[ebb 0123456789ab]";

function bodyOf(...results: readonly (readonly [id: string, content: unknown])[]): string {
  const blocks = results.map(([id, content]) => ({ type: "tool_result", tool_use_id: id, content }));
  return JSON.stringify({ model: "m", messages: [{ role: "user", content: blocks }] });
}

function check(original: string, forwarded: string, more: Partial<LawInput> = {}): LawFindings {
  return createLawChecker((text) => text.split(" ").length).check(inputOf(original, forwarded, more));
}

function inputOf(original: string, forwarded: string, more: Partial<LawInput> = {}): LawInput {
  return {
    conversation: "one",
    original: Buffer.from(original),
    forwarded: Buffer.from(forwarded),
    declared: new Set(),
    edits: [],
    insertions: new Set(),
    ...more,
  };
}

const text = (words: string) => ({ type: "text", text: words });
const image = { type: "image", source: { type: "base64", data: "x" } };

describe("the law checker", () => {
  it("finds nothing in a body that came and left, nor in a marker in a long result's place", () => {
    expect(check("not JSON", "not JSON")).toEqual({ violations: [], replaced: [], media: [] });
    expect(check(bodyOf(["a", LONG]), bodyOf(["a", MARKER]))).toEqual({
      violations: [],
      replaced: [{ callId: "a", original: LONG, marker: MARKER }],
      media: [],
    });
    expect(
      check(bodyOf(["a", [text(LONG), image, text("b")]]), bodyOf(["a", [text(MARKER), image]])).violations,
    ).toEqual([]);
  });

  it.each([
    ["bytes beside results", bodyOf(["a", "b"]), bodyOf(["a", "b"]).replace('"m"', '"n"'), "untouched: bytes outside"],
    ["white space", bodyOf(["a", LONG]), ` ${bodyOf(["a", MARKER])}`, "untouched: bytes outside"],
    ["an escape", bodyOf(["a", "b"]), bodyOf(["a", "b"]).replace('"b"', '"\\u0062"'), "untouched: a was written again"],
    ["an image", bodyOf(["a", [text(LONG), image]]), bodyOf(["a", [text(MARKER)]]), "untouched: blocks beside text"],
    ["a body that is no JSON", "{", "}", "untouched: a body that is not JSON"],
    ["JSON into none", bodyOf(), "{", "untouched: the forwarded body is not JSON"],
    ["a lost result", bodyOf(["a", "b"], ["c", "d"]), bodyOf(["a", "b"]), "paired: the count"],
    ["an exchanged call", bodyOf(["a", "b"]), bodyOf(["c", "b"]), "paired: result 0 answers another"],
    ["a list into a string", bodyOf(["a", [text(LONG)]]), bodyOf(["a", MARKER]), "paired: a changed from array"],
    ["an empty text", bodyOf(["a", LONG]), bodyOf(["a", ""]), "paired: a became empty"],
    ["a second text", bodyOf(["a", LONG]), bodyOf(["a", [text("x"), text("y")]]), "paired: a holds more"],
    ["more bytes", bodyOf(["a", "short"]), bodyOf(["a", MARKER]), "never worse: a did not shrink"],
    ["more tokens", bodyOf(["a", "x".repeat(99)]), bodyOf(["a", "a b c"]), "never worse: a takes no fewer tokens"],
    ["escapes", bodyOf(["a", "xx xx xx"]), bodyOf(["a", '"""""""']), "never worse: the body did not shrink"],
  ])("sees %s", (_what, original, forwarded, words) => {
    expect(check(original, forwarded).violations).toContainEqual(expect.stringContaining(words));
  });

  it("sees bytes that are no UTF-8 change into others", () => {
    const [original = "", rest = ""] = bodyOf(["a", "#"]).split("#");
    const withByte = (byte: number) => Buffer.concat([Buffer.from(original), Buffer.from([byte]), Buffer.from(rest)]);
    const input = { ...inputOf("", ""), original: withByte(0xff), forwarded: withByte(0xfe) };
    expect(createLawChecker().check(input).violations).not.toEqual([]);
  });

  it("counts insertions apart", () => {
    const [original, forwarded] = [bodyOf(["a", "b"]), bodyOf(["a", "a pointer"])];
    expect(check(original, forwarded, { insertions: new Set(["a"]) }).violations).toEqual([]);
  });

  it("holds each conversation to the forms it was sent, decisions apart", () => {
    const checker = createLawChecker();
    const [held, left] = [bodyOf(["a", LONG]), bodyOf(["a", MARKER])];
    const declared = new Set(["a"]);
    const send = (forwarded: string, more: Partial<LawInput> = {}) =>
      checker.check(inputOf(held, forwarded, more)).violations;
    const unsteady = ["steady: a was sent in another form before"];
    expect(send(held)).toEqual([]);
    expect(send(left)).toEqual(unsteady);
    expect(send(held)).toEqual(unsteady);
    expect(send(left, { declared })).toEqual([]);
    expect(send(left)).toEqual([]);
    expect(send(held, { declared })).toEqual(unsteady);
    expect(send(left, { conversation: "another" })).toEqual([]);
  });

  it("tells equal results of one call apart", () => {
    const checker = createLawChecker();
    const original = bodyOf(["a", LONG], ["a", LONG]);
    const forwarded = bodyOf(["a", MARKER], ["a", LONG]);
    for (let round = 0; round < 2; round++) expect(checker.check(inputOf(original, forwarded)).violations).toEqual([]);
    expect(checker.check(inputOf(original, bodyOf(["a", LONG], ["a", MARKER]))).violations).toHaveLength(2);
  });
});
