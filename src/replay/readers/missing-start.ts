import type { RecordedMessage } from "../recording.ts";
import { toTextBlock } from "./blocks.ts";

const MISSING_START_TEXT = "(the start of this conversation is not in the file)";
const MISSING_START: RecordedMessage = { role: "user", blocks: [toTextBlock("user", MISSING_START_TEXT, 0)] };

/** The messages, behind a user message where they begin with a response: the API wants one there. */
export function withOpening(messages: readonly RecordedMessage[]): readonly RecordedMessage[] {
  return messages[0]?.role === "user" ? messages : [MISSING_START, ...messages];
}
