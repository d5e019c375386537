/** Lines of a file that a program prints by their numbers, or lines that only its output could tell. */
export type PrintedShape =
  | {
      readonly kind: "lines";
      readonly start: number;
      readonly end: number | null;
      /** Each line stands behind its number. */
      readonly isNumbered: boolean;
    }
  | { readonly kind: "some" };

/** A program's file operand, null where it reads its input, and the lines it prints of it. */
export interface Printer {
  readonly path: string | null;
  readonly shape: PrintedShape;
}

type Words = readonly (string | null)[];

const SOME: PrintedShape = { kind: "some" };
const RANGE = /^(\d+)(?:,(\d+|\$|\+\d+))?p$/;
const ADDRESS = String.raw`(?:[1-9]\d*|\$|\/(?:[^/\\]|\\.)*\/)`;
const RANGES = new RegExp(`^\\s*${ADDRESS}(?:,${ADDRESS})?p(?:\\s*;\\s*${ADDRESS}(?:,${ADDRESS})?p)*\\s*;?\\s*$`);
const HEAD_DEFAULT = 10;

/** The program and its arguments as a printer of one file's lines; null where it prints anything else, or may. */
export function printerOf([name, ...args]: Words): Printer | null {
  const words = args.filter((word) => word !== null);
  if (name === undefined || name === null || words.length < args.length) return null;
  switch (name.slice(name.lastIndexOf("/") + 1)) {
    case "cat":
      return ofOperands(words, (flags) => catShape(flags));
    case "nl":
      return ofOperands(joinedBody(words), (flags) => nlShape(flags));
    case "head":
      return headOf(words);
    case "tail":
      return tailOf(words);
    case "sed":
      return sedOf(words);
    case "rg":
      return searchOf(words, "rg");
    case "grep":
    case "egrep":
    case "fgrep":
      return searchOf(words, "grep");
    default:
      return null;
  }
}

function allLines(isNumbered: boolean): PrintedShape {
  return { kind: "lines", start: 1, end: null, isNumbered };
}

function catShape(flags: readonly string[]): PrintedShape | null {
  if (flags.length === 0) return allLines(false);
  return flags.every((flag) => flag === "-n" || flag === "--number") ? allLines(true) : null;
}

function joinedBody(words: readonly string[]): readonly string[] {
  const at = words.indexOf("-b");
  return at === -1 || words[at + 1] !== "a" ? words : [...words.slice(0, at), "-ba", ...words.slice(at + 2)];
}

/** Without `-ba` empty lines have no number. */
function nlShape(flags: readonly string[]): PrintedShape | null {
  return flags.every((flag) => flag === "-ba" || flag === "--body-numbering=a") ? allLines(flags.length > 0) : null;
}

function ofOperands(
  words: readonly string[],
  shapeOf: (flags: readonly string[]) => PrintedShape | null,
): Printer | null {
  const { flags, operands } = apart(words);
  const shape = shapeOf(flags);
  return shape === null || operands.length > 1 ? null : { path: operands[0] ?? null, shape };
}

function apart(words: readonly string[]): { readonly flags: readonly string[]; readonly operands: readonly string[] } {
  const end = words.indexOf("--");
  const front = end === -1 ? words : words.slice(0, end);
  const rest = end === -1 ? [] : words.slice(end + 1);
  const flags = front.filter((word) => /^-./.test(word));
  return { flags, operands: [...front.filter((word) => !/^-./.test(word)), ...rest] };
}

/** `-n 5`, `-n5`, `-5`, `--lines=5`; the sign stays. Null: another option, or none that is understood. */
function countOf(words: readonly string[]): { readonly count: string | null; readonly rest: readonly string[] } | null {
  const [first, second, ...rest] = words;
  if (first === undefined || !/^-./.test(first)) return { count: null, rest: words };
  if (first === "-n" || first === "--lines") return second === undefined ? null : { count: second, rest };
  const [, attached] = /^(?:-n|--lines=|-)([+-]?\d+)$/.exec(first) ?? [];
  return attached === undefined ? null : { count: attached, rest: words.slice(1) };
}

function headOf(words: readonly string[]): Printer | null {
  const stated = countOf(words);
  if (stated === null) return null;
  const count = stated.count ?? `${HEAD_DEFAULT}`;
  if (!/^\d+$/.test(count) || Number(count) === 0) return null;
  const shape: PrintedShape = { kind: "lines", start: 1, end: Number(count), isNumbered: false };
  return ofOperands(stated.rest, (flags) => (flags.length === 0 ? shape : null));
}

/** Where the last lines begin is not known. */
function tailOf(words: readonly string[]): Printer | null {
  const stated = countOf(words);
  if (stated === null) return null;
  const [, from] = /^\+(\d+)$/.exec(stated.count ?? "") ?? [];
  if (from === undefined && !/^-?\d*$/.test(stated.count ?? "")) return null;
  const start = from === undefined ? null : Math.max(1, Number(from));
  const shape: PrintedShape = start === null ? SOME : { kind: "lines", start, end: null, isNumbered: false };
  return ofOperands(stated.rest, (flags) => (flags.length === 0 ? shape : null));
}

/** `sed -n` with a script that only prints. */
function sedOf(words: readonly string[]): Printer | null {
  const { flags, operands } = apart(words.filter((word) => word !== "-e" && word !== "--expression"));
  const isQuiet = flags.some((flag) => /^-(?:n|nE|nr|En|rn)$/.test(flag) || flag === "--quiet" || flag === "--silent");
  const isKnown = flags.every((flag) => /^-[nEr]{1,2}$|^--(?:quiet|silent|regexp-extended)$/.test(flag));
  const isOneScript = words.filter((word) => word === "-e" || word === "--expression").length < 2;
  const [script, path, ...more] = operands;
  if (!isQuiet || !isKnown || !isOneScript || script === undefined || more.length > 0) return null;
  const shape = scriptShape(script);
  return shape === null ? null : { path: path ?? null, shape };
}

function scriptShape(script: string): PrintedShape | null {
  const [, first, last] = RANGE.exec(script.trim()) ?? [];
  const start = Number(first);
  if (first !== undefined && start > 0) return { kind: "lines", start, end: endOf(start, last), isNumbered: false };
  return RANGES.test(script) ? SOME : null;
}

function endOf(start: number, last: string | undefined): number | null {
  if (last === undefined) return start;
  if (last === "$") return null;
  return last.startsWith("+") ? start + Number(last.slice(1)) : Math.max(start, Number(last));
}

const SEARCH_FLAGS = /^-[niSFEwsPxvABC\d]+$|^--(?:line-number|ignore-case|smart-case|fixed-strings|no-heading)$/;
const SEARCH_VALUED = /^-[niSFEwsPxv]*[ABCm]$|^--(?:context|after-context|before-context|max-count)$/;
const SEARCH_ATTACHED = /^--(?:context|after-context|before-context|max-count)=\d+$|^--colou?r=never$/;

/** Lines of one file that match, with those around them; where they stand only the output tells. */
function searchOf(words: readonly string[], program: "rg" | "grep"): Printer | null {
  const operands: string[] = [];
  let pattern: string | null = null;
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? "";
    if (word === "-e" || word === "--regexp") pattern = words[++index] ?? null;
    else if (SEARCH_VALUED.test(word)) index++;
    else if (SEARCH_FLAGS.test(word) || SEARCH_ATTACHED.test(word)) continue;
    else if (/^-./.test(word)) return null;
    else operands.push(word);
  }
  const paths = pattern === null ? operands.slice(1) : operands;
  if (pattern === null && operands.length === 0) return null;
  // Without a file `rg` searches the folder where it stands.
  const isEnough = paths.length === 1 || (paths.length === 0 && program === "grep");
  return isEnough ? { path: paths[0] ?? null, shape: SOME } : null;
}

/** What is left of printed lines behind a second program that reads them; null where it prints anything else. */
export function narrowed(before: PrintedShape, words: Words): PrintedShape | null {
  const filter = printerOf(words);
  if (filter === null || filter.path !== null) return null;
  const { shape } = filter;
  if (before.kind === "some" || shape.kind === "some") return SOME;
  if (shape.isNumbered) return null;
  const start = before.start + shape.start - 1;
  const ends = [before.end, shape.end === null ? null : before.start + shape.end - 1].filter((end) => end !== null);
  return { ...before, start, end: ends.length === 0 ? null : Math.min(...ends) };
}
