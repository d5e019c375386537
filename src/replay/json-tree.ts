/** A JSON value with the text it was read from. Only what the law checker needs. */
export interface TreeNode {
  readonly kind: "object" | "array" | "string" | "other";
  readonly start: number;
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

/** Reads a JSON text with places; null where it is not JSON. */
export function parseTree(text: string): TreeNode | null {
  try {
    JSON.parse(text);
  } catch {
    return null;
  }
  return nodeAt(text, skipSpace(text, 0), 0);
}

/** The text is known to be JSON here, so ends are found without checking. */
function nodeAt(text: string, start: number, depth: number): TreeNode {
  const first = text[start];
  if (first === '"') {
    const raw = text.slice(start, stringEnd(text, start));
    return { kind: "string", start, raw, text: JSON.parse(raw), members: NO_MEMBERS, elements: [] };
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
    const name: string = JSON.parse(text.slice(at, nameEnd));
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
