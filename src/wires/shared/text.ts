import type { JsonBytes, Span } from "../../lib/json-scan.ts";
import { addSeed, type SeedDraft } from "./draft.ts";
import { measureText, readOrigin } from "./origin.ts";
import type { Origin } from "./seed.ts";

/** Adds a text item; none for an empty text. `span` is a string. */
export function addText(text: JsonBytes, span: Span, blockIndex: number, draft: SeedDraft): void {
  const origin: Origin = { kind: "strings", spans: [span] };
  const original = readOrigin(text, origin);
  if (original.bytes.length === 0) return;
  const size = measureText(original);
  const item = { kind: "text", blockIndex, ...size } as const;
  addSeed(draft, text, { item, keyStem: `text:${size.digest}`, isNamed: false, origin, slot: null }, original);
}
