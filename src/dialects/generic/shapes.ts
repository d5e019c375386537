import type { LineRange, Window } from "../../model/acquisition.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import { wholeText } from "../call-input.ts";
import { type ReplacementNames, replacementsIn } from "../tools/replacements.ts";
import { type RowForm, rowRange } from "../tools/rows.ts";
import { isListValue } from "../tools/values.ts";
import { partOf, partWindow, WHOLE_FILE } from "../tools/windows.ts";

/** Names under which tools take the path of a file. */
export const PATHS = [
  "path",
  "file_path",
  "filePath",
  "filepath",
  "absolute_path",
  "target_file",
  "filename",
  "file_name",
  "file",
];
/** Names under which they take a whole content. */
export const CONTENTS = ["content", "contents", "text", "file_text", "fileText"];
/** Arguments that say what a call is for and change nothing of what it does. */
const NOTES = ["description", "explanation", "reason", "instruction", "instructions", "encoding"];
const RANGES = [
  ["offset", "limit", "start", "end", "head", "tail", "lines", "range", "view_range", "line_range", "num_lines"],
  ["start_line", "end_line", "startLine", "endLine", "line_start", "line_end", "from_line", "to_line", "max_lines"],
].flat();
const ALL = ["replace_all", "replaceAll"];
const PAIRS: readonly ReplacementNames[] = [
  { from: "old_string", to: "new_string", all: "replace_all" },
  { from: "oldString", to: "newString", all: "replaceAll" },
  { from: "old_str", to: "new_str", all: "replace_all" },
  { from: "old_text", to: "new_text", all: "replace_all" },
  { from: "oldText", to: "newText", all: "replaceAll" },
];
const ROW_FORMS: readonly RowForm[] = ["\t", "\u2192", "|", ": ", " | ", ":"].map((separator) => ({
  prefix: "",
  separator,
}));

/** The one path of a call whose other arguments are all of the named ones; null for any other shape. */
export function onlyPath(input: JsonObject, others: readonly string[]): string | null {
  const names = Object.keys(input);
  const [name, ...more] = names.filter((one) => PATHS.includes(one));
  if (name === undefined || more.length > 0) return null;
  const path = input[name];
  const isKnown = names.every((one) => one === name || others.includes(one) || NOTES.includes(one));
  return typeof path === "string" && path !== "" && isKnown ? path : null;
}

/** The path of a call that is a read and can be nothing else. */
export function readPath(input: JsonObject): string | null {
  return onlyPath(input, RANGES);
}

/** The path of a call that replaces texts and can do nothing else. */
export function editPath(input: JsonObject): string | null {
  const pair = pairOf(input);
  return pair === null ? null : onlyPath(input, ["edits", pair.from, pair.to, ...ALL]);
}

/** The path of a call that writes a whole content and can do nothing else. */
export function writePath(input: JsonObject): string | null {
  const given = CONTENTS.filter((name) => Object.hasOwn(input, name));
  const [name, ...more] = given;
  return name === undefined || more.length > 0 || wholeText(input, name) === null ? null : onlyPath(input, [name]);
}

/** The replacements that a call states, by the names it uses. */
export function statedReplacements(input: JsonObject) {
  const pair = pairOf(input);
  const edits = input.edits;
  return pair === null ? null : replacementsIn(isListValue(edits) ? edits : [input], pair);
}

/** A range in units that nobody stated equals only itself. */
export function unstatedWindow(input: JsonValue): Window {
  const part = partOf(input, RANGES);
  return part === null ? WHOLE_FILE : partWindow(part);
}

/** Lines of a content that is numbered from the first one on, in any usual form; null for one that is not. */
export function anyRows(text: string): LineRange | null {
  for (const form of ROW_FORMS) {
    const range = rowRange(text, 0, form);
    if (range?.start === 1) return range;
  }
  return null;
}

/** The names of a pair that the input, or every one of its `edits`, has as texts. */
function pairOf(input: JsonObject): ReplacementNames | null {
  const edits = input.edits;
  if (edits !== undefined && (!isListValue(edits) || edits.length === 0)) return null;
  const values: readonly JsonValue[] = isListValue(edits) ? edits : [input];
  const fits = ({ from, to }: ReplacementNames) =>
    values.every((value) => wholeText(value, from) !== null && wholeText(value, to) !== null);
  return PAIRS.find(fits) ?? null;
}
