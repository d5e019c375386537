import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bash, bodyOf, EMPTY_TALK, user } from "../../test/support/conversation.ts";
import { createTestKeeper, send } from "../../test/support/keeper.ts";
import { parseRange } from "../engine/selection.ts";
import { type NumberedText, numberLines, textLines } from "../engine/selection-lines.ts";
import { encodeWtf8 } from "../lib/wtf8.ts";
import type { SizeBound } from "../model/view.ts";
import { SIZE_BOUND_DEFAULT } from "../policies/size-bound-default.ts";
import { createMemoryStore } from "../stores/memory.ts";
import type { RecallQuery } from "./contract.ts";
import { renderAnswer } from "./recall-answer.ts";

const QUERY = { tenant: "local", id: "b1", pattern: null, ignoreCase: false, sessionId: null, by: "agent" } as const;
const MEGABYTE = 1_000_000;

/** Characters of every length, halves of pairs that may meet, line ends of every kind, and marks that combine. */
const character = fc.constantFrom(
  "a",
  "é",
  "€",
  "😀",
  "\ud83d",
  "\ude00",
  "\n",
  "\r\n",
  "\r",
  "e\u0301",
  "\u200d",
  "\0",
  "\t",
);
const anyText = fc.array(character, { maxLength: 80 }).map((parts) => parts.join(""));
const cap = fc.integer({ min: 1, max: 50 });

function answerTo(text: NumberedText, range: string | null, chars: number | null, bound: SizeBound): string {
  const parsed = parseRange(range);
  if (!parsed.ok) throw new Error(parsed.words);
  const { selection } = parsed;
  const parts = { title: "[ebb 0123456789ab] Bash x", note: null, pattern: null, stepsMax: 1 };
  const rendered = renderAnswer({ ...parts, text, selection, bound, chars });
  if (rendered.kind === "nothing") throw new Error("a search without a pattern found nothing");
  return rendered.text;
}

/** Follows the printed continuations in their order, from the first answer to the last. */
async function walk(
  ask: (range: string | null) => string | Promise<string>,
  first: string | null = null,
): Promise<{ readonly text: string; readonly answers: readonly string[] }> {
  const open: (string | null)[] = [first];
  const answers: string[] = [];
  for (let range = open.shift(); range !== undefined; range = open.shift()) {
    const answer = await ask(range);
    const blank = answer.indexOf("\n\n");
    const rest = /, continue with range=(.*)$/m.exec(answer.slice(0, blank))?.[1];
    open.unshift(...(rest === undefined ? [] : rest.split(", then range=")));
    answers.push(answer.slice(blank + 2));
  }
  return { text: answers.join(""), answers };
}

function isSame(left: string, right: string): boolean {
  return Buffer.from(encodeWtf8(left)).equals(Buffer.from(encodeWtf8(right)));
}

describe("a walk by the printed continuations", () => {
  it("rebuilds every byte at any cap of characters, bytes and lines, and no answer is over its caps", async () => {
    await fc.assert(
      fc.asyncProperty(anyText, cap, cap, fc.integer({ min: 1, max: 6 }), async (text, chars, bytes, lines) => {
        fc.pre(text !== "");
        const numbered = textLines(text);
        const walked = await walk((range) => answerTo(numbered, range, chars, { lines, bytes }));
        expect(isSame(walked.text, text)).toBe(true);
        for (const answer of walked.answers) {
          const points = Array.from(answer).length;
          expect(points <= chars && encodeWtf8(answer).length <= Math.max(bytes, 4)).toBe(true);
          expect(answer.split("\n").length - 1 <= lines).toBe(true);
        }
      }),
      { numRuns: 500 },
    );
  });

  it("rebuilds any range, and the window of a file by the file's own lines", async () => {
    const line = fc.string({ maxLength: 9 }).map((text) => text.replace(/\n/g, ""));
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { minLength: 1, maxLength: 12 }),
        cap,
        fc.nat(99),
        fc.constantFrom("", "<note>\n", "a\nb\n\n"),
        async (contents, chars, offset, preface) => {
          const printed = contents.map((content, index) => `${String(offset + index + 1).padStart(6)}→${content}\n`);
          const numbered = numberLines(preface + printed.join(""), { lineStart: offset + 1, lineEnd: null });
          printed[0] = preface + printed[0];
          const from = offset + 1 + Math.floor(contents.length / 2);
          const ask = (range: string | null) => answerTo(numbered, range, chars, SIZE_BOUND_DEFAULT);
          expect((await walk(ask, `${from}-`)).text).toBe(printed.slice(from - offset - 1).join(""));
          expect((await walk(ask, `-${from}`)).text).toBe(printed.slice(0, from - offset).join(""));
          expect((await walk(ask, `${from}`)).text).toBe(printed[from - offset - 1]);
          const slice = await walk(ask, `${from}@3-7`);
          expect(slice.text).toBe(
            Array.from(printed[from - offset - 1] ?? "")
              .slice(2, 7)
              .join(""),
          );
        },
      ),
      { numRuns: 200 },
    );
  });

  it("rebuilds what a keeper stored, at caps the query states", async () => {
    await fc.assert(
      fc.asyncProperty(anyText, cap, async (text, chars) => {
        fc.pre(text !== "");
        const keeper = createTestKeeper({ store: createMemoryStore({}) });
        await send(keeper, bodyOf(bash(user(EMPTY_TALK, "look"), "b1", "x", text)));
        const ask = async (range: string | null): Promise<string> => {
          const query: RecallQuery = { ...QUERY, range, chars, atMs: 2 };
          const answer = await keeper.recall(query);
          if (!answer.ok) throw new Error(answer.words);
          return answer.text;
        };
        expect(isSame((await walk(ask)).text, text)).toBe(true);
        await keeper.close();
      }),
      { numRuns: 60 },
    );
  });
});

describe("a large original", () => {
  const bigBound = { lines: 1_000_000_000, bytes: 12 * MEGABYTE };
  const prose = "a line of output with é and 😀 in it\r\n\n";

  it.each([
    ["one line of 5 MB", "x€😀é".repeat(MEGABYTE / 2), SIZE_BOUND_DEFAULT, null],
    ["one line of 5 MB, asked in 400,000 characters", "x€😀é".repeat(MEGABYTE / 2), bigBound, 400_000],
    ["50 MB of lines", prose.repeat(Math.ceil((50 * MEGABYTE) / Buffer.byteLength(prose))), bigBound, null],
    ["one line of 50 MB", "e\u0301😀\ud83d".repeat((50 * MEGABYTE) / 10), bigBound, 4 * MEGABYTE],
    ["20 MB of blank lines", "\n".repeat(20 * MEGABYTE), { ...bigBound, bytes: 4 * MEGABYTE }, null],
  ] as const)(
    "%s comes back whole",
    async (_name, text, bound, chars) => {
      const numbered = textLines(text);
      const walked = await walk((range) => answerTo(numbered, range, chars, bound));
      expect(walked.text === text).toBe(true);
      expect(walked.answers.length).toBeGreaterThanOrEqual(5);
    },
    120_000,
  );
});
