import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { createLawChecker, type LawInput } from "./law-checker.ts";

const BYTES = Buffer.from("an image of many bytes ".repeat(20));
const SHA = createHash("sha256").update(BYTES).digest("hex");
const MARKER = "[ebb 0123456789ab] image";
const CACHE = { cache_control: { type: "ephemeral" } };
const image = (more: object = {}) => ({
  type: "image",
  source: { type: "base64", media_type: "image/png", data: BYTES.toString("base64") },
  ...more,
});
const text = (words: string, more: object = {}) => ({ type: "text", text: words, ...more });
const result = (...content: readonly object[]) => ({ type: "tool_result", tool_use_id: "a", content });
const bodyOf = (...content: readonly object[]) => JSON.stringify({ model: "m", messages: [{ role: "user", content }] });

function inputOf(original: string, forwarded: string, declared: readonly string[] = []): LawInput {
  const bodies = { original: Buffer.from(original), forwarded: Buffer.from(forwarded) };
  return { conversation: "one", ...bodies, declared: new Set(declared), edits: [], insertions: new Set() };
}

const violations = (original: string, forwarded: string) =>
  createLawChecker().check(inputOf(original, forwarded)).violations.join("; ");

describe("the law checker, of media", () => {
  it.each([
    ["in a message", bodyOf(text("go"), image()), bodyOf(text("go"), text(MARKER)), "message"],
    ["with a breakpoint", bodyOf(image(CACHE)), bodyOf(text(MARKER, CACHE)), "message"],
    ["in a result", bodyOf(result(text("a"), image())), bodyOf(result(text("a"), text(MARKER))), "a"],
    [
      "in a result whose text gave way as well",
      bodyOf(result(text("long ".repeat(30)), image(), text("more"))),
      bodyOf(result(text("[ebb 000000000000]"), text(MARKER))),
      "a",
    ],
  ])("%s finds nothing wrong with a marker in their place", (_, original, forwarded, holder) => {
    const found = createLawChecker().check(inputOf(original, forwarded));
    expect(found.violations).toEqual([]);
    expect(found.media).toEqual([
      { name: `${holder}#${SHA}`, bytes: BYTES, marker: MARKER, start: original.indexOf('{"type":"image"') },
    ]);
  });

  it.each([
    ["another text", bodyOf(image()), bodyOf(text("hello")), "untouched"],
    ["no text at all", bodyOf(text("go"), image()), bodyOf(text("go")), "untouched"],
    ["a lost breakpoint", bodyOf(image(CACHE)), bodyOf(text(MARKER)), "breakpoint"],
    ["other members", bodyOf(image()), bodyOf(text(MARKER, { title: "t" })), "no plain text block"],
    ["a marker as large", bodyOf(image()), bodyOf(text(MARKER + "x".repeat(BYTES.length))), "did not shrink"],
    ["a change beside it", bodyOf(text("go"), image()), bodyOf(text("no"), text(MARKER)), "untouched"],
    ["other media", bodyOf(result(image(), image())), bodyOf(result(text(MARKER))), "untouched"],
  ])("finds %s", (_, original, forwarded, words) => {
    expect(violations(original, forwarded)).toContain(words);
  });

  it("lets media leave and come back by a declared decision alone", () => {
    const checker = createLawChecker();
    const whole = bodyOf(image());
    const steps = (forwarded: string, declared: readonly string[] = []) =>
      checker.check(inputOf(whole, forwarded, declared)).violations.join();
    expect(steps(whole)).toBe("");
    expect(steps(bodyOf(text(MARKER)))).toContain("steady");
    expect(steps(bodyOf(text(MARKER)))).toBe("");
    expect(steps(whole)).toContain("steady");
    expect(steps(bodyOf(text(MARKER)), [`message#${SHA}`])).toBe("");
  });
});
