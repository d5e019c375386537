import type { JsonObject } from "../../../model/json.ts";
import { stringOf } from "../json.ts";

/** A call and the item that answers it, by their types, and how errors name them. */
export interface CallKind {
  readonly call: string;
  readonly output: string;
  readonly words: string;
}

/** Calls that the client answers. */
export const CALL_KINDS: readonly CallKind[] = [
  { call: "function_call", output: "function_call_output", words: "function call" },
  { call: "custom_tool_call", output: "custom_tool_call_output", words: "custom tool call" },
  { call: "local_shell_call", output: "local_shell_call_output", words: "local shell call" },
  { call: "shell_call", output: "shell_call_output", words: "shell call" },
  { call: "apply_patch_call", output: "apply_patch_call_output", words: "apply patch call" },
  { call: "computer_call", output: "computer_call_output", words: "computer call" },
];

/** Items that the model makes beside messages, reasoning and the calls above. */
const SERVER_ITEMS = [
  "web_search_call",
  "file_search_call",
  "image_generation_call",
  "code_interpreter_call",
  "mcp_list_tools",
  "mcp_call",
  "mcp_approval_request",
  "tool_search_call",
];
const CLIENT_ITEMS = ["mcp_approval_response", "tool_search_output", "compaction", "compaction_trigger"];

/** All types of items the API takes. */
export const ITEM_TYPES: ReadonlySet<string> = new Set([
  "message",
  "reasoning",
  "item_reference",
  ...CALL_KINDS.flatMap(({ call, output }) => [call, output]),
  ...SERVER_ITEMS,
  ...CLIENT_ITEMS,
]);

const MODEL_ITEMS: ReadonlySet<string> = new Set([...CALL_KINDS.map(({ call }) => call), ...SERVER_ITEMS]);

/** An item's type: one with a role alone is a message. */
export function typeOfItem(item: JsonObject): string {
  return item.type === undefined && item.role !== undefined ? "message" : stringOf(item.type);
}

/** True for what the model itself said or did, reasoning apart. */
export function isModelOutput(item: JsonObject): boolean {
  const type = typeOfItem(item);
  return type === "message" ? item.role === "assistant" : MODEL_ITEMS.has(type);
}

/** How the id of an item begins; null where nothing is known of it. */
export function idPrefixOf(type: string): string | null {
  const prefixes: Readonly<Record<string, string>> = {
    message: "msg",
    reasoning: "rs",
    function_call: "fc",
    custom_tool_call: "ctc",
    local_shell_call: "lsh",
  };
  return prefixes[type] ?? null;
}
