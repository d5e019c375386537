import type { JsonObject } from "../../../model/json.ts";
import { isObject } from "../json.ts";

/** What an answer adds to the request's own members. */
export interface ResponseParts {
  readonly id: string;
  /** Unix time in seconds. */
  readonly createdAt: number;
  readonly output: readonly JsonObject[];
  readonly usage: JsonObject;
}

/** The whole response object; members of the request come back in it, as the API does. */
export function responseOf(body: JsonObject, { id, createdAt, output, usage }: ResponseParts): JsonObject {
  const reasoning = isObject(body.reasoning) ? body.reasoning : {};
  const text = isObject(body.text) ? body.text : {};
  const seconds = Math.floor(createdAt);
  return {
    id,
    object: "response",
    created_at: seconds,
    status: "completed",
    background: false,
    completed_at: seconds,
    error: null,
    incomplete_details: null,
    instructions: body.instructions ?? null,
    max_output_tokens: body.max_output_tokens ?? null,
    max_tool_calls: null,
    model: body.model ?? null,
    output,
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    previous_response_id: body.previous_response_id ?? null,
    prompt_cache_key: body.prompt_cache_key ?? null,
    reasoning: { effort: reasoning.effort ?? null, summary: reasoning.summary ?? null },
    safety_identifier: null,
    service_tier: "default",
    store: body.store ?? true,
    temperature: body.temperature ?? 1,
    text: { format: text.format ?? { type: "text" }, verbosity: text.verbosity ?? "medium" },
    tool_choice: body.tool_choice ?? "auto",
    tools: body.tools ?? [],
    top_logprobs: 0,
    top_p: body.top_p ?? 1,
    truncation: body.truncation ?? "disabled",
    usage,
    user: null,
    metadata: body.metadata ?? {},
  };
}
