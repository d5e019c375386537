import { type ChildProcess, spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { buildProgram, type Program, type Running, startProgram } from "../../../test/hostile/support/program.ts";
import { cleanEnvironment } from "../../../test/support/clients.ts";

const NODE = process.execPath;

interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface Started {
  readonly child: ChildProcess;
  readonly ended: Promise<Ran>;
  /** Resolves once a line of the agent says this. */
  said(words: string): Promise<void>;
}

let program: Program;
let home = "";
const started: ChildProcess[] = [];
const proxies: Running[] = [];

beforeAll(() => {
  program = buildProgram();
});

afterAll(() => program.remove());

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "ebb-run-"));
});

afterEach(() => {
  for (const child of started.splice(0)) endGroup(child);
  for (const { child } of proxies.splice(0)) child.kill("SIGKILL");
  rmSync(home, { recursive: true, force: true });
});

function endGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}

/** `ebb run` with these arguments, in a process group of its own. */
function run(args: readonly string[], env: Record<string, string> = {}): Started {
  return launch(NODE, [join(program.folder, "bin/ebb.mjs"), "run", ...args], env);
}

function launch(command: string, args: readonly string[], env: Record<string, string>): Started {
  const child = spawn(command, args, {
    cwd: home,
    env: { ...cleanEnvironment(home), ...env },
    stdio: "pipe",
    detached: true,
  });
  started.push(child);
  const output = { stdout: "", stderr: "" };
  const waiting = new Map<string, () => void>();
  child.stdout.on("data", (chunk: Buffer) => {
    output.stdout += chunk.toString();
    for (const [words, resolve] of waiting) if (output.stdout.includes(words)) resolve();
  });
  child.stderr.on("data", (chunk: Buffer) => {
    output.stderr += chunk.toString();
  });
  const ended = new Promise<Ran>((resolve) => child.once("close", (code) => resolve({ code, ...output })));
  const said = (words: string) =>
    output.stdout.includes(words) ? Promise.resolve() : new Promise<void>((resolve) => waiting.set(words, resolve));
  return { child, ended, said };
}

/** Arguments that run this text as the agent. */
function agent(text: string, ...args: readonly string[]): readonly string[] {
  const file = join(home, "agent.mjs");
  writeFileSync(file, text);
  return ["--", NODE, file, ...args];
}

/** A program of this name on the path of the environment that is answered. */
function named(name: string, text: string): Record<string, string> {
  const folder = join(home, "bin");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), `#!${NODE}\n${text}`);
  chmodSync(join(folder, name), 0o755);
  return { PATH: `${folder}:${cleanEnvironment(home).PATH}` };
}

const DATA = ".local/share/ebb";

describe("the agent", () => {
  test("has its arguments, its input and its output as without Ebb, and its exit code is that of the run", async () => {
    const { child, ended } = run(
      agent(
        `let text = "";
         process.stdin.on("data", (chunk) => { text += chunk; }).on("end", () => {
           process.stdout.write(JSON.stringify([process.argv.slice(2), text]));
           process.stderr.write("a word of the agent\\n");
           process.exit(7);
         });`,
        "-p",
        "hi there",
        "--quiet",
        "--help",
        "--",
        "--x",
      ),
    );
    child.stdin?.end("typed");
    const { code, stdout, stderr } = await ended;
    expect(code).toBe(7);
    expect(JSON.parse(stdout)).toEqual([["-p", "hi there", "--quiet", "--help", "--", "--x"], "typed"]);
    expect(stderr.split("\n").filter((line) => !line.startsWith("ebb: "))).toEqual(["a word of the agent", ""]);
  });

  test("reaches a proxy under a name of its own, and is told of before and after", async () => {
    const { code, stdout, stderr } = await run(
      agent(`const base = process.env.ANTHROPIC_BASE_URL;
        const found = await fetch(new URL("/healthz", base));
        console.log(base, (await found.json()).status);`),
    ).ended;
    expect(code).toBe(0);
    expect(stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/run\/[A-Za-z0-9_-]{16} ok\n$/);
    expect(stderr).toMatch(
      /^ebb: \S+ goes through 127\.0\.0\.1:\d+ to https:\/\/api\.anthropic\.com \(mode enforce\)\nebb: 0 released: no request came through Ebb\n$/,
    );
  });

  test("gets everything behind its name, help and version too, and starts plainly where it begins no conversation", async () => {
    const env = named("claude", "console.log(JSON.stringify([process.argv.slice(2), process.env.ANTHROPIC_BASE_URL]))");
    const calls = [["--help"], ["mcp", "list", "--config", "x"]];
    const runs = await Promise.all(calls.map((args) => run(["claude", ...args], env).ended));
    for (const [index, { code, stdout, stderr }] of runs.entries()) {
      expect([code, JSON.parse(stdout), stderr]).toEqual([0, [calls[index], null], ""]);
    }
  });

  test("that does not exist is said, with the code that shells have for it", async () => {
    const { code, stderr } = await run(["no-such-agent", "-p"]).ended;
    expect([code, stderr]).toEqual([127, "ebb: no-such-agent: there is no such program on the path\n"]);
  });
});

describe("signals", () => {
  const COUNTING = `const got = [];
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => {
      got.push(signal);
      console.log(got.join());
      if (got.length === 2) process.exit(9);
    });
    setInterval(() => {}, 1000);
    console.log("ready");`;

  test("of the terminal reach the agent once and never end the run before it", async () => {
    const { child, ended, said } = run(agent(COUNTING));
    await said("ready");
    process.kill(-(child.pid ?? 0), "SIGINT");
    await said("SIGINT");
    process.kill(-(child.pid ?? 0), "SIGINT");
    const { code, stdout, stderr } = await ended;
    expect([code, stdout]).toEqual([9, "ready\nSIGINT\nSIGINT,SIGINT\n"]);
    expect(stderr).toContain("ebb: 0 released");
  });

  test("that only the run is sent are passed on, but for those of the terminal", async () => {
    const { child, ended, said } = run(agent(COUNTING));
    await said("ready");
    child.kill("SIGINT");
    child.kill("SIGHUP");
    await said("SIGHUP");
    child.kill("SIGTERM");
    expect(await ended).toMatchObject({ code: 9, stdout: "ready\nSIGHUP\nSIGHUP,SIGTERM\n" });
  });

  test("that end the agent make the exit code that shells have; a quiet run tells its account alone", async () => {
    const { code, stderr } = await run(["--quiet", ...agent('process.kill(process.pid, "SIGTERM")')]).ended;
    expect([code, stderr]).toEqual([143, "ebb: 0 released: no request came through Ebb\n"]);
  });

  test.skipIf(!existsSync("/proc/self/stat"))("that stop the agent alone stop the run, and both go on", async () => {
    const shell = 'set -m; "$@" & echo "job $!"; wait; fg >/dev/null 2>&1; echo "code $?"';
    const args = agent(
      'console.log("ready"); process.kill(process.pid, "SIGSTOP"); console.log("on"); process.exit(6)',
    );
    const { ended, said } = launch(
      "bash",
      ["-c", shell, "bash", NODE, join(program.folder, "bin/ebb.mjs"), "run", ...args],
      {},
    );
    await said("ready");
    const { stdout } = await ended;
    expect(stdout).toMatch(/^job \d+\nready\non\ncode 6\n$/);
  });
});

describe("what a run leaves behind", () => {
  test("is the data folder alone: the store, the token and nothing of the run", async () => {
    const { stdout } = await run(["pi", "-p", "hi"], {
      ...named(
        "pi",
        `const { readFileSync, statSync } = require("node:fs");
         const [flag, file] = process.argv.slice(2);
         console.log(flag, (statSync(file).mode & 0o777).toString(8), readFileSync(file, "utf8"));`,
      ),
    }).ended;
    expect(stdout).toMatch(/^--extension 600 export default function \(pi\)[\s\S]*\/run\//);
    expect(readdirSync(home).toSorted()).toEqual([".local", "bin"]);
    const left = readdirSync(join(home, DATA), { recursive: true, encoding: "utf8" });
    expect(left.filter((name) => !name.startsWith("ebb.sqlite")).toSorted()).toEqual(["proxies", "runs", "token"]);
  });

  test("is a log in the data folder, and not one line of it on the terminal", async () => {
    const ask = `const asked = await fetch(process.env.ANTHROPIC_BASE_URL + "/v1/models").catch(() => null);
      console.log(asked.status);`;
    const { stdout, stderr } = await run(["--log-level", "info", "--upstream", "http://127.0.0.1:1", ...agent(ask)])
      .ended;
    expect(stdout).toBe("502\n");
    expect(stderr.split("\n").filter((line) => line !== "" && !line.startsWith("ebb: "))).toEqual([]);
    expect(stderr).toContain("trouble: 1 failure to reach the provider");
    expect(readFileSync(join(home, DATA, "run.log"), "utf8")).toContain("ECONNREFUSED");
  });
});

describe("a proxy that runs already", () => {
  const BASE = "console.log(process.env.ANTHROPIC_BASE_URL)";

  async function proxy(...more: readonly string[]): Promise<{ readonly running: Running; readonly port: number }> {
    const running = startProgram(program, { args: ["proxy", "--port", "0", ...more], home });
    proxies.push(running);
    return { running, port: await running.listening() };
  }

  test("is used where it does the same, and in no other case", async () => {
    const { port } = await proxy();
    const others = [["--observe"], ["--upstream", "http://127.0.0.1:9"], ["--bound", "off"], ["--fresh"]];
    const [same, ...different] = await Promise.all(
      [[], ...others].map((flags) => run([...flags, ...agent(BASE)]).ended),
    );
    expect(same?.stdout).toContain(`http://127.0.0.1:${port}/run/`);
    expect(same?.stderr).toContain(`goes through the proxy that runs on 127.0.0.1:${port} to`);
    for (const { stdout, stderr } of different) {
      expect(stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/run\//);
      expect(stderr).not.toContain("the proxy that runs");
    }
    expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
  });

  test("is missed at the end where it ended first", async () => {
    const { running, port } = await proxy();
    const { child, ended, said } = run(agent('console.log("ready"); process.stdin.resume();'));
    await said("ready");
    running.child.kill("SIGKILL");
    await running.ended;
    expect(readdirSync(join(home, DATA, "proxies"))).toHaveLength(1);
    child.stdin?.end();
    expect((await ended).stderr).toContain(`ebb: the proxy on port ${port} ended before the agent`);
    const { stdout } = await run(agent(BASE)).ended;
    expect(stdout).not.toContain(`:${port}/`);
    expect(readdirSync(join(home, DATA, "proxies"))).toEqual([]);
  });
});
