import type { Span } from "../../lib/json-scan.ts";
import type { Slot } from "./seed.ts";

/** One text of a result: its string, and where its part stands in the list. */
export interface TextPart {
  readonly string: Span;
  /** Cuts the part with one comma: the one before it, or the one behind it. */
  readonly withCommaBefore: Span;
  readonly withCommaBehind: Span;
  readonly index: number;
  readonly hasBreakpoint: boolean;
}

/** The part at `index` of a list, whose text is `string`. */
export function textPart(
  parts: readonly { readonly span: Span }[],
  index: number,
  { string, hasBreakpoint }: Pick<TextPart, "string" | "hasBreakpoint">,
): TextPart {
  const { start, end } = parts[index]?.span ?? string;
  const withCommaBefore = { start: parts[index - 1]?.span.end ?? start, end };
  const withCommaBehind = { start, end: parts[index + 1]?.span.start ?? end };
  return { string, withCommaBefore, withCommaBehind, index, hasBreakpoint };
}

/** A string that is a result's whole content. */
export function onlyText(string: Span): TextPart {
  return { string, withCommaBefore: string, withCommaBehind: string, index: 0, hasBreakpoint: false };
}

/**
 * The string that takes the new text, all other texts cut. The last part with a breakpoint is chosen where only text stands before
 * it, so that the breakpoint stays and the text keeps its place; any other breakpoint goes with its part. Null without a text.
 */
export function slotOfTexts(texts: readonly TextPart[]): Slot | null {
  const first = texts[0]?.index ?? 0;
  const kept = texts.findLast((part, count) => part.hasBreakpoint && part.index - first === count) ?? texts[0];
  if (kept === undefined) return null;
  const others = texts.filter((part) => part !== kept);
  return {
    kind: "text",
    text: kept.string,
    cuts: others.map((part) => (part.index < kept.index ? part.withCommaBehind : part.withCommaBefore)),
  };
}
