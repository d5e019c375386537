// What the simulated provider's cache would have read, against what recorded sessions say was read: counts alone, as Markdown.
// Usage: node bench/src/simulator-check.mjs FILES...
import { basename } from "node:path";
import { builtinKeeperSettings, providers } from "ebb";
import { checkCache, readRecording } from "ebb/replay";

const { tokens: counter } = builtinKeeperSettings();
const { modelFacts: factsOf, traitsOf } = providers.anthropic;
const ERROR_MAX = 0.01;
const sessions = [];
const silent = [];

for (const file of process.argv.slice(2)) {
  const outcome = await readRecording(file, { counter });
  if (!outcome.ok) continue;
  const rows = checkCache(outcome.recording, { counter, factsOf, traitsOf });
  if (rows.length > 0) sessions.push({ name: basename(file), rows });
  else silent.push(basename(file));
  if (process.stderr.isTTY) process.stderr.write(`${basename(file)}: ${rows.length}\n`);
}
const all = sessions.flatMap(({ rows }) => rows);

console.log(
  [
    "# The simulated prompt cache against recorded sessions",
    "`node bench/src/simulator-check.mjs FILES...`: every recorded request, unedited and at its recorded time, served from the simulated cache; what it would " +
      "have read beside the `cache_read_input_tokens` that the provider reported. Recorded times and lifetimes steer the prediction, and nothing else does.",
    "An error is the difference as a share of the larger of the two, so that a miss taken for a hit is 100 %. Two sizes of the same predicted prefix are compared:",
    "- **as written**: what the provider reported for that prefix in the request that wrote it. This tells whether the cache's rules are right.\n" +
      "- **fitted**: by the sizes fitted to the first five usages of each conversation. This holds the error of the token counter, and of what a client sends and does not log.",
    sessionTable(),
    "## Exceptions",
    "Requests whose read is off by more than 1 % as written, by what the recording shows of the cause.",
    causeTable(),
    exceptionTable(),
    silent.length === 0 ? "" : `Files without any reported usage, not compared: ${silent.length}.`,
  ]
    .filter((part) => part !== "")
    .join("\n\n"),
);

function sessionTable() {
  const rows = sessions.map(({ name, rows: own }) => [name, ...figures(own)]);
  const head =
    "session | requests | median error as written | within 1 % | median error fitted | within 1 % | within 5 %";
  return table(head, [...rows, ["**all**", ...figures(all)]]);
}

function figures(rows) {
  const within = (field, max) => share(rows.filter((row) => row[field] <= max).length, rows.length);
  return [
    String(rows.length),
    percent(median(rows.map((row) => row.predictedError))),
    within("predictedError", ERROR_MAX),
    percent(median(rows.map((row) => row.fittedError))),
    within("fittedError", ERROR_MAX),
    within("fittedError", 5 * ERROR_MAX),
  ];
}

function causeTable() {
  const causes = Array.from(new Set(all.flatMap(({ cause }) => (cause === null ? [] : [cause])))).sort();
  const rows = causes.map((cause) => {
    const own = all.filter((row) => row.cause === cause);
    const more = own.filter((row) => row.recordedRead > row.predictedRead).length;
    return [cause, share(own.length, all.length), String(more), String(own.length - more)];
  });
  return table("cause | requests | recorded read is longer | shorter", rows);
}

function exceptionTable() {
  const rows = sessions.flatMap(({ name, rows: own }) =>
    own.flatMap(({ number, cause, place, predictedRead, recordedRead }) =>
      cause === null ? [] : [[name, `#${number}`, place, count(predictedRead), count(recordedRead), cause]],
    ),
  );
  return table("session | request | predicted to read | tokens | recorded | cause", rows);
}

function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
}

function percent(part) {
  return `${(100 * part).toFixed(1)} %`;
}

function share(part, whole) {
  return `${part} (${percent(whole === 0 ? 0 : part / whole)})`;
}

function count(value) {
  return value.toLocaleString("en-US");
}

function table(head, rows) {
  const columns = head.split(" | ");
  return [columns, columns.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}
