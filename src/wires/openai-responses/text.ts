import type { JsonBytes, Span } from "../../lib/json-scan.ts";
import { addSeed } from "../shared/draft.ts";
import { measureText, readOrigin } from "../shared/origin.ts";
import type { Origin } from "../shared/seed.ts";
import type { Draft } from "./draft.ts";

/** Types of parts that are a text. */
export const TEXT_TYPES: ReadonlySet<string> = new Set(["input_text", "output_text", "text"]);

/** Adds a text item; none for an empty text. `span` is a string. */
export function addText(text: JsonBytes, span: Span, blockIndex: number, draft: Draft): void {
  const origin: Origin = { kind: "strings", spans: [span] };
  const original = readOrigin(text, origin);
  if (original.bytes.length === 0) return;
  const size = measureText(original);
  const item = { kind: "text", blockIndex, ...size } as const;
  addSeed(draft, text, { item, keyStem: `text:${size.digest}`, isNamed: false, origin, slot: null }, original);
}
