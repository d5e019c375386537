import { canonicalJson } from "../../lib/canonical-json.ts";
import { sha256Hex } from "../../lib/hash.ts";
import { toJsonBytes } from "../../lib/json-scan.ts";
import { elementsOf, membersOf } from "../../lib/json-spans.ts";
import { stringBytes } from "../../lib/json-strings.ts";
import type { Digest } from "../../model/item.ts";
import { kindOf } from "../shared/value.ts";
import { CACHE_CONTROL } from "./breakpoints.ts";

/** A call, and what the model thought in front of it, where it is the first of its message. */
export interface ThoughtCall {
  /** JSON members with commas between, as they stand in the model's message; "" for none. */
  readonly thought: string;
  /** As it stands in `tool_calls`. */
  readonly call: string;
}

/** A call as one JSON value. Some servers refuse calls whose message lacks what was thought, so both are kept together. */
export function callJson({ thought, call }: ThoughtCall): string {
  return thought === "" ? call : `[{${thought}},${call}]`;
}

/** What `callJson` put together. */
export function thoughtCall(json: string): ThoughtCall {
  if (!json.startsWith("[")) return { thought: "", call: json };
  const text = toJsonBytes(Buffer.from(json));
  const [thought, call] = elementsOf(text, 0);
  if (thought === undefined || call === undefined) return { thought: "", call: json };
  return {
    thought: text.bytes.toString("utf8", thought.start + 1, thought.end - 1),
    call: text.bytes.toString("utf8", call.start, call.end),
  };
}

/** Digests of the thinking that calls bring with them, as items of it have them. */
export function thoughtsIn(calls: readonly string[]): ReadonlySet<Digest> {
  const digests = new Set<Digest>();
  for (const { thought } of calls.map(thoughtCall)) {
    if (thought === "") continue;
    const text = toJsonBytes(Buffer.from(`{${thought}}`));
    for (const span of membersOf(text, 0).spans.values()) {
      const isText = kindOf(text, span) === "string";
      digests.add(sha256Hex(isText ? stringBytes(text, span).bytes : canonicalJson(text, span.start, CACHE_CONTROL)));
    }
  }
  return digests;
}
