import type { LineRange, Window } from "../model/acquisition.ts";
import type { ShellCommand, ShellParser } from "../model/ports.ts";
import { noLines } from "./line-window.ts";
import { numberedRange } from "./numbered-lines.ts";
import { placed } from "./shell-changes.ts";
import { hasComplaint } from "./shell-output.ts";
import { piecesOf, type ShellPiece } from "./shell-pieces.ts";
import { narrowed, type PrintedShape, printerOf } from "./shell-printers.ts";

/** What a shell read printed of which file; `path` is joined to a leading `cd`. */
export interface ShellRead {
  readonly path: string;
  readonly window: Window;
  readonly printed: LineRange | null;
}

const SHELLS = new Set(["bash", "sh", "zsh", "dash"]);
/** A longer text is a script. */
const TEXT_CHARS_MAX = 4_096;
const NO_FILE = /^-$|^\/(?:dev|proc|sys)\/|\/$|^$/;

/**
 * The lines of one named file that a command printed and nothing else, given its whole output; null for every other command,
 * and where the output cannot be that. Lines that only the output could tell have a part of their own, named by the call.
 */
export function shellReadOf(text: string, output: string, callId: string, shell: ShellParser | null): ShellRead | null {
  const isShort = text.length <= TEXT_CHARS_MAX;
  const printed = shell === null || !isShort ? null : printedFile(innerText(text.trim(), shell), shell);
  if (printed === null) return null;
  const { named, path, shape, isPiped } = printed;
  // A pipe ends as its last program does, whatever became of the first; a shell may complain before it runs anything.
  if ((isPiped && output === "") || hasComplaint(isPiped ? output : firstLineOf(output))) return null;
  if (shape.kind === "some") {
    // Names of other files begin with that of the folder they were found in.
    const isFolder = output.startsWith(`${named}/`) || output.includes(`\n${named}/`);
    return isFolder ? null : { path, window: { start: 1, end: null, part: `output of ${callId}` }, printed: null };
  }
  const { start, end } = shape;
  const window = { start, end, part: null };
  const count = lineCount(output);
  if (end !== null && count > Math.max(0, end - start + 1)) return null;
  const range = count === 0 ? noLines(window) : { start, end: start + count - 1 };
  return shape.isNumbered && !isNumberedAs(output, range) ? null : { path, window, printed: range };
}

/** The text behind `bash -lc`, once. */
function innerText(text: string, shell: ShellParser): string {
  const [first] = piecesOf(text)?.length === 1 ? (shell.parse(text) ?? []) : [];
  const [name, option, inner, ...more] = first?.words ?? [];
  const isShell = typeof name === "string" && SHELLS.has(name.slice(name.lastIndexOf("/") + 1));
  const isCommand = typeof option === "string" && /^-[il]*c$/.test(option);
  return isShell && isCommand && typeof inner === "string" && more.length === 0 ? inner.trim() : text;
}

interface PrintedFile {
  /** As the command names it. */
  readonly named: string;
  readonly path: string;
  readonly shape: PrintedShape;
  /** A second program stands behind the one that read the file. */
  readonly isPiped: boolean;
}

function printedFile(text: string, shell: ShellParser): PrintedFile | null {
  const pieces = piecesOf(text);
  const commands = pieces === null ? null : shell.parse(text);
  if (pieces === null || commands === null || commands.length !== pieces.length) return null;
  if (!pieces.every((piece, index) => isPlain(piece, commands[index]))) return null;
  const isMoved = pieces[1]?.operator === "&&";
  const [first, second, ...more] = isMoved ? commands.slice(1) : commands;
  const isJoined = pieces.slice(isMoved ? 2 : 1).every(({ operator }) => operator === "|");
  if (first === undefined || more.length > 0 || !isJoined) return null;
  if (isMoved && (commands[0]?.words[0] !== "cd" || first.directory === null)) return null;
  const printer = printerOf(first.words);
  if (printer === null || printer.path === null || NO_FILE.test(printer.path)) return null;
  const shape = second === undefined ? printer.shape : narrowed(printer.shape, second.words);
  if (shape === null) return null;
  const path = placed(printer.path, first.directory);
  return { named: printer.path, path, shape, isPiped: second !== undefined };
}

/** True for a piece that begins with its program: neither `time` nor an assignment stands in front. */
function isPlain({ text }: ShellPiece, command: ShellCommand | undefined): boolean {
  const name = command?.words[0];
  return typeof name === "string" && text.startsWith(name);
}

function firstLineOf(text: string): string {
  const end = text.indexOf("\n");
  return end === -1 ? text : text.slice(0, end);
}

function lineCount(text: string): number {
  if (text === "") return 0;
  let count = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count++;
  return text.endsWith("\n") ? count : count + 1;
}

function isNumberedAs(output: string, { start, end }: LineRange): boolean {
  if (end < start) return true;
  const numbered = numberedRange(output, 0);
  return numbered !== null && numbered.start === start && numbered.end === end;
}
