import Table from "cli-table3";
import { createColors } from "picocolors";
import type { AnalysisReport } from "../../replay/analyze/files-analysis.ts";
import type { Figures, Resident, SessionAnalysis } from "../../replay/analyze/session-analysis.ts";
import { byteWords, countWords } from "../figures.ts";

/** Up to so many sessions each get a block of their own; more get a line each. */
const BLOCKS_MAX = 3;
const TOOLS_SHOWN = 8;
const RESIDENTS_SHOWN = 10;
const LABEL_CHARS_MAX = 58;

type Colors = ReturnType<typeof createColors>;

/** The report for people: what is in the sessions, the largest residents, and what Ebb would do. */
export function renderReport(report: AnalysisReport, isColored: boolean): string {
  const colors = createColors(isColored);
  const { sessions, totals } = report;
  const sections: string[] = [];
  if (sessions.length <= BLOCKS_MAX) {
    for (const session of sessions) sections.push(sessionBlock(session, colors));
  } else {
    sections.push(sessionLines(sessions, colors));
  }
  if (sessions.length > 1) {
    sections.push(`${colors.bold(`Total of ${sessions.length} sessions`)}\n${figureTables(totals, colors)}`);
  }
  const residents = sessions.flatMap((session) =>
    session.residents.map((resident) => (sessions.length > 1 ? inSession(resident, session) : resident)),
  );
  residents.sort((a, b) => b.token_turns - a.token_turns);
  if (residents.length > 0) sections.push(residentTable(residents.slice(0, RESIDENTS_SHOWN), colors));
  if (sessions.length > BLOCKS_MAX) sections.push(sessionSentences(sessions));
  sections.push(...noteLines(report, colors));
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
    `largest ${countWords(figures.peak_window)}`,
  ];
  return parts.join(" · ");
}

function sessionLines(sessions: readonly SessionAnalysis[], colors: Colors): string {
  const rows = sessions.map((session) => {
    const { stale, superseded, fresh } = session.reads;
    return [
      shorten(session.file, LABEL_CHARS_MAX),
      countWords(session.requests),
      `${stale.count} / ${superseded.count} / ${fresh.count}`,
      countWords(stale.tokens + superseded.tokens),
      countWords(session.input_tokens),
    ];
  });
  return tableOf(
    ["session", "requests", "stale / superseded / fresh", "tokens could leave", "all input"],
    rows,
    colors,
  );
}

/** The sentences of all sessions, equal ones said once. */
function sessionSentences(sessions: readonly SessionAnalysis[]): string {
  const files = new Map<string, string[]>();
  for (const session of sessions) {
    const names = files.get(session.words) ?? [];
    names.push(shorten(session.file, LABEL_CHARS_MAX));
    files.set(session.words, names);
  }
  const lines = [...files].map(([words, names]) => {
    return names.length === 1 ? `${names[0]}: ${words}` : `${names.length} sessions: ${words}`;
  });
  return lines.join("\n");
}

function residentTable(residents: readonly Resident[], colors: Colors): string {
  const rows = residents.map((resident) => [
    shorten(resident.label, LABEL_CHARS_MAX),
    countWords(resident.tokens),
    countWords(resident.requests),
    countWords(resident.token_turns),
    resident.address ?? "",
  ]);
  return tableOf(["largest residents", "tokens", "requests", "token-turns", "address"], rows, colors);
}

function inSession(resident: Resident, session: SessionAnalysis): Resident {
  const name = session.file.split(/[\\/]/).at(-1) ?? session.file;
  return { ...resident, label: `${shorten(name, 20)} ${resident.label}` };
}

function noteLines(report: AnalysisReport, colors: Colors): readonly string[] {
  const problems = report.sessions.reduce((sum, session) => sum + session.problems.length, 0);
  const notes: string[] = [];
  if (problems > 0) notes.push(`${problems} line${problems === 1 ? "" : "s"} with problems (listed by --json)`);
  const { skipped } = report;
  if (skipped.length > 0)
    notes.push(`${skipped.length} file${skipped.length === 1 ? "" : "s"} skipped (listed by --json)`);
  notes.push("Tokens are estimates; bytes are of text.");
  return [colors.dim(notes.join(" · "))];
}

function tableOf(head: readonly string[], rows: readonly (readonly string[])[], colors: Colors): string {
  const table = new Table({
    head: head.map((title) => colors.dim(title)),
    colAligns: head.map((title, index) => (index === 0 || title === "address" ? "left" : "right")),
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
