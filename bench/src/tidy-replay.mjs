// What leaves recorded sessions with each preset, when, and which of it was missed later: counts alone, as Markdown.
// Usage: node bench/src/tidy-replay.mjs FILES...
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const EBB = fileURLToPath(new URL("../../bin/ebb.mjs", import.meta.url));
const OUTPUT_BYTES_MAX = 256 * 1024 * 1024;
const files = process.argv.slice(2);
/** What each run states, by the name of its rows. */
const STATED = {
  seed: "pipeline: [readlifecycle]\n",
  "seed at depth":
    "pipeline: [readlifecycle]\ncomponents: { readlifecycle: { stale_at_depth: true, cold_cache: true } }\n",
  standard: "preset: standard\n",
  tidy: "preset: tidy\n",
};
/** How long command output stays. */
const LIFETIMES = [
  ...[5, 10, 20, 40, 80].map((steps) => ({ name: `${steps} steps`, stated: `steps: ${steps}` })),
  ...[1, 2, 3, 4].map((turns) => ({ name: `${turns} turn${turns === 1 ? "" : "s"}`, stated: `turns: ${turns}` })),
];
const runs = Object.keys(STATED).map((preset) => ({ preset, sessions: replayWith(preset) }));

console.log(
  [
    "# What leaves recorded sessions, and what of it was missed",
    "`node bench/src/tidy-replay.mjs FILES...`: `ebb replay --json` on the same recordings with the seed's configuration, with it at depth (`stale_at_depth` and `cold_cache`), and with both presets. Tokens are estimates, " +
      "costs are those of the simulated provider with its prompt cache.",
    sizeTable(),
    "## Regrets by policy",
    "Releases that were [missed later](../../docs/concepts/regrets.md); an item counts once for each kind, and the kinds overlap.",
    regretTable(),
    "## What left, and when",
    "Steps and turns are those between the item's arrival and its release: fewest / median / most.",
    leftTable(),
    "## What expired, and when",
    "Items whose lifetime was found to be over. What did not leave stayed for [a reason](../../docs/concepts/declines.md): mostly, the cache held it until its session ended.",
    expiredTable(),
    "## How long command output stays",
    "`standard`, and a lifetime for the output of commands, by its length. What it adds to `standard` alone; regrets are those of the lifetimes.",
    lifetimeTable(),
  ].join("\n\n"),
);

function replayWith(preset) {
  const folder = mkdtempSync(join(tmpdir(), "ebb-bench-"));
  try {
    const config = join(folder, "ebb.yaml");
    writeFileSync(config, STATED[preset]);
    const flags = ["replay", "--json", "--config", config, ...files];
    const options = { maxBuffer: OUTPUT_BYTES_MAX, stdio: ["ignore", "pipe", "ignore"] };
    return JSON.parse(execFileSync(process.execPath, [EBB, ...flags], options)).sessions;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Totals of `standard` and of each lifetime beside it, on the same sessions. */
function compareLifetimes() {
  const folder = mkdtempSync(join(tmpdir(), "ebb-bench-"));
  try {
    const names = LIFETIMES.map(({ stated }, index) => {
      const config = join(folder, `${index}.yaml`);
      writeFileSync(config, `preset: standard\nlifetimes: [{ kinds: [run], ${stated} }]\n`);
      return config;
    });
    const flags = ["replay", "--json", "--compare", ["standard", ...names].join(","), ...files];
    const options = { maxBuffer: OUTPUT_BYTES_MAX, stdio: ["ignore", "pipe", "ignore"] };
    return JSON.parse(execFileSync(process.execPath, [EBB, ...flags], options)).comparisons;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function lifetimeTable() {
  const [standard, ...longer] = compareLifetimes();
  const base = standard.totals;
  const rows = longer.map(({ totals }, index) => {
    const released = sum(Object.entries(totals.released_by), ([name, count]) =>
      name.startsWith("expired") ? count : 0,
    );
    const missed = totals.regretted.find(({ policy }) => policy === "lifetimes");
    const { net_cost_usd: net, baseline_cost_usd: without } = totals.priced;
    return [
      LIFETIMES[index].name,
      count(released),
      percent((totals.token_turns - base.token_turns) / base.baseline_token_turns),
      percent((net - base.priced.net_cost_usd) / without),
      ...["strict", "use", "induced"].map((kind) => share(missed?.[kind] ?? 0, released)),
      count(totals.law_violations),
    ];
  });
  return table("lifetime | releases | token-turns | cost | strict | use | induced | law violations", rows);
}

function percent(part) {
  return `${part > 0 ? "+" : ""}${(100 * part).toFixed(2)} %`;
}

function sizeTable() {
  const rows = runs.map(({ preset, sessions }) => {
    const known = sessions.filter(({ net_cost_usd: net }) => net !== null);
    return [
      preset,
      count(sessions.length),
      count(sum(sessions, (one) => one.requests)),
      count(sessions.filter(({ released }) => released > 0).length),
      count(sum(sessions, (one) => one.released)),
      count(sum(sessions, (one) => one.unique_released_tokens)),
      ratio(sessions, "token_turns"),
      ratio(sessions, "stale_token_turns"),
      `${ratio(known, "cost_usd")} (${count(known.length)} sessions)`,
      count(sum(sessions, (one) => one.law_violations)),
    ];
  });
  const head =
    "preset | sessions | requests | with a release | releases | tokens released | token-turns to without | stale ones | cost | law violations";
  return table(head, rows);
}

function regretTable() {
  const rows = runs.flatMap(({ preset, sessions }) => {
    const left = sessions.flatMap((one) => one.left);
    const regretted = sessions.flatMap((one) => one.regretted);
    return names(left, ({ policy }) => policy).map((policy) => {
      const own = left.filter((one) => one.policy === policy);
      const missed = regretted.filter((one) => one.policy === policy);
      const kinds = ["strict", "use", "induced"].map((kind) =>
        share(
          sum(missed, (one) => one[kind]),
          own.length,
        ),
      );
      return [preset, policy, count(own.length), ...kinds];
    });
  });
  const guarded = runs.map(({ preset, sessions }) => {
    return `\`${preset}\` ${count(sum(sessions, (one) => one.declined_items.thrash_guard ?? 0))}`;
  });
  return `${table("preset | policy | releases | strict | use | induced", rows)}\n\nItems that \`thrash_guard\` kept: ${guarded.join(", ")}.`;
}

function leftTable() {
  const rows = runs.flatMap(({ preset, sessions }) => {
    const left = sessions.flatMap((one) => one.left);
    return names(left, (row) => `${row.reason}|${row.moment}|${kindOf(row)}`).map((name) => {
      const own = left.filter((row) => `${row.reason}|${row.moment}|${kindOf(row)}` === name);
      return [preset, ...name.split("|"), count(own.length), count(sum(own, (row) => row.tokens)), ...ages(own)];
    });
  });
  return table("preset | reason | moment | kind | releases | tokens | steps | turns", rows);
}

function expiredTable() {
  const rows = runs.flatMap(({ preset, sessions }) => {
    const expired = sessions.flatMap((one) => one.expired);
    return names(expired, kindOf).map((kind) => {
      const own = expired.filter((row) => kindOf(row) === kind);
      const left = own.filter((row) => row.left !== null);
      const tokens = `${count(sum(left, (row) => row.tokens))} of ${count(sum(own, (row) => row.tokens))}`;
      return [preset, kind, count(own.length), share(left.length, own.length), tokens, ...ages(own)];
    });
  });
  return rows.length === 0
    ? "Nothing."
    : table("preset | kind | expired | left | tokens that left | steps | turns", rows);
}

function kindOf({ kind, is_media: isMedia }) {
  return isMedia ? `media (${kind ?? "no call"})` : (kind ?? "no call");
}

function ages(rows) {
  return ["steps", "turns"].map((unit) => {
    const sorted = rows.flatMap((row) => (row[unit] === null ? [] : [row[unit]])).sort((a, b) => a - b);
    if (sorted.length === 0) return "not known";
    return [sorted[0], sorted[Math.floor((sorted.length - 1) / 2)], sorted.at(-1)].map(count).join(" / ");
  });
}

function names(rows, nameOf) {
  return Array.from(new Set(rows.map(nameOf))).sort();
}

function ratio(sessions, figure) {
  const without = sum(sessions, (one) => one[`baseline_${figure}`]);
  return without === 0 ? "–" : (sum(sessions, (one) => one[figure]) / without).toFixed(3);
}

function share(part, all) {
  return part === 0 || all === 0 ? count(part) : `${count(part)} (${((100 * part) / all).toFixed(1)} %)`;
}

function sum(values, figureOf) {
  return values.reduce((total, value) => total + figureOf(value), 0);
}

function count(value) {
  return value.toLocaleString("en-US");
}

function table(head, rows) {
  const columns = head.split(" | ");
  return [columns, columns.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}
