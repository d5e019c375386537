import type { JsonObject } from "../../../model/json.ts";
import { objectsOf, stringOf } from "../json.ts";
import { refused } from "../openai/errors.ts";
import type { Refusal } from "../refusal.ts";

/**
 * What is wrong between calls and the messages that answer them: each call has one `tool` message directly behind the message
 * that made it, and none stands anywhere else. Words: as clients report them, such as in https://github.com/sdcb/chats/pull/132.
 */
export function refuseChatPairing(messages: readonly JsonObject[]): Refusal | null {
  let open: ReadonlySet<string> = new Set();
  let answered: ReadonlySet<string> = new Set();
  for (const [index, message] of messages.entries()) {
    if (message.role === "tool") {
      const refusal = refuseAnswer(message, index, { open, answered });
      if (refusal !== null) return refusal;
      const id = stringOf(message.tool_call_id);
      open = without(open, id);
      answered = new Set([...answered, id]);
      continue;
    }
    if (open.size > 0) return unanswered(open, index);
    open = new Set(objectsOf(message.tool_calls).map(({ id }) => stringOf(id)));
    answered = new Set();
  }
  return open.size > 0 ? unanswered(open, messages.length) : null;
}

interface Calls {
  readonly open: ReadonlySet<string>;
  readonly answered: ReadonlySet<string>;
}

function refuseAnswer({ tool_call_id: id }: JsonObject, index: number, { open, answered }: Calls): Refusal | null {
  if (open.has(stringOf(id))) return null;
  if (open.size === 0) {
    const words =
      "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.";
    return refused(words, { param: `messages.[${index}].role` });
  }
  const words = answered.has(stringOf(id))
    ? `Invalid parameter: Duplicate value for 'tool_call_id' of '${stringOf(id)}' in message[${index}].`
    : `Invalid parameter: 'tool_call_id' of '${stringOf(id)}' not found in 'tool_calls' of previous message.`;
  return refused(words, { param: `messages.[${index}].tool_call_id` });
}

function unanswered(ids: ReadonlySet<string>, index: number): Refusal {
  const words = `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${[...ids].join(", ")}`;
  return refused(words, { param: `messages.[${index}].role` });
}

function without(ids: ReadonlySet<string>, gone: string): ReadonlySet<string> {
  return new Set([...ids].filter((id) => id !== gone));
}
