// What releasing stale reads does to the input cost of recorded Claude Code sessions, moment by moment, beside what nobody could beat: as Markdown.
// Usage: node bench/src/economics.mjs [FILES...]   (without files: the recorded sessions that EBB_TEST_SESSIONS names)
import { readdirSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import {
  builtinKeeperSettings,
  createMemoryStore,
  createReadLifecycle,
  providers,
  SIZE_BOUND_DEFAULT,
  stubRepair,
  wires,
  wiresWith,
} from "ebb";
import {
  bestSchedule,
  freeSchedule,
  pacedConversations,
  promptSchedule,
  readRecording,
  replayBaseline,
  replayRecording,
  scheduleFigures,
  sessionFigures,
} from "ebb/replay";

const REQUESTS_MIN = 20;
const MIN_TOKENS = 100;
/** Scenarios: prices as multiples of the input price, and the quiet that a path must have had. */
const SCENARIOS = [
  { name: "write 1.25, read 0.1", write: 1.25, read: 0.1, quietSteps: 0 },
  { name: "write 1.25, read 0.05", write: 1.25, read: 0.05, quietSteps: 0 },
  { name: "write 2.0, read 0.1", write: 2, read: 0.1, quietSteps: 0 },
  { name: "write 1.25, read 0.1, quiet_steps 5", write: 1.25, read: 0.1, quietSteps: 5 },
];
const QUIET_STEPS = [0, 1, 2, 3, 5];
const NO_PAYING = { pays: false, attentionPrice: 0, pressureTokens: 0, marks: false };
const ALL = { pays: true, attentionPrice: 0, pressureTokens: null, marks: true };
/** As the simulated provider has it. */
const DELETING = {
  blockType: "cache_edits",
  editsMember: "edits",
  deleteType: "delete",
  referenceMember: "cache_reference",
  needsTextBehind: true,
  betaHeader: null,
};
/** What the keeper does, by what it is allowed to. */
const KEEPERS = [
  { name: "`cold` + `prefix-broken`", coldCache: true, paying: NO_PAYING },
  { name: "all moments", coldCache: true, paying: ALL },
  { name: "all moments, no breakpoint of Ebb's own", coldCache: true, paying: { ...ALL, marks: false }, isMain: true },
  { name: "all moments, and a provider that deletes from its cache", coldCache: true, paying: ALL, deletes: true },
  {
    name: "rewriting at once (`stale_at_depth` alone)",
    coldCache: false,
    staleAtDepth: true,
    paying: NO_PAYING,
    isMain: true,
  },
];
/** What a schedule that knows the recording does, by who removes. */
const SCHEDULES = [
  { name: "model: `cold` alone", schedule: coldSchedule, remover: "client" },
  {
    name: "model: `cold` and `prefix-broken`, wherever all is written again anyway",
    schedule: freeSchedule,
    remover: "client",
  },
  { name: "model: rewriting at once, an entry always before the cut", schedule: promptSchedule, remover: "client" },
  { name: "**model: best possible with hindsight**", schedule: bestSchedule, remover: "client" },
  { name: "model: deleted by the provider as soon as stale", schedule: promptSchedule, remover: "provider" },
];
const MARKER_TOKENS = 60;
const MINUTE_MS = 60_000;
const FIVE_MINUTES_MS = 5 * MINUTE_MS;
const HOUR_MS = 60 * MINUTE_MS;
const EVIDENCE = { bashEdits: false, harnessNotices: true, shellReads: "auto" };

const builtin = builtinKeeperSettings();
const recordings = await openAll(process.argv.slice(2));
const replays = new Map();
const sections = [];
for (const scenario of SCENARIOS) sections.push(await sectionOf(scenario));

console.log(
  [
    "# What releasing stale reads does to the input cost",
    "`node bench/src/economics.mjs`: recorded Claude Code sessions with a usage, replayed at their recorded times and lifetimes against the simulated prompt cache. Only the read lifecycle " +
      `runs: stale and superseded reads of more than ${MIN_TOKENS} tokens, no size bound, no lifetimes, models that bind no thinking. Input cost alone, with prices as multiples of the input price, ` +
      "against doing nothing. Negative is cheaper. Missed later: regrets, strict / use / induced. The dearest session is the one that saves least, or costs most.",
    `Sessions: ${recordings.map(({ recording }) => basename(recording.file)).join(", ")}.`,
    ...sections.flat(),
    "## How long a path must be quiet",
    "All moments, with prices of 1.25 and 0.1: what waiting costs, and which releases were [missed later](../../docs/concepts/regrets.md) (strict / use / induced).",
    await quietTable(),
  ].join("\n\n"),
);

async function openAll(given) {
  const files = given.length > 0 ? given : recordedFiles();
  const opened = [];
  for (const file of files) {
    const outcome = await readRecording(file, { counter: builtin.tokens });
    if (!outcome.ok) continue;
    const { recording } = outcome;
    const told = recording.contexts.flatMap(({ requests }) => requests).filter(hasUsage);
    if (told.length >= REQUESTS_MIN) opened.push({ recording, paced: pacedConversations(recording, paceParts()) });
  }
  return opened;
}

function hasUsage({ usage }) {
  return usage !== null && usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens > 0;
}

function recordedFiles() {
  const folder = process.env.EBB_TEST_SESSIONS ?? resolve(import.meta.dirname, "../../../shared/fixtures");
  const sessions = join(folder, "sessions", "claude-code");
  return readdirSync(sessions)
    .sort()
    .map((name) => join(sessions, name));
}

function paceParts() {
  const analysis = {
    wires,
    dialects: builtin.dialects,
    shell: builtin.shell,
    evidence: EVIDENCE,
    counter: builtin.tokens,
    bound: SIZE_BOUND_DEFAULT,
  };
  return {
    analysis,
    traitsOf: providers.anthropic.traitsOf,
    factsOf: providers.anthropic.modelFacts,
    minTokens: MIN_TOKENS,
  };
}

async function sectionOf(scenario) {
  const rows = [];
  for (const keeper of KEEPERS) {
    if (keeper.isMain !== true || scenario === SCENARIOS[0]) rows.push(await keeperRow(keeper, scenario));
  }
  for (const model of SCHEDULES) rows.push(modelRow(model, scenario));
  const hindsight = rows.at(-2);
  const table = [
    "row | input cost | share of hindsight | stale token-turns left | releases | missed later | dearest session | law violations",
    ...rows.map((row) => [
      row.name,
      percent(change(row)),
      row.releases === null && row !== hindsight ? "" : percent(change(row) / change(hindsight), false),
      percent(sum(row.sessions, "stale") / sum(row.sessions, "staleWithout"), false),
      row.releases === null ? "" : String(row.releases),
      row.releases === null ? "" : row.regrets.join(" / "),
      dearest(row),
      row.releases === null ? "" : String(row.violations),
    ]),
  ];
  return [`## ${scenario.name}`, markdown(table), `### Session by session`, sessionTable(rows)];
}

function change({ sessions }) {
  return sum(sessions, "cost") / sum(sessions, "without") - 1;
}

async function keeperRow(keeper, { write, read, quietSteps }) {
  const prices = { input: 1, cacheWrite5m: write, cacheWrite1h: write, cacheRead: read, output: 0 };
  const sessions = [];
  let releases = 0;
  let violations = 0;
  const regrets = [0, 0, 0];
  for (const [index, { recording }] of recordings.entries()) {
    const replay = await replayOnce(keeper, index, prices, quietSteps);
    const { figures, bills } = replay;
    releases += figures.released;
    violations += figures.law_violations;
    ["strict", "use", "induced"].forEach((kind, at) => {
      regrets[at] += figures.regret[kind];
    });
    sessions.push({
      name: basename(recording.file),
      cost: cost(bills, ({ bill }) => bill, prices),
      without: cost(bills, ({ baselineBill }) => baselineBill, prices),
      stale: figures.stale_token_turns,
      staleWithout: figures.baseline_stale_token_turns,
    });
    if (process.stderr.isTTY) process.stderr.write(`${keeper.name} ${basename(recording.file)}\n`);
  }
  return { name: keeper.name, sessions, releases, violations, regrets };
}

async function quietTable() {
  const [{ write, read }] = SCENARIOS;
  const rows = [];
  for (const quietSteps of QUIET_STEPS)
    rows.push([quietSteps, await keeperRow(KEEPERS[1], { write, read, quietSteps })]);
  return markdown([
    "quiet_steps | input cost | stale token-turns left | releases | missed later",
    ...rows.map(([quietSteps, row]) => [
      String(quietSteps),
      percent(change(row)),
      percent(sum(row.sessions, "stale") / sum(row.sessions, "staleWithout"), false),
      String(row.releases),
      row.regrets.join(" / "),
    ]),
  ]);
}

/** Only what is weighed against prices is replayed for each of them; the rest is billed again. */
async function replayOnce(keeper, index, prices, quietSteps) {
  const name = JSON.stringify([keeper.name, index, quietSteps, keeper.paying.pays ? prices : null]);
  const known = replays.get(name);
  if (known !== undefined) return known;
  const { recording } = recordings[index];
  const settings = settingsOf(keeper, prices, quietSteps);
  recordings[index].baseline ??= await replayBaseline(recording, settings);
  const { requests, ...replay } = await replayRecording(recording, settings, { baseline: recordings[index].baseline });
  const kept = {
    figures: sessionFigures({ ...replay, requests }),
    bills: requests.map(({ bill, baselineBill }) => ({ bill, baselineBill })),
  };
  replays.set(name, kept);
  return kept;
}

function settingsOf({ coldCache, staleAtDepth = false, deletes = false, paying }, prices, quietSteps) {
  const reads = { minTokens: MIN_TOKENS, stale: true, superseded: true, markerMode: "full" };
  const policies = [stubRepair, createReadLifecycle({ ...reads, coldCache, staleAtDepth, quietSteps })];
  const rows = [{ fromMs: 0, promptTokensOver: 0, prices }];
  const provider = {
    ...providers.anthropic,
    modelFacts: (model) => ({
      ...providers.anthropic.modelFacts(model),
      prices: rows,
      thinkingBinding: "none",
      deletesInCache: deletes,
    }),
  };
  return {
    keeper: {
      ...builtin,
      mode: "enforce",
      policies,
      providers: [provider],
      evidence: EVIDENCE,
      deliberateWhenFree: false,
      boundThinking: "hold",
      serverClear: false,
      paying,
      lifetimeRules: [],
      bound: SIZE_BOUND_DEFAULT,
      recallCommand: "ebb recall",
      isNeverStored: () => false,
      retentionMs: Number.MAX_SAFE_INTEGER,
      onError: (code, words) => process.stderr.write(`${code}: ${words}\n`),
    },
    newStore: () => createMemoryStore({}),
    wires: wiresWith(deletes ? DELETING : null),
    providerOf: () => provider,
    traitsOf: providers.anthropic.traitsOf,
    cacheEdits: deletes ? DELETING : null,
  };
}

function cost(requests, billOf, prices) {
  return requests.map(billOf).reduce((total, bill) => {
    const written = bill.cacheWrite5mTokens + bill.cacheWrite1hTokens;
    return total + bill.inputTokens + prices.cacheWrite5m * written + prices.cacheRead * bill.cacheReadTokens;
  }, 0);
}

function modelRow({ name, schedule, remover }, { write, read }) {
  const rates = { write, read, markerTokens: MARKER_TOKENS };
  const sessions = recordings.map(({ recording, paced }) => {
    const figures = paced.map((one) => scheduleFigures(one, schedule(one, rates), rates, remover));
    const without = paced.map((one) => scheduleFigures(one, new Map(), rates, remover));
    return {
      name: basename(recording.file),
      cost: sum(figures, "cost"),
      without: sum(without, "cost"),
      stale: sum(figures, "staleTokenTurns"),
      staleWithout: sum(without, "staleTokenTurns"),
    };
  });
  return { name, sessions, releases: null, violations: 0 };
}

/** Each read leaves at the first request that comes later than its conversation's cache lives, and a minute more. */
function coldSchedule(conversation, rates) {
  const isCold = conversation.map(({ atMs }, index) => {
    const before = conversation[index - 1];
    if (before === undefined) return false;
    return atMs - before.atMs >= (before.isHourLong ? HOUR_MS : FIVE_MINUTES_MS) + MINUTE_MS;
  });
  const leaving = Array.from(promptSchedule(conversation, rates), ([callId, staleAt]) => {
    return [callId, isCold.findIndex((cold, index) => cold && index >= staleAt)];
  });
  return new Map(leaving.filter(([, at]) => at !== -1));
}

function dearest({ sessions }) {
  const worst = sessions.reduce((one, other) => (other.cost / other.without > one.cost / one.without ? other : one));
  return `${percent(worst.cost / worst.without - 1)} ${worst.name}`;
}

function sessionTable(rows) {
  const head = ["session", ...rows.map(({ name }) => name)].join(" | ");
  const lines = recordings.map(({ recording }, index) => [
    basename(recording.file),
    ...rows.map(({ sessions }) => percent(sessions[index].cost / sessions[index].without - 1)),
  ]);
  return markdown([head, ...lines]);
}

function sum(values, field) {
  return values.reduce((total, value) => total + value[field], 0);
}

function percent(share, isSigned = true) {
  const words = (100 * share).toFixed(isSigned ? 2 : 1).replace("-", "−");
  return `${isSigned && share >= 0 ? "+" : ""}${words} %`;
}

function markdown([head, ...rows]) {
  const columns = head.split(" | ");
  return [columns, columns.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}
