import type { Dice } from "./dice.ts";

/** JSON before it is written: objects as members in order, so that names may come twice, and texts taken over as they are. */
export type JsonNode = null | boolean | number | string | readonly JsonNode[] | Members | Verbatim;

export interface Members {
  readonly members: readonly (readonly [string, JsonNode])[];
}

/** JSON text that is written as it stands: numbers and escapes no serializer would produce. */
export interface Verbatim {
  readonly verbatim: string;
}

/** How freely a body is written; 0 writes what `JSON.stringify` would. */
export interface Hand {
  readonly spaces: number;
  readonly escapes: number;
}

export function object(members: Readonly<Record<string, JsonNode | undefined>>): Members {
  return { members: Object.entries(members).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])) };
}

/** Writes JSON with white space and escapes by chance. The value is the same for every hand. */
export function writeJson(node: JsonNode, hand: Hand, dice: Dice): string {
  const space = () => (hand.spaces > 0 && dice.below(100) < hand.spaces ? dice.pick(SPACES) : "");
  const write = (value: JsonNode): string => {
    if (value === null || typeof value === "boolean" || typeof value === "number") return String(value);
    if (typeof value === "string") return writeString(value, hand, dice);
    if ("verbatim" in value) return value.verbatim;
    if ("members" in value) {
      const members = value.members.map(
        ([name, member]) => `${writeString(name, hand, dice)}${space()}:${space()}${write(member)}`,
      );
      return joined("{", members, "}");
    }
    return joined("[", value.map(write), "]");
  };
  const joined = (open: string, parts: readonly string[], close: string): string =>
    `${open}${space()}${parts.map((part) => part + space()).join(`,${space()}`)}${close}`;
  return `${space()}${write(node)}${space()}`;
}

const SPACES = [" ", "\n", "\t", "\r\n", "  \n   "] as const;
const SHORT: ReadonlyMap<string, string> = new Map([
  ['"', '\\"'],
  ["\\", "\\\\"],
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
  ["\b", "\\b"],
  ["\f", "\\f"],
]);

function writeString(text: string, { escapes }: Hand, dice: Dice): string {
  if (escapes === 0 && !/[\ud800-\udfff]/.test(text)) return JSON.stringify(text);
  let written = '"';
  for (const char of text) {
    const isFree = escapes > 0 && dice.below(1000) < escapes;
    if (isFree && char === "/") written += "\\/";
    else if (isFree || isLoneSurrogate(char)) written += unitsOf(char, dice);
    else written += SHORT.get(char) ?? (char < " " ? unitsOf(char, dice) : char);
  }
  return `${written}"`;
}

function isLoneSurrogate(char: string): boolean {
  return char.length === 1 && char >= "\ud800" && char <= "\udfff";
}

function unitsOf(char: string, dice: Dice): string {
  let escaped = "";
  for (let at = 0; at < char.length; at++) {
    const digits = char.charCodeAt(at).toString(16).padStart(4, "0");
    escaped += `\\u${dice.oneIn(2) ? digits : digits.toUpperCase()}`;
  }
  return escaped;
}
