import type { KeptRange } from "../model/wish.ts";
import { numberLines, spanOf } from "./selection-lines.ts";

/** The lines a keep leaves in view, as recall counts them; empty where they select nothing. */
export function keptText(text: string, { from, to }: KeptRange, lineStart: number | null): string {
  const span = spanOf(numberLines(text, lineStart), { from, to, chars: null });
  return span === null ? "" : text.slice(span.start, span.end);
}
