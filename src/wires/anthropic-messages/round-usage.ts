import type { JsonBytes, Span } from "../../lib/json-scan.ts";
import { membersOf } from "../../lib/json-spans.ts";
import { countAt } from "./stream-event.ts";

/** What the rounds of a message cost, as far as it was told. */
export interface RoundUsage {
  /** JSON of this round's input fields, by name, as its message began. */
  readonly input: ReadonlyMap<string, string>;
  /** Of this round, as last told. */
  readonly outputTokens: number;
  /** Of the rounds before it. */
  readonly earlierTokens: number;
}

const OUTPUT = "output_tokens";
/** Tells nothing. */
const NULL = "null";

/** No round yet. */
export const NO_USAGE: RoundUsage = { input: new Map(), outputTokens: 0, earlierTokens: 0 };

/** The same rounds, and another one that begins. */
export function nextRound({ outputTokens, earlierTokens }: RoundUsage): RoundUsage {
  return { input: new Map(), outputTokens: 0, earlierTokens: earlierTokens + outputTokens };
}

/** As a round's message begins. `span` is an object. */
export function beginUsage(usage: RoundUsage, text: JsonBytes, span: Span): RoundUsage {
  const told = Array.from(toldIn(text, span)).filter(([, json]) => json !== NULL);
  const input = new Map(told.filter(([name]) => name === "input_tokens" || name.startsWith("cache_")));
  return { ...usage, input, outputTokens: outputIn(text, span) ?? usage.outputTokens };
}

/** As it goes on: a later count stands for the ones before. */
export function updateUsage(usage: RoundUsage, text: JsonBytes, span: Span): RoundUsage {
  return { ...usage, outputTokens: outputIn(text, span) ?? usage.outputTokens };
}

/** JSON of the usage told last: input of this round, output of all of them. Null as the span: nothing was told. */
export function usageJson(
  { input, outputTokens, earlierTokens }: RoundUsage,
  text: JsonBytes,
  span: Span | null,
): string {
  const members = new Map(span === null ? [] : toldIn(text, span));
  for (const [name, json] of input) if ((members.get(name) ?? NULL) === NULL) members.set(name, json);
  members.set(OUTPUT, String(earlierTokens + outputTokens));
  return `{${Array.from(members, ([name, json]) => `${JSON.stringify(name)}:${json}`).join(",")}}`;
}

/** JSON of what is told, by name. */
function toldIn(text: JsonBytes, span: Span): ReadonlyMap<string, string> {
  const members = Array.from(membersOf(text, span.start).spans);
  return new Map(members.map(([name, { start, end }]) => [name, text.bytes.toString("utf8", start, end)]));
}

function outputIn(text: JsonBytes, span: Span): number | null {
  const told = membersOf(text, span.start).spans.get(OUTPUT);
  return told === undefined ? null : countAt(text, told);
}
