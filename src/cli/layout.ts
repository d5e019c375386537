import Table from "cli-table3";

/** How wide an answer may be, in columns of a terminal; null where nothing limits it. */
export type Width = number | null;

/** One column of a table. */
export interface Column {
  readonly title: string;
  readonly align: "left" | "right";
  /** Gives way first when the line is too narrow; the lower number goes earlier. Null: stays. */
  readonly leavesAs: number | null;
}

/** What a table shows, and how its first column is cut to what the line leaves. */
export interface FittedTable {
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly string[])[];
  readonly width: Width;
  cut(text: string, columnsMax: number): string;
  dim(text: string): string;
}

const GAP = 2;
/** The first column is not cut below this while another column can leave. */
const FIRST_CHARS_MIN = 26;
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;

/** A table without lines that fits the width: columns that may leave do so, and `cut` shortens the first one. */
export function fittedTable({ columns, rows, width, cut, dim }: FittedTable): string {
  const kept = keptColumns(columns, rows, width);
  const room = roomOfFirst(kept, columns, rows, width);
  const table = new Table({
    head: kept.map((index) => dim(columns[index]?.title ?? "")),
    colAligns: kept.map((index) => columns[index]?.align ?? "left"),
    chars: BORDERLESS,
    style: { head: [], border: [], "padding-left": 0, "padding-right": GAP },
  });
  table.push(...rows.map((row) => kept.map((index) => (index === 0 ? cut(row[0] ?? "", room) : (row[index] ?? "")))));
  const lines = table.toString().split("\n");
  return lines.map((line) => line.trimEnd()).join("\n");
}

/** Text broken at spaces so that no line is wider; a longer word stands alone. */
export function wrapped(text: string, width: Width): string {
  if (width === null) return text;
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last === undefined || columnsOf(last) + 1 + columnsOf(word) > width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines.join("\n");
}

/** Cuts the start: the end tells paths apart. */
export function cutStart(text: string, columnsMax: number): string {
  if (columnsOf(text) <= columnsMax) return text;
  let kept = "";
  let used = 1;
  for (const char of [...text].reverse()) {
    used += columnsOf(char);
    if (used > columnsMax) break;
    kept = char + kept;
  }
  return `…${kept}`;
}

/** Cuts the middle: the first word names the tool, the end tells paths apart. */
export function cutMiddle(text: string, columnsMax: number): string {
  const space = text.indexOf(" ");
  if (columnsOf(text) <= columnsMax || space === -1 || space > columnsMax / 2) return cutStart(text, columnsMax);
  return `${text.slice(0, space + 1)}${cutStart(text.slice(space + 1), columnsMax - space - 1)}`;
}

function columnsOf(text: string): number {
  let columns = 0;
  for (const char of text) columns += WIDE.test(char) ? 2 : 1;
  return columns;
}

function keptColumns(columns: readonly Column[], rows: readonly (readonly string[])[], width: Width): number[] {
  const kept = columns.map((_, index) => index);
  const leaving = kept
    .filter((index) => (columns[index]?.leavesAs ?? null) !== null)
    .sort((a, b) => (columns[a]?.leavesAs ?? 0) - (columns[b]?.leavesAs ?? 0));
  for (const index of leaving) {
    if (roomOfFirst(kept, columns, rows, width) >= FIRST_CHARS_MIN) break;
    kept.splice(kept.indexOf(index), 1);
  }
  return kept;
}

function roomOfFirst(
  kept: readonly number[],
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  width: Width,
): number {
  if (width === null) return Number.POSITIVE_INFINITY;
  const widthOf = (index: number): number =>
    Math.max(columnsOf(columns[index]?.title ?? ""), ...rows.map((row) => columnsOf(row[index] ?? "")));
  const others = kept.filter((index) => index !== 0).reduce((sum, index) => sum + GAP + widthOf(index), 0);
  return Math.max(width - others - GAP, columnsOf(columns[0]?.title ?? ""), 1);
}

const BORDERLESS = {
  top: "",
  "top-mid": "",
  "top-left": "",
  "top-right": "",
  bottom: "",
  "bottom-mid": "",
  "bottom-left": "",
  "bottom-right": "",
  left: "",
  "left-mid": "",
  mid: "",
  "mid-mid": "",
  right: "",
  "right-mid": "",
  middle: "",
};
