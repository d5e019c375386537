#!/usr/bin/env node
// Read by any Node that knows modules: nothing of Ebb is imported before it is known to be new enough.
const OLDEST = [20, 19];

const [major, minor] = process.versions.node.split(".").map(Number);
const isTooOld = major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1]);

if (isTooOld) refuse();
else start();

function refuse() {
  const words = `${process.versions.node} is too old: Ebb needs ${OLDEST.join(".")} or newer`;
  const fix =
    "install a newer Node from https://nodejs.org or with your version manager, then `npm rebuild better-sqlite3`";
  process.exitCode = 2;
  const [, , command, ...rest] = process.argv;
  if (command !== "doctor") return process.stderr.write(`ebb: Node ${words}; ${fix}\n`);
  if (!rest.includes("--json"))
    return process.stdout.write(`installation\n  fail  Node  ${words}\n              fix: ${fix}\n`);
  const finding = { area: "installation", name: "Node", state: "fail", words, fix };
  process.stdout.write(`${JSON.stringify({ version: null, exit: 2, findings: [finding] }, null, 2)}\n`);
}

function start() {
  import("../dist/cli/main.js")
    .then(({ main }) => main(process.argv.slice(2)))
    .then((code) => {
      process.exitCode = code;
    })
    .catch(explain);
}

/** What a half-finished installation lacks is said in words; every other mistake keeps its trace. */
function explain(error) {
  if (error === null || typeof error !== "object" || error.code !== "ERR_MODULE_NOT_FOUND") throw error;
  process.exitCode = 2;
  process.stderr.write(
    `ebb: a part of Ebb is missing (${error.message.split("\n")[0]}); run \`npm install\` in its folder\n`,
  );
}
