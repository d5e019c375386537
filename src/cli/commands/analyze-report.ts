import Table from "cli-table3";
import { createColors } from "picocolors";
import type { AnalysisReport } from "../../replay/analyze/files-analysis.ts";
import type { Figures, Resident, SessionAnalysis } from "../../replay/analyze/session-analysis.ts";
import { byteWords, countWords } from "../figures.ts";

/** Up to so many sessions each get a block of their own; more get a line each. */
const BLOCKS_MAX = 3;
const TOOLS_SHOWN = 8;
const RESIDENTS_SHOWN = 10;
/** Sessions listed, those with most that could leave first. */
const SESSIONS_SHOWN = 20;
const LABEL_CHARS_MAX = 54;
const NAME_CHARS_MAX = 24;

type Colors = ReturnType<typeof createColors>;

/** The report for people: what is in the sessions, the largest residents, and what Ebb would do. */
export function renderReport(report: AnalysisReport, isColored: boolean): string {
  const colors = createColors(isColored);
  const { sessions, totals } = report;
  const isShort = sessions.length <= BLOCKS_MAX;
  const sections = isShort
    ? sessions.map((session) => sessionBlock(session, colors))
    : [sessionLines(sessions, colors)];
  if (sessions.length > 1) {
    const head = `Total of ${countWords(sessions.length)} sessions`;
    sections.push(`${colors.bold(head)}\n${figureTables(totals, colors)}\n${totals.words}`);
  }
  const residents = sessions.flatMap((session) => session.residents.map((resident) => ({ session, resident })));
  residents.sort((a, b) => b.resident.token_turns - a.resident.token_turns);
  if (residents.length > 0) {
    sections.push(residentTable(residents.slice(0, RESIDENTS_SHOWN), sessions.length > 1, colors));
  }
  if (!isShort) sections.push(...idleSentences(sessions));
  sections.push(noteLine(report, colors));
  return `${sections.join("\n\n")}\n`;
}

function sessionBlock(session: SessionAnalysis, colors: Colors): string {
  const counts = [
    `${countWords(session.requests)} requests`,
    `${session.contexts} context${session.contexts === 1 ? "" : "s"}`,
    ...(session.scope === "live" ? ["after the last compaction only"] : []),
  ];
  const head = `${colors.bold(shorten(session.file, 80))}  ${colors.dim(counts.join(", "))}`;
  return `${head}\n${figureTables(session, colors)}\n${session.words}`;
}

function figureTables(figures: Figures, colors: Colors): string {
  const { reads } = figures;
  const rows = (["stale", "superseded", "fresh"] as const).map((name) => {
    const { count, bytes, tokens, share } = reads[name];
    return [name, countWords(count), byteWords(bytes), countWords(tokens), shareWords(share)];
  });
  const parts = [tableOf(["reads", "count", "bytes", "tokens", "of read tokens"], rows, colors)];
  const tools = figures.tools.slice(0, TOOLS_SHOWN).map((tool) => {
    return [tool.tool, countWords(tool.calls), byteWords(tool.bytes), countWords(tool.tokens), shareWords(tool.share)];
  });
  if (tools.length > 0) parts.push(tableOf(["tool output", "calls", "bytes", "tokens", "of all input"], tools, colors));
  const more = figures.tools.length - tools.length;
  if (more > 0) parts.push(colors.dim(`and ${more} more tool${more === 1 ? "" : "s"}`));
  parts.push(countLine(figures));
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

function sessionLines(sessions: readonly SessionAnalysis[], colors: Colors): string {
  const couldLeave = ({ reads }: SessionAnalysis): number => reads.stale.tokens + reads.superseded.tokens;
  const ordered = sessions.toSorted((a, b) => couldLeave(b) - couldLeave(a) || b.input_tokens - a.input_tokens);
  const rows = ordered.slice(0, SESSIONS_SHOWN).map((session) => {
    const { stale, superseded, fresh } = session.reads;
    return [
      shorten(session.file, LABEL_CHARS_MAX),
      countWords(session.requests),
      `${stale.count} / ${superseded.count} / ${fresh.count}`,
      countWords(couldLeave(session)),
      countWords(session.input_tokens),
    ];
  });
  const scope = sessions[0]?.scope === "live" ? "session, after its last compaction" : "session";
  const head = [scope, "requests", "stale / superseded / fresh", "tokens of the first two", "all input"];
  const more = ordered.length - rows.length;
  return `${tableOf(head, rows, colors)}${more === 0 ? "" : colors.dim(`\nand ${countWords(more)} more`)}`;
}

/** Why nothing is to be done, with the number of sessions it holds for. */
function idleSentences(sessions: readonly SessionAnalysis[]): readonly string[] {
  const idle = new Map<string, number>();
  for (const { reads, over_bound, words } of sessions) {
    if (reads.stale.count + reads.superseded.count + over_bound.count === 0)
      idle.set(words, (idle.get(words) ?? 0) + 1);
  }
  const lines = [...idle].map(([words, count]) => `${countWords(count)} session${count === 1 ? "" : "s"}: ${words}`);
  return lines.length === 0 ? [] : [lines.join("\n")];
}

function residentTable(
  residents: readonly { readonly session: SessionAnalysis; readonly resident: Resident }[],
  namesSession: boolean,
  colors: Colors,
): string {
  const rows = residents.map(({ session, resident }) => [
    shortenMiddle(resident.label, LABEL_CHARS_MAX),
    countWords(resident.tokens),
    countWords(resident.requests),
    countWords(resident.token_turns),
    resident.address ?? "",
    ...(namesSession ? [shorten(session.file.split(/[\\/]/).at(-1) ?? "", NAME_CHARS_MAX)] : []),
  ]);
  const head = ["largest residents", "tokens", "requests", "token-turns", "address"];
  return tableOf(namesSession ? [...head, "session"] : head, rows, colors);
}

function noteLine(report: AnalysisReport, colors: Colors): string {
  const problems = report.sessions.reduce((sum, session) => sum + session.problems.length, 0);
  const notes: string[] = [];
  if (problems > 0) notes.push(`${problems} line${problems === 1 ? "" : "s"} with problems (listed by --json)`);
  const { skipped } = report;
  if (skipped.length > 0)
    notes.push(`${skipped.length} file${skipped.length === 1 ? "" : "s"} skipped (listed by --json)`);
  notes.push("Tokens are estimates; bytes are of text.");
  return colors.dim(notes.join(" · "));
}

function tableOf(head: readonly string[], rows: readonly (readonly string[])[], colors: Colors): string {
  const table = new Table({
    head: head.map((title) => colors.dim(title)),
    colAligns: head.map((title, index) =>
      index === 0 || title === "address" || title === "session" ? "left" : "right",
    ),
    chars: BORDERLESS,
    style: { head: [], border: [], "padding-left": 0, "padding-right": 2 },
  });
  table.push(...rows.map((row) => [...row]));
  return table
    .toString()
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n");
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

function shareWords(share: number | null): string {
  return share === null ? "–" : `${(share * 100).toFixed(1)} %`;
}

/** Keeps the end, which tells paths apart. */
function shorten(text: string, charsMax: number): string {
  const chars = [...text];
  return chars.length <= charsMax ? text : `…${chars.slice(chars.length - charsMax + 1).join("")}`;
}

/** Keeps the start, which names the tool, and the end. */
function shortenMiddle(text: string, charsMax: number): string {
  const space = text.indexOf(" ");
  if ([...text].length <= charsMax || space === -1 || space > charsMax / 2) return shorten(text, charsMax);
  return `${text.slice(0, space + 1)}${shorten(text.slice(space + 1), charsMax - space - 1)}`;
}
