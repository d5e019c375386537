import type { Outcome } from "../../model/acquisition.ts";
import type { JsonValue } from "../../model/json.ts";
import { isListValue, jsonIn, memberOf } from "../tools/values.ts";

/** What one part of a call came to; `text` is "" where the result is not text. */
export interface PartResult {
  readonly isSuccess: boolean;
  readonly text: string;
}

/**
 * Results of the parts of a call, in their order: Cline answers with JSON of `{ query, result, success }`, one or a list of
 * them. None where the text is no such JSON. Source: cline/cline, sdk/packages/core/src/extensions/tools/definitions.ts.
 */
export function partResultsIn(text: string): readonly PartResult[] {
  const value = jsonIn(text);
  const parts = isListValue(value) ? value : value === undefined ? [] : [value];
  return parts.map(partOf).filter((part) => part !== null);
}

/** `ok` where a part went well; an answer of another form proves nothing. */
export function outcomeOfParts(parts: readonly PartResult[]): Outcome {
  return parts.some(({ isSuccess }) => isSuccess) ? "ok" : "failed";
}

function partOf(value: JsonValue): PartResult | null {
  const isSuccess = memberOf(value, "success");
  const result = memberOf(value, "result");
  return typeof isSuccess === "boolean" ? { isSuccess, text: typeof result === "string" ? result : "" } : null;
}
