import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { anthropicProvider } from "../../src/providers/anthropic.ts";
import { startSimulatedProvider } from "../../src/replay/simulated/server.ts";
import { cleanEnvironment } from "../support/clients.ts";
import { pagesBody } from "./support/talks.ts";

const PROGRAM = resolve(import.meta.dirname, "../../bin/ebb.mjs");

/** Stands in front of a program and writes down, line by line, whatever leaves the process. */
const WITNESS = `
import { appendFileSync } from "node:fs";
import { createRequire, syncBuiltinESMExports } from "node:module";
const require = createRequire(import.meta.url);
const told = (line) => appendFileSync(process.env.WITNESS_FILE, line + "\\n");
const watch = (of, name, words) => {
  const own = of[name];
  of[name] = function (...args) {
    const line = words(args);
    if (line !== null) told(line);
    return own.apply(this, args);
  };
};
// An address that is looked up asks nobody.
const lookUp = ([host]) => (require("node:net").isIP(host) === 0 ? "look up " + host : null);
const targetOf = (args) => {
  const [first] = Array.isArray(args[0]) ? args[0] : args;
  return typeof first === "object" && first !== null ? (first.path ?? (first.host ?? "localhost") + ":" + first.port) : String(first);
};
watch(require("node:net").Socket.prototype, "connect", (args) => "connect " + targetOf(args));
for (const of of [require("node:dns"), require("node:dns").promises]) {
  for (const name of ["lookup", "resolve", "resolve4", "resolve6"]) watch(of, name, lookUp);
}
watch(require("node:dgram"), "createSocket", () => "datagram socket");
for (const name of ["spawn", "execFile", "exec", "fork"]) {
  watch(require("node:child_process"), name, ([program]) => "start " + program);
}
syncBuiltinESMExports();
`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ebb-calls-"));
  writeFileSync(join(folder, "witness.mjs"), WITNESS);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function start(args: readonly string[]) {
  const env = {
    ...cleanEnvironment(folder),
    WITNESS_FILE: join(folder, "witness.log"),
    NODE_OPTIONS: `--import=${pathToFileURL(join(folder, "witness.mjs")).href}`,
  };
  const child = spawn(process.execPath, args, { cwd: folder, env, stdio: ["ignore", "pipe", "ignore"] });
  const ended = new Promise<number | null>((done) => child.once("close", done));
  const output = createInterface({ input: child.stdout });
  return { child, ended, output };
}

async function run(args: readonly string[]): Promise<void> {
  const { ended, output } = start(args);
  output.resume();
  await ended;
}

function seen(): readonly string[] {
  const file = join(folder, "witness.log");
  return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
}

describe("what leaves a process of Ebb", () => {
  test("is seen by the witness of these tests", async () => {
    const code = 'fetch("http://127.0.0.1:49150").catch(() => {}); require("dns").lookup("localhost", () => {});';
    await run(["-e", `${code} require("child_process").spawn(process.execPath, ["-v"]);`]);
    expect(seen().toSorted()).toEqual(
      ["connect 127.0.0.1:49150", "look up localhost", `start ${process.execPath}`].toSorted(),
    );
  });

  test("is the request to the upstream and nothing else, from the proxy's start to its end", async () => {
    const scenario = { scripts: [{ match: "", steps: [{ text: "Well." }] }] };
    const provider = await startSimulatedProvider({ models: anthropicProvider, scenario });
    try {
      const { child, ended, output } = start([PROGRAM, "proxy", "--port", "0", "--upstream", provider.url]);
      const url = await new Promise<string>((found) => {
        output.on("line", (line) => found(/http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0] ?? ""));
      });
      for (const name of ["a", "b"]) {
        const response = await fetch(`${url}/v1/messages`, { method: "POST", body: pagesBody(name) });
        expect(response.status).toBe(200);
        await response.text();
      }
      await (await fetch(`${url}/healthz`)).text();
      child.kill("SIGTERM");
      expect(await ended).toBe(0);
      expect(provider.requests()).toHaveLength(2);
      const upstream = `connect ${new URL(provider.url).host}`;
      expect([...new Set(seen())]).toEqual([upstream]);
    } finally {
      await provider.close();
    }
  });

  test.each(["recall index", "window", "purge --all --yes", "hook"])(
    "is nothing where a command works on the store alone: %s",
    async (line) => {
      await run([PROGRAM, ...line.split(" ")]);
      expect(seen()).toEqual([]);
    },
  );
});
