/** A JSON value with the bytes it was read from. Only what the law checker needs. */
export interface TreeNode {
  readonly kind: "object" | "array" | "string" | "other";
  /** Index of its first byte in the body. */
  readonly start: number;
  /** Its bytes, one character each (latin1). */
  readonly raw: string;
  /** Decoded text of a string. */
  readonly text: string | null;
  /** Of an object; of equal names the last one counts. */
  readonly members: ReadonlyMap<string, TreeNode>;
  readonly elements: readonly TreeNode[];
}

/** Levels of nesting kept as a tree; deeper values are one opaque node. */
const DEPTH_MAX = 12;
const NO_MEMBERS: ReadonlyMap<string, TreeNode> = new Map();

/** Reads a JSON body with places in bytes; null where it is not JSON. Bytes that are not UTF-8 differ in `raw`, not in `text`. */
export function parseTree(body: Uint8Array): TreeNode | null {
  const text = toBinary(body);
  try {
    JSON.parse(text);
  } catch {
    return null;
  }
  return nodeAt(text, skipSpace(text, 0), 0);
}

/** Bytes as text of one character a byte: equal texts are equal bytes. */
export function toBinary(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
}

/** The text is known to be JSON here, so ends are found without checking. */
function nodeAt(text: string, start: number, depth: number): TreeNode {
  const first = text[start];
  if (first === '"') {
    const raw = text.slice(start, stringEnd(text, start));
    return { kind: "string", start, raw, text: decode(raw), members: NO_MEMBERS, elements: [] };
  }
  if (depth > DEPTH_MAX || (first !== "{" && first !== "[")) {
    const raw = text.slice(start, valueEnd(text, start));
    return { kind: "other", start, raw, text: null, members: NO_MEMBERS, elements: [] };
  }
  return first === "{" ? objectAt(text, start, depth) : arrayAt(text, start, depth);
}

function objectAt(text: string, start: number, depth: number): TreeNode {
  const members = new Map<string, TreeNode>();
  let at = skipSpace(text, start + 1);
  while (text[at] !== "}") {
    if (text[at] === ",") at = skipSpace(text, at + 1);
    const nameEnd = stringEnd(text, at);
    const name = decode(text.slice(at, nameEnd));
    const value = nodeAt(text, skipSpace(text, skipSpace(text, nameEnd) + 1), depth + 1);
    members.set(name, value);
    at = skipSpace(text, value.start + value.raw.length);
  }
  return { kind: "object", start, raw: text.slice(start, at + 1), text: null, members, elements: [] };
}

function arrayAt(text: string, start: number, depth: number): TreeNode {
  const elements: TreeNode[] = [];
  let at = skipSpace(text, start + 1);
  while (text[at] !== "]") {
    if (text[at] === ",") at = skipSpace(text, at + 1);
    const value = nodeAt(text, at, depth + 1);
    elements.push(value);
    at = skipSpace(text, value.start + value.raw.length);
  }
  return { kind: "array", start, raw: text.slice(start, at + 1), text: null, members: NO_MEMBERS, elements };
}

function decode(raw: string): string {
  const text: string = JSON.parse(Buffer.from(raw, "latin1").toString("utf8"));
  return text;
}

function valueEnd(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const sign = text[at];
    if (sign === '"') at = stringEnd(text, at) - 1;
    else if (sign === "{" || sign === "[") depth++;
    else if (sign === "}" || sign === "]") {
      if (depth === 0) return at;
      depth--;
      if (depth === 0) return at + 1;
    } else if (depth === 0 && (sign === "," || sign === " " || sign === "\n" || sign === "\r" || sign === "\t"))
      return at;
  }
  return text.length;
}

function stringEnd(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === '"') return at + 1;
  }
  return text.length;
}

function skipSpace(text: string, start: number): number {
  let at = start;
  while (text[at] === " " || text[at] === "\n" || text[at] === "\r" || text[at] === "\t") at++;
  return at;
}
