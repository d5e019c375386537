import type { JsonObject } from "../../../model/json.ts";
import { objectsOf, stringOf } from "../json.ts";
import { invalid, type Refusal } from "../refusal.ts";
import { answerOf, callOf, type Turn, turnsOf } from "./part.ts";

/**
 * What is wrong between calls and their answers: the turn right behind a turn with calls answers them all, by name, in order,
 * and nothing else is an answer. Words: as clients report them, such as in https://github.com/google-gemini/gemini-cli/issues/7410
 * and https://github.com/google-gemini/gemini-cli/issues/26486; those for a name or an id that differs are this server's own.
 */
export function refuseGeminiPairing(contents: readonly JsonObject[]): Refusal | null {
  const turns = turnsOf(contents);
  for (const [index, turn] of turns.entries()) {
    const refusal = turn.role === "model" ? refuseCalls(turn, turns, index) : refuseAnswers(turn, turns[index - 1]);
    if (refusal !== null) return refusal;
  }
  return null;
}

function refuseCalls(turn: Turn, turns: readonly Turn[], index: number): Refusal | null {
  const calls = callsOf(turn);
  if (calls.length === 0) return null;
  if (index === 0) {
    return invalid(
      "Please ensure that function call turn comes immediately after a user turn or after a function response turn.",
    );
  }
  const next = turns[index + 1];
  if (next === undefined || answersOf(next).length !== calls.length) {
    return invalid(
      "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.",
    );
  }
  return null;
}

function refuseAnswers(turn: Turn, before: Turn | undefined): Refusal | null {
  const answers = answersOf(turn);
  if (answers.length === 0) return null;
  const calls = before === undefined ? [] : callsOf(before);
  if (calls.length === 0) {
    return invalid("Please ensure that function response turn comes immediately after a function call turn.");
  }
  for (const [index, answer] of answers.entries()) {
    const call = calls[index] ?? {};
    const asked = stringOf(call.name);
    if (answer.name !== asked) {
      return invalid(`Function response \`${stringOf(answer.name)}\` does not match function call \`${asked}\`.`);
    }
    if (answer.id !== undefined && call.id !== undefined && answer.id !== call.id) {
      return invalid(
        `Function response id \`${stringOf(answer.id)}\` does not match function call id \`${stringOf(call.id)}\`.`,
      );
    }
  }
  return null;
}

function callsOf({ parts }: Turn): readonly JsonObject[] {
  return objectsOf(parts.map(callOf));
}

function answersOf({ parts }: Turn): readonly JsonObject[] {
  return objectsOf(parts.map(answerOf));
}
