import { canonicalJson } from "../../lib/canonical-json.ts";
import { sha256Hex } from "../../lib/hash.ts";
import type { JsonBytes, Span } from "../../lib/json-scan.ts";
import { membersOf } from "../../lib/json-spans.ts";
import type { Digest } from "../../model/item.ts";
import type { RequestParts } from "../../model/transcript.ts";
import { kindOf, stringAt } from "../shared/value.ts";
import { CACHE_CONTROL } from "./cache-control.ts";

/** What the provider takes where a request states no effort. */
const EFFORT_DEFAULT = "high";

/**
 * What a request states beside its messages that the provider keeps cached messages apart by; of what only may keep them
 * apart, nothing counts.
 */
export function partsOf(text: JsonBytes, top: ReadonlyMap<string, Span>, tools: Digest, system: Digest): RequestParts {
  return {
    tools,
    system,
    thinking: thinkingBudget(text, membersAt(text, top.get("thinking"))),
    effort: effortOf(text, membersAt(text, top.get("output_config"))),
    toolChoice: toolChoice(text, membersAt(text, top.get("tool_choice"))),
  };
}

/** Two requests whose keys differ have no cached message in common. */
export function cacheKeyOf({ tools, system, thinking, effort, toolChoice }: RequestParts): Digest {
  return sha256Hex(JSON.stringify([tools, system, thinking, toolChoice, effort]));
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
function toolChoice(text: JsonBytes, choice: Members): string | null {
  const type = stringAt(text, choice.get("type"));
  return type === null || type === "auto" ? null : JSON.stringify([type, stringAt(text, choice.get("name"))]);
}

function effortOf(text: JsonBytes, config: Members): string | null {
  const effort = stringAt(text, config.get("effort"));
  return effort === EFFORT_DEFAULT ? null : effort;
}
