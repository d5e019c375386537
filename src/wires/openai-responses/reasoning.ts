import { sha256Hex } from "../../lib/hash.ts";
import type { Span } from "../../lib/json-scan.ts";
import { addSeed } from "../shared/draft.ts";
import { measureText, readOrigin } from "../shared/origin.ts";
import type { Origin } from "../shared/seed.ts";
import { kindOf } from "../shared/value.ts";
import type { Draft } from "./draft.ts";
import type { Outline } from "./outline.ts";
import { stableSha } from "./stable.ts";

/**
 * Adds what the model thought. Its original is what can be read of it, else what is encrypted. What is encrypted tells it from any
 * other; clients split, merge and drop the rest.
 */
export function addReasoning(outline: Outline, draft: Draft): boolean {
  const { text, members, type } = outline;
  if (type !== "reasoning") return false;
  const sealed = stringIn(outline, members.get("encrypted_content"));
  const readable = [...textsIn(outline, "summary"), ...textsIn(outline, "content")];
  const spans = readable.length > 0 || sealed === null ? readable : [sealed];
  const origin: Origin = spans.length > 0 ? { kind: "strings", spans } : { kind: "raw", span: outline.span };
  const original = readOrigin(text, origin);
  const item = { kind: "thinking", blockIndex: 0, ...measureText(original) } as const;
  const keyStem = `thinking:${sealed === null ? stableSha(text, outline) : shaOf(outline, sealed)}`;
  addSeed(draft, text, { item, keyStem, isNamed: false, origin, slot: null }, original);
  return true;
}

function shaOf({ text }: Outline, span: Span): string {
  return sha256Hex(readOrigin(text, { kind: "strings", spans: [span] }).bytes);
}

/** Null for anything but a text with something in it. */
function stringIn({ text }: Outline, span: Span | undefined): Span | null {
  const isText = span !== undefined && kindOf(text, span) === "string" && span.end - span.start > 2;
  return isText ? span : null;
}

function textsIn(outline: Outline, list: string): readonly Span[] {
  return (outline.lists.get(list) ?? []).flatMap(({ members }) => stringIn(outline, members.get("text")) ?? []);
}
