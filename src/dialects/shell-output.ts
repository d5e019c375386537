/** A client's own words about an output it cut, stopped or moved elsewhere, near its end or its beginning. */
const NOT_WHOLE =
  /\((?:Output was truncated|Command (?:timed out|was aborted))|<(?:bash|shell)_metadata>|\btruncated\b.{0,80}\b(?:output|bytes|lines|chars|tokens)\b|\b(?:output|bytes|lines|chars|tokens)\b.{0,80}\btruncated\b|\[[^\]\n]*(?:Showing lines|lines? omitted|omitted \d)/i;
const EDGE_CHARS = 600;

/** A shell's or a common program's complaint, on a line of its own. */
const COMPLAINT =
  /^(?:\/\S*\/)?(?:(?:ba|z|da|k)?sh|cat|sed|nl|head|tail|rg|[ef]?grep|tee|cp|mv|rm|patch|truncate|cd): /m;

/** A client's words where it left the middle of a text out. */
const CUT_INSIDE =
  /\u2026\s?\d+ (?:tokens|chars|characters|lines|bytes) truncated\s?\u2026|\n?\.{3} ?\[\d+ (?:tokens|chars|characters|lines|bytes) truncated\]/;

/** True where a client says that it left something of a text out. */
export function isCut(text: string): boolean {
  return NOT_WHOLE.test(edgesOf(text)) || CUT_INSIDE.test(text);
}

/** The text where it may be all a command printed and no complaint of its own; null where words in it speak against that. */
export function wholeOutput(text: string): string | null {
  return isCut(text) || hasComplaint(text) ? null : text;
}

/** True for an output in which a line begins as a program's complaint does. */
export function hasComplaint(text: string): boolean {
  return COMPLAINT.test(text);
}

function edgesOf(text: string): string {
  return text.length <= 2 * EDGE_CHARS ? text : `${text.slice(0, EDGE_CHARS)}\n${text.slice(-EDGE_CHARS)}`;
}
