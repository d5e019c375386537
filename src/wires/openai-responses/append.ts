import { insertion, type Splice, spliceBody } from "../shared/splice.ts";
import { kindOf } from "../shared/value.ts";
import type { ResponsesSource } from "./source.ts";

/** The body with what the model said behind its last entry, and behind that the results. */
export function appendRound(
  body: Uint8Array,
  source: ResponsesSource,
  blocks: readonly string[],
  results: readonly string[],
): Uint8Array {
  return Buffer.concat(spliceBody(body, splicesOf(source, [...blocks, ...results].join(","))));
}

/** What a user says by itself becomes a list. */
function splicesOf({ text, fields, read }: ResponsesSource, json: string): readonly Splice[] {
  const { input } = fields;
  if (kindOf(text, input) === "string") {
    return [insertion(input.start, '[{"role":"user","content":'), insertion(input.end, `},${json}]`)];
  }
  const last = read.spans.at(-1);
  return [last === undefined ? insertion(input.start + 1, json) : insertion(last.end, `,${json}`)];
}
