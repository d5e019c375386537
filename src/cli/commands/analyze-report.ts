import { createColors } from "picocolors";
import { visible } from "../../lib/visible.ts";
import type { AnalysisReport } from "../../replay/analyze/files-analysis.ts";
import type { Figures, Resident, SessionAnalysis } from "../../replay/analyze/session-analysis.ts";
import { byteWords, countWords } from "../figures.ts";
import { type Column, cutMiddle, cutStart, fittedTable, type Width, wrapped } from "../layout.ts";

/** Up to so many sessions each get a block of their own; more get a line each. */
const BLOCKS_MAX = 3;
const TOOLS_SHOWN = 8;
const RESIDENTS_SHOWN = 10;
/** Sessions listed, those with most that could leave first. */
const SESSIONS_SHOWN = 20;
const LABEL_COLUMNS_MAX = 54;
const NAME_COLUMNS_MAX = 24;

/** How the report is shown. */
export interface ReportLook {
  readonly isColored: boolean;
  readonly width: Width;
}

interface Look {
  readonly colors: ReturnType<typeof createColors>;
  readonly width: Width;
}

/** The report for people: what is in the sessions, the largest residents, and what Ebb would do. */
export function renderReport(report: AnalysisReport, { isColored, width }: ReportLook): string {
  const look: Look = { colors: createColors(isColored), width };
  const { sessions, totals } = report;
  const isShort = sessions.length <= BLOCKS_MAX;
  const sections = isShort ? sessions.map((session) => sessionBlock(session, look)) : [sessionLines(sessions, look)];
  if (sessions.length > 1) {
    const head = `Total of ${countWords(sessions.length)} sessions`;
    sections.push(`${look.colors.bold(head)}\n${figureTables(totals, look)}\n\n${wrapped(totals.words, width)}`);
  }
  const residents = sessions.flatMap((session) => session.residents.map((resident) => ({ session, resident })));
  residents.sort((a, b) => b.resident.token_turns - a.resident.token_turns);
  if (residents.length > 0) {
    sections.push(residentTable(residents.slice(0, RESIDENTS_SHOWN), sessions.length > 1, look));
  }
  if (!isShort) sections.push(...idleSentences(sessions, width));
  sections.push(noteLine(report, look));
  return `${sections.join("\n\n")}\n`;
}

function sessionBlock(session: SessionAnalysis, look: Look): string {
  const { colors, width } = look;
  const counts = [
    `${countWords(session.requests)} requests`,
    `${session.contexts} context${session.contexts === 1 ? "" : "s"}`,
    ...(session.scope === "live" ? ["after the last compaction only"] : []),
  ];
  const head = `${colors.bold(cutStart(session.file, Math.min(width ?? 80, 80)))}\n${colors.dim(counts.join(", "))}`;
  return `${head}\n\n${figureTables(session, look)}\n\n${wrapped(session.words, width)}`;
}

function figureTables(figures: Figures, look: Look): string {
  const { reads } = figures;
  const rows = (["stale", "superseded", "fresh"] as const).map((name) => {
    const { count, bytes, tokens, share } = reads[name];
    return [name, countWords(count), byteWords(bytes), countWords(tokens), shareWords(share)];
  });
  const parts = [tableOf(["reads", "count", "bytes", "tokens", "of read tokens"], rows, look)];
  const tools = figures.tools.slice(0, TOOLS_SHOWN).map((tool) => {
    return [tool.tool, countWords(tool.calls), byteWords(tool.bytes), countWords(tool.tokens), shareWords(tool.share)];
  });
  if (tools.length > 0) {
    parts.push("", tableOf(["tool output", "calls", "bytes", "tokens", "of all input"], tools, look));
  }
  const more = figures.tools.length - tools.length;
  if (more > 0) parts.push(look.colors.dim(`and ${more} more tool${more === 1 ? "" : "s"}`));
  parts.push("", wrapped(countLine(figures), look.width));
  return parts.join("\n");
}

function countLine(figures: Figures): string {
  const { reads, over_bound, repeats, images } = figures;
  const parts = [
    `over the bound ${countWords(over_bound.count)}`,
    `repeats ${countWords(repeats.count)}${repeats.count === 0 ? "" : ` (${byteWords(repeats.bytes)})`}`,
    `failed calls ${countWords(figures.failed_calls)}`,
    `images ${countWords(images.count)}${images.count === 0 ? "" : ` (${byteWords(images.bytes)})`}`,
    `reads failed ${reads.failed}, unanswered ${reads.unanswered}, of images ${reads.images.count}`,
    `input of all requests ${countWords(figures.input_tokens)} tokens`,
    `largest request ${countWords(figures.peak_window)}`,
  ];
  return parts.join(" · ");
}

function sessionLines(sessions: readonly SessionAnalysis[], look: Look): string {
  const couldLeave = ({ reads }: SessionAnalysis): number => reads.stale.tokens + reads.superseded.tokens;
  const ordered = sessions.toSorted((a, b) => couldLeave(b) - couldLeave(a) || b.input_tokens - a.input_tokens);
  const folder = commonFolder(sessions.map((session) => session.file));
  const rows = ordered
    .slice(0, SESSIONS_SHOWN)
    .map((session) => [
      cutStart(session.file.slice(folder.length), LABEL_COLUMNS_MAX),
      countWords(session.requests),
      countWords(session.reads.stale.count),
      countWords(session.reads.superseded.count),
      countWords(session.reads.fresh.count),
      countWords(couldLeave(session)),
      countWords(session.input_tokens),
    ]);
  const scope = sessions[0]?.scope === "live" ? "after the last compaction" : "session";
  const head = [scope, "requests", "stale", "superseded", "fresh", "could leave", "all input"];
  const more = ordered.length - rows.length;
  const lines = [
    ...(folder === "" ? [] : [look.colors.bold(cutStart(folder, Math.min(look.width ?? 80, 80)))]),
    tableOf(head, rows, look, ["requests"]),
    ...(more === 0 ? [] : [look.colors.dim(`and ${countWords(more)} more`)]),
    "",
    wrapped("could leave: tokens of stale and superseded reads; all input: tokens of all requests", look.width),
  ];
  return lines.join("\n");
}

/** The folder that all files lie in, with its last separator; empty where there is none. */
function commonFolder(files: readonly string[]): string {
  const [first = ""] = files;
  let end = first.length;
  for (const file of files) while (!file.startsWith(first.slice(0, end))) end -= 1;
  return first.slice(0, Math.max(first.lastIndexOf("/", end - 1), first.lastIndexOf("\\", end - 1)) + 1);
}

/** Why nothing is to be done, with the number of sessions it holds for. */
function idleSentences(sessions: readonly SessionAnalysis[], width: Width): readonly string[] {
  const idle = new Map<string, number>();
  for (const { reads, over_bound, words } of sessions) {
    if (reads.stale.count + reads.superseded.count + over_bound.count === 0)
      idle.set(words, (idle.get(words) ?? 0) + 1);
  }
  const lines = [...idle].map(([words, count]) => `${countWords(count)} session${count === 1 ? "" : "s"}: ${words}`);
  return lines.length === 0 ? [] : [lines.map((line) => wrapped(line, width)).join("\n")];
}

function residentTable(
  residents: readonly { readonly session: SessionAnalysis; readonly resident: Resident }[],
  namesSession: boolean,
  look: Look,
): string {
  const rows = residents.map(({ session, resident }) => [
    cutMiddle(visible(resident.label), LABEL_COLUMNS_MAX),
    countWords(resident.tokens),
    countWords(resident.requests),
    countWords(resident.token_turns),
    resident.address ?? "",
    ...(namesSession ? [cutStart(session.file.split(/[\\/]/).at(-1) ?? "", NAME_COLUMNS_MAX)] : []),
  ]);
  const head = ["largest residents", "tokens", "requests", "token-turns", "address"];
  return tableOf(namesSession ? [...head, "session"] : head, rows, look, ["address", "requests"]);
}

function noteLine(report: AnalysisReport, { colors, width }: Look): string {
  const problems = report.sessions.reduce((sum, session) => sum + session.problems.length, 0);
  const notes: string[] = [];
  if (problems > 0) notes.push(`${problems} line${problems === 1 ? "" : "s"} with problems (listed by --json)`);
  const { skipped } = report;
  if (skipped.length > 0)
    notes.push(`${skipped.length} file${skipped.length === 1 ? "" : "s"} skipped (listed by --json)`);
  notes.push("Tokens are estimates; bytes are of text.");
  return wrapped(notes.join(" · "), width).split("\n").map(colors.dim).join("\n");
}

/** `leaving` names the columns that give way on a narrow line, the first one first. */
function tableOf(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  { colors, width }: Look,
  leaving: readonly string[] = [],
): string {
  const columns = head.map((title, index): Column => {
    const isText = index === 0 || title === "address" || title === "session";
    const place = leaving.indexOf(title);
    return { title, align: isText ? "left" : "right", leavesAs: place === -1 ? null : place };
  });
  const cut = head[0] === "largest residents" ? cutMiddle : cutStart;
  return fittedTable({ columns, rows, width, cut, dim: colors.dim });
}

function shareWords(share: number | null): string {
  return share === null ? "–" : `${(share * 100).toFixed(1)} %`;
}
