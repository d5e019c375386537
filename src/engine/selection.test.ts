import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fileLines, parseRange, selectLines, textLines } from "./selection.ts";

describe("a range", () => {
  it.each([
    [null, 1, null],
    ["", 1, null],
    ["0", 1, null],
    ["all", 1, null],
    ["3-7", 3, 7],
    ["3-", 3, null],
    ["-7", 1, 7],
    ["5", 5, 5],
    [" 2 - 4 ", 2, 4],
  ])("reads %j as lines %s to %s", (range, from, to) => {
    expect(parseRange(range)).toEqual({ ok: true, selection: { from, to, chars: null } });
  });

  it("reads a slice of one long line", () => {
    expect(parseRange("7@2000-4000")).toEqual({
      ok: true,
      selection: { from: 7, to: 7, chars: { from: 2000, to: 4000 } },
    });
  });

  it.each(["4-2", "0-3", "-0", "-", "a", "1.5", "1-2-3", "1,2", "--3", "7@", "0@1-2", "1e3", "９"])(
    "refuses %j with the legal forms and clamps nothing",
    (range) => {
      const outcome = parseRange(range);
      expect(outcome.ok).toBe(false);
      expect(outcome.ok ? "" : outcome.words).toContain('"-B" (from the start to B)');
    },
  );
});

describe("selected lines", () => {
  const text = "one\n\nthree\r\nfour";

  it("end at LF, and a rest without one is a line", () => {
    const lines = selectLines(textLines(text), { from: 1, to: null, chars: null });
    expect(lines.map((line) => text.slice(line.start, line.end))).toEqual(["one\n", "\n", "three\r\n", "four"]);
  });

  it("are none when the range starts past the end", () => {
    expect(selectLines(textLines(text), { from: 5, to: null, chars: null })).toEqual([]);
  });

  it("rebuild the text exactly when walked in any steps", () => {
    const anyText = fc.array(fc.constantFrom("a", "\n", "\r\n", "é", "😀", "", " "), { maxLength: 60 });
    fc.assert(
      fc.property(anyText, fc.integer({ min: 1, max: 7 }), (parts, step) => {
        const whole = parts.join("");
        let rebuilt = "";
        for (let from = 1; ; from += step) {
          const lines = selectLines(textLines(whole), { from, to: from + step - 1, chars: null });
          if (lines.length === 0) break;
          for (const line of lines) rebuilt += whole.slice(line.start, line.end);
        }
        expect(rebuilt).toBe(whole);
      }),
    );
  });
});

describe("lines of a printed window", () => {
  const text = "<note>\n   100→one\n   101→\n   102→three\n\n<note>";

  it("carry the file's numbers; what stands before the first belongs to it, what follows the last counts on", () => {
    const lines = fileLines(text, 100) ?? [];
    expect(lines.map(({ number, start, end }) => [number, text.slice(start, end)])).toEqual([
      [100, "<note>\n   100→one\n"],
      [101, "   101→\n"],
      [102, "   102→three\n"],
      [103, "\n"],
      [104, "<note>"],
    ]);
  });

  it("are unknown where no line has the first number", () => {
    expect(fileLines("one\ntwo", 100)).toBeNull();
  });
});
