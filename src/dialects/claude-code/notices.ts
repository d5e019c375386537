import type { FileChange } from "../../model/acquisition.ts";

/** The client tells of files that changed outside its own tools; each note begins a text or a paragraph of its own. */
const CHANGED_NOTE =
  /(?:^|\n\n|<system-reminder>\n?)Note: ([^\n]{1,4096}?) (?:was modified, either by the user or by a linter|changed on disk since you last read it)\b/g;

/** Appended to a shell command's output as a line of its own. */
const COMMAND_NOTE = /^\[This command modified (\d+) files? you've previously read: (.+)\. Call [^\]\n]{1,80}\]$/;
const DIRECTORY_NOTE = "Shell cwd was reset to ";

/** Changes told of in a reminder or a system message. */
export function noticesIn(text: string): readonly FileChange[] {
  if (!text.includes("Note: ")) return [];
  return Array.from(text.matchAll(CHANGED_NOTE), ([, path = ""]) => toNotice(path));
}

/** Changes told of at the end of a shell command's result. A list whose names cannot be told apart counts for nothing. */
export function commandNoticesIn(text: string): readonly FileChange[] {
  const [, count, list] = COMMAND_NOTE.exec(lastLineOf(text)) ?? [];
  if (count === undefined || list === undefined) return [];
  const rest = / and (\d+) more$/.exec(list);
  const names = (rest === null ? list : list.slice(0, rest.index)).split(", ");
  const unnamed = rest === null ? 0 : Number(rest[1]);
  return names.length + unnamed === Number(count) ? names.map(toNotice) : [];
}

function toNotice(path: string): FileChange {
  return { kind: "edit", path, source: "notice" };
}

/** The last line that is not the client's own remark on its directory. */
function lastLineOf(text: string): string {
  let rest = text.trimEnd();
  let line = rest.slice(rest.lastIndexOf("\n") + 1);
  if (line.startsWith(DIRECTORY_NOTE)) {
    rest = rest.slice(0, rest.length - line.length).trimEnd();
    line = rest.slice(rest.lastIndexOf("\n") + 1);
  }
  return line;
}
