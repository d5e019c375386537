import type { PlannedCall } from "./plan.ts";

/** What a client holds of a conversation, as it grows. */
export interface Talk {
  readonly messages: readonly Message[];
  /** Results given so far, by call id. */
  readonly results: ReadonlyMap<string, Pick<PlannedCall, "label" | "result">>;
}

interface Message {
  readonly role: "user" | "assistant";
  readonly content: readonly unknown[];
}

/** Its thinking is bound to nothing, and none is in the conversation. */
const MODEL = "claude-sonnet-4-5";
const CACHED = { cache_control: { type: "ephemeral" } };
const TOOLS = ["Read", "Edit", "Bash", "mcp__ebb__recall"];

/** A conversation that a person begins. */
export function beginTalk(text: string): Talk {
  return { messages: [{ role: "user", content: [{ type: "text", text }] }], results: new Map() };
}

/** The same with the model's answer, and what follows it: the results of its calls, or a person's word. */
export function answered(talk: Talk, answer: readonly Block[], planned: readonly PlannedCall[]): Talk {
  const ids = answer.flatMap(({ type, id }) => (type === "tool_use" && id !== undefined ? [id] : []));
  const calls = ids.flatMap((id, index) => {
    const call = planned[index];
    return call === undefined ? [] : [[id, call] as const];
  });
  const next =
    calls.length === 0
      ? [{ type: "text", text: "Go on." }]
      : calls.map(([id, { result }]) => ({ type: "tool_result", tool_use_id: id, content: result }));
  return {
    messages: [...talk.messages, { role: "assistant", content: answer }, { role: "user", content: next }],
    results: new Map([...talk.results, ...calls]),
  };
}

/** A block of an answer. */
export interface Block {
  readonly type: string;
  readonly id?: string | undefined;
  readonly [name: string]: unknown;
}

/** The request that a client sends: all four breakpoints are taken, so that nothing may be added to it. */
export function bodyOf({ messages }: Talk): string {
  const tools = TOOLS.map((name) => ({ name, description: name, input_schema: { type: "object" } }));
  const marked = messages.map((message, index) =>
    index === 0 || index === messages.length - 1 ? withBreakpoint(message) : message,
  );
  return JSON.stringify({
    model: MODEL,
    max_tokens: 64,
    tools: [...tools.slice(0, -1), { ...tools.at(-1), ...CACHED }],
    system: [{ type: "text", text: "A trial of Ebb; no model reads this.", ...CACHED }],
    messages: marked,
  });
}

function withBreakpoint({ role, content }: Message): Message {
  return { role, content: content.map((block, index) => withMark(block, index === content.length - 1)) };
}

function withMark(block: unknown, isLast: boolean): unknown {
  return isLast && typeof block === "object" ? { ...block, ...CACHED } : block;
}
