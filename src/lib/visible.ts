/**
 * Text that steers no terminal: controls, and what turns the direction of text, stand as JSON escapes, so that JSON stays what
 * it was. Line ends and tabs stay.
 */
export function visible(text: string): string {
  return text.replace(/\r(?!\n)|[^\P{Cc}\r\n\t]|\p{Bidi_Control}/gu, escapeOf);
}

/** Someone's words in one line, which steer no terminal. */
export function oneLine(text: string): string {
  return visible(text.replace(/\s+/g, " "));
}

function escapeOf(character: string): string {
  return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`;
}
