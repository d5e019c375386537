import type { KeptRange } from "../model/wish.ts";
import { type HeldLines, numberLines, spanOf } from "./selection-lines.ts";

/** The lines a keep leaves in view, as recall counts them; empty where they select nothing. */
export function keptText(text: string, { from, to }: KeptRange, held: HeldLines): string {
  const span = spanOf(numberLines(text, held), { from, to, chars: null });
  return span === null ? "" : text.slice(span.start, span.end);
}
