import type { JsonObject } from "../../../src/model/json.ts";

/** A response to one round, as parts that a test names. */
export interface ResponsesRound {
  readonly output: readonly JsonObject[];
  readonly id?: string;
  readonly status?: string;
  readonly usage?: JsonObject;
  /** The end of the response repeats none of its items, as some backends have it. */
  readonly isEndBare?: boolean;
}

/** What the model says. */
export const said = (words: string): JsonObject => ({
  type: "message",
  id: `msg_${words.length}`,
  status: "completed",
  role: "assistant",
  content: [{ type: "output_text", annotations: [], logprobs: [], text: words }],
});
/** What it thought, encrypted. */
export const reasoned = (words: string): JsonObject => ({
  type: "reasoning",
  id: `rs_${words}`,
  summary: [{ type: "summary_text", text: words }],
  encrypted_content: `sealed-${words}`,
});
/** A call of Ebb's own tool. */
export const recalls = (id: string, input: JsonObject = { id }): JsonObject => calls(id, "ebb_recall", input);
/** A call of any tool. */
export const calls = (id: string, name = "shell", input: JsonObject = { command: id }): JsonObject => ({
  type: "function_call",
  id: `fc_${id}`,
  status: "completed",
  call_id: id,
  name,
  arguments: JSON.stringify(input),
});

const USAGE = {
  input_tokens: 115,
  input_tokens_details: { cached_tokens: 100 },
  output_tokens: 7,
  output_tokens_details: { reasoning_tokens: 3 },
  total_tokens: 122,
};

/** The response as one body. */
export function responseOf({ output, id = "resp_1", status = "completed", usage = USAGE }: ResponsesRound): JsonObject {
  const numbered = { id, object: "response", created_at: Number(id.replace(/\D/g, "")), status, model: "gpt-5.4" };
  return { ...numbered, error: null, incomplete_details: null, output, store: false, usage };
}

/** The response as the events of a stream, one string each. */
export function eventsOfResponse(round: ResponsesRound): readonly string[] {
  const whole = responseOf(round);
  const begun = { ...whole, status: "in_progress", output: [], usage: null };
  const told = [
    { type: "response.created", response: begun },
    { type: "response.in_progress", response: begun },
    ...round.output.flatMap(itemEvents),
    { type: `response.${String(whole.status)}`, response: round.isEndBare === true ? { ...whole, output: [] } : whole },
  ];
  return told.map((data, sequence_number) => eventOf({ ...data, sequence_number }));
}

/** One event as bytes of a stream. */
export function eventOf(data: JsonObject | { readonly type: string }): string {
  return `event: ${String(data.type)}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** The response as a stream. */
export function responseStream(round: ResponsesRound): string {
  return eventsOfResponse(round).join("");
}

/** The response without streaming, as a response of a playbook. */
export function wholeResponse(round: ResponsesRound): { readonly whole: string } {
  return { whole: JSON.stringify(responseOf(round), null, 1) };
}

function itemEvents(item: JsonObject, output_index: number): readonly { readonly type: string }[] {
  const item_id = item.id ?? null;
  const opened = openedOf(item);
  return [
    { type: "response.output_item.added", output_index, item: { ...item, ...opened, status: "in_progress" } },
    ...deltasOf(item).map((delta) => ({ ...delta, output_index, item_id })),
    { type: "response.output_item.done", output_index, item },
  ] as never;
}

function openedOf({ type }: JsonObject): object {
  if (type === "message") return { content: [] };
  if (type === "reasoning") return { summary: [], encrypted_content: "" };
  return type === "function_call" ? { arguments: "" } : {};
}

function deltasOf(item: JsonObject): readonly { readonly type: string }[] {
  const halves = (words: unknown) => [String(words).slice(0, 3), String(words).slice(3)];
  const part = Object(
    Array.isArray(item.content) ? item.content[0] : Array.isArray(item.summary) ? item.summary[0] : {},
  );
  switch (item.type) {
    case "message":
      return [
        { type: "response.content_part.added", content_index: 0, part: { ...part, text: "" } },
        ...halves(part.text).map((delta) => ({ type: "response.output_text.delta", content_index: 0, delta })),
        { type: "response.output_text.done", content_index: 0, text: part.text },
        { type: "response.content_part.done", content_index: 0, part },
      ] as never;
    case "reasoning":
      return [
        ...halves(part.text).map((delta) => ({
          type: "response.reasoning_summary_text.delta",
          summary_index: 0,
          delta,
        })),
        { type: "response.reasoning_summary_text.done", summary_index: 0, text: part.text },
      ] as never;
    case "function_call":
      return [
        ...halves(item.arguments).map((delta) => ({ type: "response.function_call_arguments.delta", delta })),
        { type: "response.function_call_arguments.done", arguments: item.arguments },
      ] as never;
    default:
      return [];
  }
}
