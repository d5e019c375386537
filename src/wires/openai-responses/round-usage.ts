import type { JsonBytes, Span } from "../../lib/json-scan.ts";
import { membersOf } from "../../lib/json-spans.ts";
import type { Splice } from "../shared/splice.ts";
import { countAt, objectAt, type ToldCount } from "./stream-event.ts";

/** What the rounds before one gave out, in tokens. */
export interface RoundUsage {
  readonly outputTokens: number;
  readonly reasoningTokens: number;
}

interface ToldUsage {
  readonly input: ToldCount | null;
  readonly output: ToldCount | null;
  readonly reasoning: ToldCount | null;
  readonly total: ToldCount | null;
}

/** No round yet. */
export const NO_USAGE: RoundUsage = { outputTokens: 0, reasoningTokens: 0 };

/** The same rounds and one more. `span` is its response, an object. */
export function addUsage(before: RoundUsage, text: JsonBytes, span: Span): RoundUsage {
  const { output, reasoning } = toldIn(text, span);
  return {
    outputTokens: before.outputTokens + (output?.value ?? 0),
    reasoningTokens: before.reasoningTokens + (reasoning?.value ?? 0),
  };
}

/** Changes that make the usage of a response that of all rounds: the input of the last one, the output of all of them. */
export function usageSplices(before: RoundUsage, text: JsonBytes, span: Span): readonly Splice[] {
  const { input, output, reasoning, total } = toldIn(text, span);
  const sum = before.outputTokens + (output?.value ?? 0);
  return [
    ...numbered(output, sum),
    ...numbered(reasoning, before.reasoningTokens + (reasoning?.value ?? 0)),
    ...numbered(total, (input?.value ?? 0) + sum),
  ];
}

function numbered(told: ToldCount | null, value: number): readonly Splice[] {
  return told === null || told.value === value ? [] : [{ ...told.span, bytes: Buffer.from(String(value)) }];
}

function toldIn(text: JsonBytes, response: Span): ToldUsage {
  const usage = membersIn(text, objectAt(text, membersIn(text, response).get("usage")));
  const details = membersIn(text, objectAt(text, usage.get("output_tokens_details")));
  return {
    input: countAt(text, usage.get("input_tokens")),
    output: countAt(text, usage.get("output_tokens")),
    reasoning: countAt(text, details.get("reasoning_tokens")),
    total: countAt(text, usage.get("total_tokens")),
  };
}

function membersIn(text: JsonBytes, span: Span | null): ReadonlyMap<string, Span> {
  return span === null ? new Map() : membersOf(text, span.start).spans;
}
