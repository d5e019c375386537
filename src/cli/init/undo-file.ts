import { type ClientFile, digestOf, refusal } from "./client-file.ts";
import { bytesOfText, textOfBytes } from "./file-text.ts";
import { jsonSyntax } from "./json-syntax.ts";
import { isSame, valueAt } from "./plain-value.ts";
import type { FileRecord } from "./record.ts";
import type { Placed, Syntax } from "./syntax.ts";
import { isTakenOut } from "./taken-out.ts";
import { tomlSyntax } from "./toml-syntax.ts";

/** A file without what was put into it. */
export interface Undone {
  /** Null: there is no file then. */
  readonly bytes: Buffer | null;
  /** What was changed since, and stays. */
  readonly left: readonly Placed[];
  /** One line for each of them, with file and line. */
  readonly words: readonly string[];
}

/** What the undoing goes by. */
export interface UndoParts {
  readonly record: FileRecord;
  /** The bytes as they were; null where there was no file, or where they are lost. */
  readonly backup: Buffer | null;
  /** Takes out also what was changed since. */
  readonly isForced: boolean;
}

/** The syntax of that name. */
export function syntaxNamed(name: Syntax["name"]): Syntax {
  return name === "json" ? jsonSyntax : tomlSyntax;
}

/**
 * The file as it was where it is still as it was left; else the file without what was put in, and nothing else of it
 * changed. Throws `input_invalid` where it cannot be read any more.
 */
export function undoneFile(file: ClientFile, parts: UndoParts): Undone {
  const { record, backup } = parts;
  const digest = digestOf(file);
  const untouched = { left: [], words: [] };
  if (file.found === null || digest === record.digestBefore) return { bytes: file.found?.bytes ?? null, ...untouched };
  const isExact = record.isWhole && digest === record.digestAfter;
  if (isExact && record.digestBefore === null) return { bytes: null, ...untouched };
  if (isExact && backup !== null) return { bytes: backup, ...untouched };
  return takenOut(file, file.found.bytes, parts);
}

function takenOut(file: ClientFile, bytes: Buffer, { record, backup, isForced }: UndoParts): Undone {
  const syntax = syntaxNamed(record.syntax);
  const read = textOfBytes(bytes);
  if (read === null) throw refusal(file.path, "expected UTF-8");
  const fault = syntax.faultOf(read.text);
  if (fault !== null) throw refusal(`${file.path}:${fault.line}`, fault.words);
  let { text } = read;
  const left: Placed[] = [];
  const words: string[] = [];
  for (const placed of record.placed.toReversed()) {
    const outcome = takeOne(text, syntax, placed, isForced);
    if (outcome.text === null) {
      left.unshift(placed);
      words.unshift(`${file.path}:${syntax.lineOf(text, placed.path)}: ${outcome.words}`);
    } else text = outcome.text;
  }
  if (left.length === 0 && text !== read.text && syntax.isEmpty(text)) {
    if (record.digestBefore === null) return { bytes: null, left, words };
    if (backup !== null && isBlank(backup)) return { bytes: backup, left, words };
  }
  return { bytes: bytesOfText({ mark: read.mark, text }), left, words };
}

type Outcome = { readonly text: string } | { readonly text: null; readonly words: string };

function takeOne(text: string, syntax: Syntax, placed: Placed, isForced: boolean): Outcome {
  const { path, value } = placed;
  const name = path.join(".");
  const found = valueAt(syntax.valueOf(text), path);
  const isOurs = found === undefined || (isSame(found, value) && !syntax.hasComments(text, path));
  if (!isOurs && !isForced) return { text: null, words: `${name} was changed since \`ebb init\`; it stays` };
  const edited = syntax.take(text, placed);
  if (!edited.ok) return { text: null, words: edited.fault.words };
  const isProven =
    syntax.faultOf(edited.text) === null && isTakenOut(syntax.valueOf(text), syntax.valueOf(edited.text), placed);
  return isProven
    ? { text: edited.text }
    : { text: null, words: `${name}: cannot be taken out by itself; take it out by hand` };
}

function isBlank(bytes: Buffer): boolean {
  return textOfBytes(bytes)?.text.trim() === "";
}
