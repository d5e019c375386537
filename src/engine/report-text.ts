import { oneLine } from "../lib/visible.ts";
import type { NotedBoundary } from "../model/noted-boundary.ts";
import type {
  Hunk,
  Report,
  ReportedBoundary,
  ReportedChange,
  ReportedFile,
  ReportedItem,
  ReportedPart,
  ScopeEnd,
} from "../model/report.ts";
import type { Clock } from "../model/transcript.ts";

/** A report for a terminal. Ends with a line end. */
export function reportText(report: Report): string {
  const lines = [...reportHead(report), "", `acquired: ${countText(report.items.length, "item")}`];
  for (const item of report.items)
    lines.push(`  ${item.address}  ${oneLine(item.label)}  ${item.bytes} bytes, ${standText(item)}`);
  lines.push("", `changed: ${countText(report.files.length, "file")}`);
  for (const file of report.files) {
    lines.push(
      "",
      fileName(file),
      ...file.changes.map((change) => `  ${changeText(change)}`),
      `  net: ${netText(file)}`,
    );
    for (const part of partsOf(file)) for (const hunk of part.hunks) lines.push(hunkHead(hunk, part), ...hunk.lines);
  }
  return `${lines.join("\n")}\n`;
}

/** What a report is about, in a line or two, and what the client told of the conversation. */
export function reportHead(report: Report): readonly string[] {
  return [...titleOf(report), ...(report.boundaries ?? []).map(boundaryText)];
}

function boundaryText({ what, source, turn, step }: ReportedBoundary): string {
  return oneLine(`the client told at ${clockText({ turn, step })}: ${BOUNDARY_WORDS[what]} (${source})`);
}

const BOUNDARY_WORDS: Readonly<Record<NotedBoundary, string>> = {
  resumed: "the conversation was resumed",
  cleared: "the conversation was cleared",
  compacting: "the conversation is about to be compacted",
  compacted: "the conversation was compacted",
  "agent-stopped": "the sub-agent ended",
};

const ENDED_WORDS: Readonly<Record<ScopeEnd["by"], string>> = {
  order: "closed",
  compaction: "ended by the client's own compaction",
  clear: "ended as the client cleared the conversation",
  "agent-end": "ended with its sub-agent",
};

function titleOf({ scope, until, sessionId }: Report): readonly string[] {
  const session = sessionId === null ? "" : ` of session ${sessionId}`;
  if (scope === null) return [`report of the whole conversation${session}, up to ${clockText(until)}`];
  const { name, reason, opened, ended } = scope;
  const end = ended === null ? `open, up to ${clockText(until)}` : `${ENDED_WORDS[ended.by]} at ${clockText(ended)}`;
  return [oneLine(`report of ${name}${session}: ${reason}`), `opened at ${clockText(opened)}, ${end}`];
}

/** Where one item of a working set stands. */
export function standText({ how, state, left, turn, step }: ReportedItem): string {
  const came = how === "acquired" ? `acquired at ${clockText({ turn, step })}` : "held with the scope";
  switch (state) {
    case "held":
      return `${came}, held`;
    case "asked":
      return `${came}, held and asked to leave`;
    case "folded":
      return `${came}, left with the client's own compaction`;
    case "released":
    case "kept": {
      const gone = state === "kept" ? "kept in part" : "left";
      return left === null
        ? `${came}, ${gone}`
        : `${came}, ${gone} at ${clockText(left)} (${left.reason}, ${left.moment})`;
    }
  }
}

/** The file, and the cell of a notebook. */
export function fileName({ path, cell }: ReportedFile): string {
  return oneLine(cell === null ? path : `${path}, cell ${cell}`);
}

/** One change, by whom and when. */
export function changeText(change: ReportedChange): string {
  const who = change.by === "unknown" ? "unknown actor" : `${change.tool ?? change.by}${idText(change.callId)}`;
  const what = change.words === "" ? change.kind : `${change.kind}, ${change.words}`;
  return oneLine(`${clockText(change)}: ${who}: ${what}`);
}

/** What is different in the end. */
export function netText({ net }: ReportedFile): string {
  return net.kind === "none" ? `nothing (${net.words})` : net.words;
}

/** Comparisons of a file; none where nothing is proven to differ. */
export function partsOf({ net }: ReportedFile): readonly ReportedPart[] {
  return net.kind === "changed" ? net.parts : [];
}

/** The line that says where a hunk stands. */
export function hunkHead({ before, after }: Hunk, { hasLines }: ReportedPart): string {
  if (!hasLines) return "@@ place in the file not known @@";
  return `@@ -${before.start},${before.count} +${after.start},${after.count} @@`;
}

/** A count and its noun. */
export function countText(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

function clockText({ turn, step }: Clock): string {
  return `turn ${turn}, step ${step}`;
}

function idText(callId: string | null): string {
  return callId === null ? "" : ` (${callId})`;
}
