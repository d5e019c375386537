import { describe, expect, it } from "vitest";
import { oneLine, visible } from "./visible.ts";

describe("text for a terminal", () => {
  it.each([
    ["\u001b[2J\u0007", "\\u001b[2J\\u0007"],
    ["\u009b2J\u007f", "\\u009b2J\\u007f"],
    ["a\u202egnp.exe\u2066\u200f\u061c", "a\\u202egnp.exe\\u2066\\u200f\\u061c"],
    ["over\rwritten", "over\\u000dwritten"],
    ["a\r\nb\n\tc", "a\r\nb\n\tc"],
    ["é 漢字 👩‍👩‍👧 \ud800", "é 漢字 👩‍👩‍👧 \ud800"],
  ])("%j is shown as %j", (given, shown) => {
    expect(visible(given)).toBe(shown);
  });

  it("leaves JSON what it was", () => {
    const value = { path: "a\u009b\u202e\u007f\u001b\r", lines: ["x\n"] };
    expect(JSON.parse(visible(JSON.stringify(value, null, 2)))).toEqual(value);
  });

  it("stands in one line where that is asked for", () => {
    expect(oneLine("a\r\n\u2028 b\u001b\vc")).toBe("a b\\u001b c");
  });
});
