import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  fileLines,
  linesIn,
  measureLines,
  type NumberedText,
  numberLines,
  spanOf,
  textLines,
  withoutNumber,
} from "./selection-lines.ts";

const WHOLE = { from: 1, to: null, chars: null };
const from100 = { lineStart: 100, lineEnd: null };

function shown(lines: NumberedText, from = 1, to: number | null = null): readonly (readonly [number, string])[] {
  return Array.from(linesIn(lines, { from, to, chars: null }), ({ number, start, end }) => {
    return [number, lines.text.slice(start, end)] as const;
  });
}

describe("selected lines", () => {
  const text = "one\n\nthree\r\nfour";

  it("end at LF, and a rest without one is a line", () => {
    expect(shown(textLines(text))).toEqual([
      [1, "one\n"],
      [2, "\n"],
      [3, "three\r\n"],
      [4, "four"],
    ]);
  });

  it.each([
    [5, null],
    [5, 9],
    [99, 99],
  ])("from %s to %s are none: past the end", (from, to) => {
    expect(spanOf(textLines(text), { from, to, chars: null })).toBeNull();
    expect(shown(textLines(text), from, to)).toEqual([]);
  });

  it("of an empty text are none", () => {
    expect(spanOf(textLines(""), WHOLE)).toBeNull();
    expect(measureLines(textLines(""))).toEqual({ lines: 0, chars: 0 });
  });

  const anyText = fc.array(fc.constantFrom("a", "\n", "\r\n", "é", "😀", "\ud83d", "\ude00", "", " "), {
    maxLength: 60,
  });

  it("rebuild the text exactly when walked in any steps, and their piece is what they are together", () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 1, max: 7 }), (parts, step) => {
        const whole = parts.join("");
        const lines = textLines(whole);
        let rebuilt = "";
        for (let from = 1; ; from += step) {
          const selection = { from, to: from + step - 1, chars: null };
          const span = spanOf(lines, selection);
          if (span === null) break;
          const piece = shown(lines, from, from + step - 1).map(([, line]) => line);
          expect(whole.slice(span.start, span.end)).toBe(piece.join(""));
          rebuilt += piece.join("");
        }
        expect(rebuilt).toBe(whole);
      }),
    );
  });

  it("are counted as the text counts them, and so are its code points", () => {
    fc.assert(
      fc.property(anyText, (parts) => {
        const whole = parts.join("");
        const lines = whole === "" ? 0 : whole.replace(/\n$/, "").split("\n").length;
        expect(measureLines(textLines(whole))).toEqual({ lines, chars: Array.from(whole).length });
      }),
    );
  });
});

describe("lines of a printed window", () => {
  const text = "<note>\n   100→one\n   101→\n   102→three\n\n<note>";

  it("carry the file's numbers; what stands before the first belongs to it, what follows the last counts on", () => {
    const lines = numberLines(text, from100);
    expect(lines.isNumbered).toBe(true);
    expect(shown(lines)).toEqual([
      [100, "<note>\n   100→one\n"],
      [101, "   101→\n"],
      [102, "   102→three\n"],
      [103, "\n"],
      [104, "<note>"],
    ]);
    expect(measureLines(lines).lines).toBe(5);
  });

  it.each([
    [101, 102, [101, 102]],
    [1, 100, [100]],
    [1, 99, []],
    [104, 500, [104]],
    [105, 500, []],
  ])("from %i to %i of the file are those the window has", (from, to, numbers) => {
    expect(shown(numberLines(text, from100), from, to).map(([number]) => number)).toEqual(numbers);
  });

  it.each([
    ["alone", ""],
    ["behind Codex's head", "Chunk ID: a1\nProcess exited with code 0\nOutput:\n"],
  ])("are the file's where the text is the lines it holds, %s", (_name, head) => {
    const lines = numberLines(`${head}seven\neight\nnine\n`, { lineStart: 7, lineEnd: 9 });
    const shownAt = (from: number) => Array.from(linesIn(lines, { from, to: from, chars: null }));
    expect(shownAt(8).map(({ start, end }) => lines.text.slice(start, end))).toEqual(["eight\n"]);
    expect(measureLines(lines).lines).toBe(3);
    expect(Array.from(linesIn(lines, WHOLE)).map(({ number }) => number)).toEqual([7, 8, 9]);
  });

  it.each(["seven\neight\nnine\n[more below]\n", "words\nseven\neight\nnine\n", "seven\n"])(
    "are counted from 1 where nobody can tell which of the text's they are: %j",
    (other) => expect(numberLines(other, { lineStart: 7, lineEnd: 9 })).toMatchObject({ firstNumber: 1 }),
  );

  it.each(["     7→one", "7\tone", "7: one", "L7: one", "  7 | one", "00007| one"])(
    "are the file's where they print its numbers: %j",
    (line) => {
      const lines = fileLines(`<file>\n${line}\n8 two`, 7);
      expect(lines).toMatchObject({ firstNumber: 7, isNumbered: true });
      expect(withoutNumber(line).trim()).toBe("one");
    },
  );

  it("are unknown where no line has the first number: then they count from 1", () => {
    expect(fileLines("one\ntwo", 100)).toBeNull();
    expect(numberLines("one\ntwo", from100)).toMatchObject({ firstNumber: 1, isNumbered: false });
    expect(numberLines("     1→one", { lineStart: null, lineEnd: null })).toMatchObject({
      firstNumber: 1,
      isNumbered: false,
    });
  });
});
