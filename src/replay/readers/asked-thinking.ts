import type { RecordedMessage } from "../recording.ts";

/** A request as far as its log tells whether it asked for thinking. */
export interface AnsweredRequest {
  /** Its own answer holds thinking. */
  readonly answerThinks: boolean;
  messages(): readonly RecordedMessage[];
}

/**
 * Whether each request of a context asked for thinking, which a log does not hold: all requests of a turn did where one of its
 * answers thinks. A client that switches it between turns loses its cached messages.
 */
export function askedThinking(requests: readonly AnsweredRequest[]): readonly boolean[] {
  const asked: boolean[] = [];
  let turnStart = 0;
  let turn = 0;
  requests.forEach((request, index) => {
    const spoken = request.messages().filter(isSpoken).length;
    if (spoken !== turn) turnStart = index;
    turn = spoken;
    asked.push(request.answerThinks || (index > turnStart && asked[turnStart] === true));
    if (request.answerThinks) asked.fill(true, turnStart);
  });
  return asked;
}

function isSpoken({ role, blocks }: RecordedMessage): boolean {
  return role === "user" && blocks.some(({ kind }) => kind !== "result");
}
