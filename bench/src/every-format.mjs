// Every recorded file through `ebb analyze`: what each holds, and what of it is stale, beside counts that were made without Ebb. Counts
// alone, as Markdown. Needs a build. Usage: node bench/src/every-format.mjs [FOLDER]
import { readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { builtinKeeperSettings, SIZE_BOUND_DEFAULT, wires } from "ebb";
import { analyzeFiles } from "../../dist/replay/analyze/files-analysis.js";
import { findSessionFiles } from "../../dist/replay/analyze/session-files.js";
import { openForeignTables } from "../../dist/stores/foreign-tables.js";

const fixtures = process.env.EBB_TEST_SESSIONS ?? resolve(import.meta.dirname, "../../../shared/fixtures");
const folder = process.argv[2] ?? join(fixtures, "sessions");
const report = await analyzed();
const sessions = report.sessions.map((session) => ({ ...session, name: relative(folder, session.file) }));
const manifest = table("MANIFEST.tsv");
const split = table("SPLIT.tsv");

console.log(
  [
    "# Every format of recordings",
    "`node bench/src/every-format.mjs`: the analysis of `ebb analyze`, over a folder of recorded sessions of ten agents and of requests to four APIs, all by content. " +
      `${sessions.length} files were analysed, ${report.skipped.length} refused; ${count(({ problems }) => problems.length)} lines or parts were left out and named.`,
    markdown("file | format | conversations | requests | calls | reads | edits | stale share", sessions.map(fileRow)),
    "Stale share: tokens of stale reads, of the tokens of all text reads.",
    "## Refused",
    report.skipped.map(({ file, words }) => `- ${relative(folder, file)}: ${words}`).join("\n"),
    "## Beside the counts of the folder's manifest",
    "The manifest counts calls, reads and edits by the names of tools alone, failed ones too, whatever came back. A file stands here where a count differs.",
    markdown("file | calls | manifest | reads | manifest | edits | manifest | why", differences()),
    "## Beside the reference split of reads",
    splitWords(),
  ].join("\n\n"),
);

/** As `ebb analyze` does it, without the replay. */
async function analyzed() {
  const { dialects, shell, tokens: counter } = builtinKeeperSettings();
  const evidence = { bashEdits: false, harnessNotices: true, shellReads: "auto" };
  const { files } = await findSessionFiles([folder]);
  return analyzeFiles(files, {
    scope: "all",
    parts: { wires, dialects, shell, evidence, counter, bound: SIZE_BOUND_DEFAULT },
    whatEbbWouldDo: null,
    openTables: openForeignTables,
    onBytes: () => {},
  });
}

function table(name) {
  const [head, ...lines] = readFileSync(join(folder, name), "utf8").trimEnd().split("\n");
  const names = head.split("\t");
  return lines.map((line) => Object.fromEntries(line.split("\t").map((cell, at) => [names[at], cell])));
}

function fileRow(session) {
  const { stale } = session.reads;
  return [
    session.name,
    session.format,
    session.contexts,
    session.requests,
    callsOf(session),
    readsOf(session),
    session.edits,
    stale.share === null ? "" : `${(100 * stale.share).toFixed(1)} %`,
  ];
}

function callsOf({ tools }) {
  return tools.reduce((sum, tool) => sum + tool.calls, 0);
}

/** Every read, also what failed, gave an image or has no answer, as the manifest counts them. */
function readsOf({ reads }) {
  const { stale, superseded, fresh, images, failed, unanswered } = reads;
  return stale.count + superseded.count + fresh.count + images.count + failed + unanswered;
}

function differences() {
  return sessions.flatMap((session) => {
    const row = manifest.find(({ file }) => file === session.name);
    if (row === undefined) return [];
    const own = [callsOf(session), readsOf(session), session.edits];
    const theirs = [row.tool_calls, row.reads, row.edits].map(Number);
    if (own.every((value, at) => value === theirs[at])) return [];
    const cells = own.flatMap((value, at) => [value, theirs[at]]);
    return [[session.name, ...cells, reasons(session, own, theirs).join("; ")]];
  });
}

/** Why a count differs, from what the analysis itself says. */
function reasons(session, [calls, reads, edits], [theirCalls, theirReads, theirEdits]) {
  const { format } = session;
  const found = [];
  if (calls < theirCalls) {
    const orphans = session.problems.filter(({ words }) => words.startsWith("a result of a call")).length;
    if (orphans === theirCalls - calls) found.push(`${orphans} results have no call in any answer`);
    else found.push("commands stand in texts of the model, which are no calls");
  }
  if (reads > theirReads && format === "codex") found.push("reads through the shell count as reads");
  else if (reads > theirReads) found.push("reads by tools of other names, or by a tool that also edits");
  if (reads < theirReads)
    found.push("a tool of that name that listed a folder, or that its dialect does not take for a read");
  if (edits < theirEdits) found.push("edits that failed, or that no result answers, change nothing");
  if (edits > theirEdits) found.push("tools of other names edit files too");
  return found;
}

function splitWords() {
  const byFile = new Map();
  for (const row of split.filter(({ scope }) => scope === "all")) {
    const file = row.file.split("#")[0];
    byFile.set(file, [...(byFile.get(file) ?? []), row]);
  }
  const compared = [...byFile].flatMap(([file, own]) => {
    const session = sessions.find(({ name }) => name === file);
    if (session === undefined) return [];
    const sum = (name) => own.reduce((total, row) => total + Number(row[name]), 0);
    const classes = ["stale", "superseded", "fresh"];
    const isEqual = classes.every((one) => {
      const { count: reads, bytes } = session.reads[one];
      return reads === sum(`${one}_n`) && bytes === sum(`${one}_bytes`);
    });
    return [{ file, isEqual: isEqual && session.edits === sum("edits_ok") }];
  });
  const unequal = compared.filter(({ isEqual }) => !isEqual).map(({ file }) => file);
  const words = `Counts and bytes of stale, superseded and fresh reads, and of edits, are those of the reference in ${compared.length - unequal.length} of ${compared.length} files.`;
  return unequal.length === 0 ? words : `${words} They differ in ${unequal.join(", ")}.`;
}

function count(of) {
  return sessions.reduce((sum, session) => sum + of(session), 0);
}

function markdown(head, rows) {
  const line = (cells) => `| ${cells.join(" | ")} |`;
  const names = head.split(" | ");
  return [line(names), line(names.map(() => "---")), ...rows.map(line)].join("\n");
}
