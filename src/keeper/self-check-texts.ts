import type { Splice } from "./self-check-splices.ts";

/**
 * Texts put in, in order: a string in the place of a result's text, a text block in the place of media, or one around the value
 * of the client's breakpoint. Null where something else was put in.
 */
export function insertedTexts(splices: readonly Splice[]): readonly string[] | null {
  const texts: string[] = [];
  let isOpen = false;
  for (const { inserted } of splices) {
    if (inserted.length === 0) continue;
    const json = Buffer.from(inserted.buffer, inserted.byteOffset, inserted.length).toString();
    if (isOpen !== (json === "}")) return null;
    if (isOpen) {
      isOpen = false;
      continue;
    }
    isOpen = json.endsWith(BREAKPOINT);
    const text = textIn(isOpen ? `${json.slice(0, -BREAKPOINT.length)}}` : json);
    if (text === null) return null;
    texts.push(text);
  }
  return isOpen ? null : texts;
}

const BREAKPOINT = ',"cache_control":';

function textIn(json: string): string | null {
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value === "string") return value;
    return isTextBlock(value) ? value.text : null;
  } catch {
    return null;
  }
}

function isTextBlock(value: unknown): value is { readonly type: "text"; readonly text: string } {
  if (typeof value !== "object" || value === null || Object.keys(value).join() !== "type,text") return false;
  return "type" in value && value.type === "text" && "text" in value && typeof value.text === "string";
}
