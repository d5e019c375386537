import type { JsonBytes } from "./json-scan.ts";
import { skipColon, skipSpace, skipString, skipValue } from "./json-scan.ts";
import { decodeString } from "./json-spans.ts";

/** A container that is still open. An object's members wait for their order, an array's text only grows. */
interface Frame {
  readonly members: Map<string, string> | null;
  key: string;
  text: string;
}

const QUOTE = 0x22;
const BACKSLASH = "\\";
const COMMA = 0x2c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

/**
 * The valid JSON value that begins at `start`, in one form: no white space, keys sorted by UTF-16 units, the last of
 * duplicate keys, members named `omitted` left out at every depth, strings as `JSON.stringify` writes them, numbers as
 * they stand. One pass, no recursion.
 */
export function canonicalJson(text: JsonBytes, start: number, omitted: string | null): string {
  const frames: Frame[] = [];
  let at = start;
  for (;;) {
    const first = text.bytes[at];
    if (first === OPEN_BRACE || first === OPEN_BRACKET) {
      frames.push({ members: first === OPEN_BRACE ? new Map() : null, key: "", text: "" });
      at = skipSpace(text, at + 1);
    } else {
      const end = skipValue(text, at);
      const written = scalarText(text, at, end);
      const top = frames.at(-1);
      if (top === undefined) return written;
      addChild(top, written, omitted);
      at = skipSpace(text, end);
    }
    at = closeFrames(text, at, frames, omitted);
    const top = frames[0];
    if (at < 0) return top?.text ?? "";
  }
}

/** Passes closings and a comma, and the next key in an object; -1 once the outermost container, left in `frames`, closed. */
function closeFrames(text: JsonBytes, start: number, frames: Frame[], omitted: string | null): number {
  let at = start;
  for (;;) {
    const top = frames.at(-1);
    if (top === undefined) return -1;
    const byte = text.bytes[at];
    if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      top.text = closedText(top);
      const parent = frames.at(-2);
      if (parent === undefined) return -1;
      frames.pop();
      addChild(parent, top.text, omitted);
      at = skipSpace(text, at + 1);
      continue;
    }
    if (byte === COMMA) at = skipSpace(text, at + 1);
    if (top.members === null) return at;
    const keyEnd = skipString(text, at);
    top.key = decodeString(text, { start: at, end: keyEnd });
    return skipColon(text, keyEnd);
  }
}

function addChild(parent: Frame, written: string, omitted: string | null): void {
  if (parent.members === null) parent.text += parent.text === "" ? written : `,${written}`;
  else if (parent.key !== omitted) parent.members.set(parent.key, written);
}

function closedText(frame: Frame): string {
  if (frame.members === null) return `[${frame.text}]`;
  let written = "";
  for (const key of [...frame.members.keys()].sort()) {
    written += `${written === "" ? "" : ","}${JSON.stringify(key)}:${frame.members.get(key) ?? ""}`;
  }
  return `{${written}}`;
}

function scalarText(text: JsonBytes, start: number, end: number): string {
  const raw = text.bytes.toString("utf8", start, end);
  return text.bytes[start] === QUOTE && raw.includes(BACKSLASH)
    ? JSON.stringify(decodeString(text, { start, end }))
    : raw;
}
