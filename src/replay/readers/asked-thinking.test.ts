import { expect, test } from "vitest";
import type { RecordedMessage } from "../recording.ts";
import { type AnsweredRequest, askedThinking } from "./asked-thinking.ts";
import { toTextBlock } from "./blocks.ts";

/** A request in the turn of that number, and whether its answer thinks. */
function inTurn(turn: number, answerThinks: boolean): AnsweredRequest {
  const spoken: RecordedMessage = { role: "user", blocks: [toTextBlock("user", "go on", 0)] };
  return { answerThinks, messages: () => Array.from({ length: turn }, () => spoken) };
}

test("a turn with one answer that thinks asked for thinking from its first request on", () => {
  const requests = [inTurn(1, false), inTurn(1, true), inTurn(1, false), inTurn(2, false), inTurn(3, true)];
  expect(askedThinking(requests)).toEqual([true, true, true, false, true]);
});

test("a turn after a compaction is another one, although it has the same number", () => {
  const requests = [inTurn(1, true), inTurn(2, false), inTurn(1, false)];
  expect(askedThinking(requests)).toEqual([true, false, false]);
});
