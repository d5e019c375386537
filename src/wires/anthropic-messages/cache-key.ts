import { canonicalJson } from "../../lib/canonical-json.ts";
import { sha256Hex } from "../../lib/hash.ts";
import type { JsonBytes, Span } from "../../lib/json-scan.ts";
import { membersOf } from "../../lib/json-spans.ts";
import { CACHE_CONTROL } from "./cache-control.ts";
import { kindOf, stringAt } from "./value.ts";

/** What the provider takes where a request states no effort. */
const EFFORT_DEFAULT = "high";

/**
 * What a request states beside its messages that the provider keeps cached messages apart by. Two that differ have no cached
 * message in common; of what only may keep them apart, nothing counts.
 */
export function cacheKeyOf(text: JsonBytes, top: ReadonlyMap<string, Span>, digests: readonly string[]): string {
  const parts = [
    thinkingBudget(text, membersAt(text, top.get("thinking"))),
    toolChoice(text, membersAt(text, top.get("tool_choice"))),
    effortOf(text, membersAt(text, top.get("output_config"))),
  ];
  return sha256Hex(JSON.stringify([...digests, ...parts]));
}

type Members = ReadonlyMap<string, Span>;

function membersAt(text: JsonBytes, span: Span | undefined): Members {
  if (span === undefined || kindOf(text, span) !== "object") return new Map();
  return membersOf(text, span.start).spans;
}

/** Off, left out and adaptive are the same on some model each: what a model does unasked is not known. */
function thinkingBudget(text: JsonBytes, thinking: Members): string | null {
  if (stringAt(text, thinking.get("type")) !== "enabled") return null;
  const budget = thinking.get("budget_tokens");
  return budget === undefined ? "enabled" : canonicalJson(text, budget.start, CACHE_CONTROL);
}

/** Left out is the same as automatic. */
function toolChoice(text: JsonBytes, choice: Members): readonly (string | null)[] | null {
  const type = stringAt(text, choice.get("type"));
  return type === null || type === "auto" ? null : [type, stringAt(text, choice.get("name"))];
}

function effortOf(text: JsonBytes, config: Members): string | null {
  const effort = stringAt(text, config.get("effort"));
  return effort === EFFORT_DEFAULT ? null : effort;
}
