// What remains possible where a model signs its thinking over everything before it, by option: counts alone, as Markdown.
// Usage: node bench/src/bound-thinking.mjs FILES...
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

const EBB = fileURLToPath(new URL("../../bin/ebb.mjs", import.meta.url));
const OUTPUT_BYTES_MAX = 256 * 1024 * 1024;
/** A model that signs, with its prices and its cache. */
const MODEL = "claude-opus-5-5";
const PRESETS = ["standard", "tidy"];
const CLASSES = [
  { name: "not bound", binding: "none", options: "" },
  { name: "bound, `hold`", binding: "prefix", options: "bound_thinking: hold\n" },
  { name: "bound, `strip_at_turn`", binding: "prefix", options: "bound_thinking: strip_at_turn\n" },
  { name: "bound, `strip`", binding: "prefix", options: "bound_thinking: strip\n" },
  { name: "bound, `drop`", binding: "prefix", options: "bound_thinking: drop\n" },
  {
    name: "bound, `hold` and `server_clear`",
    binding: "prefix",
    options: "bound_thinking: hold\nserver_clear: true\n",
  },
];

/** What a session without thinking shows: that nothing is bound there. */
const SILENT_CLASSES = CLASSES.slice(0, 2);

const folder = mkdtempSync(join(tmpdir(), "ebb-bench-"));
try {
  const sessions = process.argv.slice(2).map(readSession);
  const thinking = sessions.filter(({ thoughts }) => thoughts > 0);
  const silent = sessions.filter(({ thoughts }) => thoughts === 0);
  const tables = PRESETS.map((preset) => ({ preset, rows: classRows(preset, thinking, CLASSES) }));
  console.log(
    [
      "# What signed thinking leaves possible",
      "`node bench/src/bound-thinking.mjs FILES...`: recorded sessions as if their model were `claude-opus-5-5`, with its prices (read 0.05 of input) and its cache, " +
        "replayed by `ebb replay --json`. *Not bound* is the same model without signatures. Times, lifetimes and bodies are the recorded ones; signatures " +
        "are not checked here ([a law](../../test/laws/signed-thinking.laws.test.ts) does that). Tokens are estimates.",
      "## What the recordings allow",
      recordingWords(thinking, silent),
      table(
        "session | requests | thinking blocks in the log | new turns",
        thinking.map(({ name, thoughts, turns }, at) => {
          return [name, count(tables[0]?.rows[0]?.figures[at]?.requests ?? 0), count(thoughts), count(turns)];
        }),
      ),
      ...tables.flatMap(({ preset, rows }) => [`## \`preset: ${preset}\``, classTable(rows)]),
      `## Sessions without thinking (${silent.length}), \`preset: ${PRESETS[0]}\``,
      silent.length === 0 ? "None." : classTable(classRows(PRESETS[0], silent, SILENT_CLASSES)),
    ].join("\n\n"),
  );
} finally {
  rmSync(folder, { recursive: true });
}

/** The recording with the model's name changed, and nothing else. */
function readSession(file, index) {
  const text = readFileSync(file, "utf8").replace(/"model":\s?"(?!<)[^"]*"/g, `"model":"${MODEL}"`);
  const copy = join(folder, `${index}-${basename(file)}`);
  writeFileSync(copy, text);
  const thoughts = text.split(/"type":\s?"thinking"/).length - 1;
  return { name: basename(file), file: copy, thoughts, turns: turnsIn(text) };
}

/** Lines in which a person wrote, as a log of Claude Code has them. */
function turnsIn(text) {
  return text
    .split("\n")
    .filter((line) => /"type":\s?"user"/.test(line) && !/"tool_result"|"isMeta":\s?true/.test(line)).length;
}

function recordingWords(thinking, silent) {
  return (
    `${thinking.length + silent.length} recordings, ${thinking.length} with thinking in their log. Signatures of an older model were not bound, so nothing tells what a ` +
    "model that binds would have thought more often or longer; and few of these sessions have a person come back after the cache expired, which is when " +
    "`strip_at_turn` can act. Where a session holds no thinking, nothing is signed and every class is the same."
  );
}

function classRows(preset, sessions, classes) {
  const files = sessions.map(({ file }) => file);
  return classes.map((one) => ({ name: one.name, figures: files.length === 0 ? [] : replay(files, preset, one) }));
}

function classTable(rows) {
  const lines = rows.map(({ name, figures }) => {
    const known = figures.filter(({ net_cost_usd: net }) => net !== null);
    const cost = sum(known, (it) => it.baseline_cost_usd);
    const net = sum(known, (it) => it.net_cost_usd);
    return [
      name,
      `${net.toFixed(4)} USD (${percent(net / cost)})`,
      ratio(figures, "stale_token_turns"),
      ratio(figures, "token_turns"),
      momentWords(figures),
      count(sum(figures, (it) => it.law_violations)),
    ];
  });
  return table("class | net cost | stale token-turns left | token-turns | releases by moment | violations", lines);
}

function replay(files, preset, { binding, options }) {
  const config = join(folder, "ebb.yaml");
  writeFileSync(config, `preset: ${preset}\nmodels: { ${MODEL}: { binding: ${binding} } }\n${options}`);
  const flags = ["replay", "--json", "--config", config, ...files];
  const output = execFileSync(process.execPath, [EBB, ...flags], {
    maxBuffer: OUTPUT_BYTES_MAX,
    stdio: ["ignore", "pipe", "ignore"],
  });
  return JSON.parse(output).sessions;
}

function momentWords(figures) {
  const counts = new Map();
  for (const { moment } of figures.flatMap(({ left }) => left)) counts.set(moment, (counts.get(moment) ?? 0) + 1);
  const words = Array.from(counts, ([moment, found]) => `${moment} ${found}`).sort();
  return words.length === 0 ? "none" : words.join(", ");
}

function ratio(figures, name) {
  const [withEbb, without] = [sum(figures, (one) => one[name]), sum(figures, (one) => one[`baseline_${name}`])];
  return without === 0 ? "none" : `${count(withEbb)} of ${count(without)} (${percent(withEbb / without)})`;
}

function sum(list, of) {
  return list.reduce((total, one) => total + of(one), 0);
}

function percent(share) {
  return `${(share * 100).toFixed(1)} %`;
}

function count(number) {
  return Math.round(number)
    .toString()
    .replace(/\B(?=(\d{3})+$)/g, ",");
}

function table(head, rows) {
  const columns = head.split(" | ");
  const line = (cells) => `| ${cells.join(" | ")} |`;
  return [line(columns), line(columns.map(() => "---")), ...rows.map(line)].join("\n");
}
