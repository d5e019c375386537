import type { JsonObject } from "../../../model/json.ts";
import type { Answer } from "../answer.ts";
import { isObject } from "../json.ts";
import { BEHIND_REASONING } from "./pairing.ts";
import { sealContent } from "./seal.ts";

/** The items of an answer. Reasoning is told to a request that asks for it; its content is encrypted where that is asked for. */
export function outputOf(answer: Answer, body: JsonObject): readonly JsonObject[] {
  const { id, text, calls } = answer;
  const reasoning = reasoningOf(answer, body);
  const items: JsonObject[] = [];
  const idOf = (prefix: string, hex: string): string =>
    reasoning !== null && items.length === 0 ? `${prefix}_${id}${BEHIND_REASONING}` : `${prefix}_${hex}`;
  if (text !== null) items.push(messageItem(idOf("msg", id), text));
  for (const call of calls) items.push(callItem(call, (prefix) => idOf(prefix, call.id)));
  return reasoning === null ? items : [reasoning, ...items];
}

function reasoningOf({ id, thinking }: Answer, body: JsonObject): JsonObject | null {
  const { reasoning, include } = body;
  const isEncrypted = Array.isArray(include) && include.includes("reasoning.encrypted_content");
  const asked = isObject(reasoning) ? reasoning : null;
  const isAsked = asked === null ? isEncrypted : asked.effort !== "none";
  if (thinking === null || !isAsked) return null;
  const isShown = asked !== null && typeof (asked.summary ?? asked.generate_summary) === "string";
  return {
    id: `rs_${id}`,
    type: "reasoning",
    summary: isShown ? [{ type: "summary_text", text: thinking }] : [],
    ...(isEncrypted ? { encrypted_content: sealContent(`rs_${id}`, thinking) } : {}),
  };
}

function messageItem(id: string, text: string): JsonObject {
  const part = { type: "output_text", text, annotations: [], logprobs: [] };
  return { id, type: "message", status: "completed", role: "assistant", content: [part] };
}

function callItem(call: Answer["calls"][number], idOf: (prefix: string) => string): JsonObject {
  const { name, input, tool } = call;
  const made = { status: "completed", call_id: `call_${call.id}` };
  switch (tool?.form) {
    case "text": {
      const text = typeof input.input === "string" ? input.input : JSON.stringify(input);
      return { id: idOf("ctc"), type: "custom_tool_call", ...made, name, input: text };
    }
    case "shell": {
      const action = { type: "exec", command: input.command ?? [], env: {} };
      return { id: idOf("lsh"), type: "local_shell_call", ...made, action };
    }
    default: {
      const group = tool?.group ?? null;
      const namespace = group === null ? {} : { namespace: group };
      return { id: idOf("fc"), type: "function_call", ...made, name, ...namespace, arguments: JSON.stringify(input) };
    }
  }
}
