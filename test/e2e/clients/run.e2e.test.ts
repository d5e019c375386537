import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ScriptStep } from "../../../src/replay/simulated/scenario.ts";
import { type ClientResult, cleanEnvironment, ensureClient, runClient } from "../../support/clients.ts";
import { buildEbb, type EbbProcess, ebb, startEbbProcess } from "../../support/ebb-command.ts";
import { type Ground, openGround } from "../../support/ground.ts";
import { resultsIn, toolNamesIn } from "./evidence.ts";

const PROGRAM = resolve(import.meta.dirname, "../../../bin/ebb.mjs");
const MODEL = "claude-sonnet-4-6";
const FILE = "large.txt";
const TEXT = Array.from({ length: 600 }, (_, index) => `a line of the file, number ${index + 1}\n`).join("");
const CONFIG = "bound: { lines: 200, bytes: 60000 }\n";
const TIMEOUT_MS = 180_000;

interface Client {
  readonly name: "pi" | "claude-2.0.75";
  readonly typed: string;
  readonly args: readonly string[];
  readonly recallTool: string;
  /** What the user has configured, by path in the home folder. */
  readonly configured: (url: string) => Readonly<Record<string, string>>;
  readonly env: (url: string) => Readonly<Record<string, string>>;
}

const KEY = { ANTHROPIC_API_KEY: "not-a-key" };
const CLIENTS: readonly Client[] = [
  {
    name: "pi",
    typed: "pi",
    args: ["--provider", "anthropic", "--model", MODEL, "-p"],
    recallTool: "ebb_recall",
    configured: (url) => ({
      ".pi/agent/models.json": `{ // mine\n "providers": { "anthropic": { "baseUrl": "${url}" }, }\n}\n`,
    }),
    env: () => KEY,
  },
  {
    name: "claude-2.0.75",
    typed: "claude",
    args: ["--model", MODEL, "--dangerously-skip-permissions", "-p"],
    recallTool: "mcp__ebb__recall",
    configured: () => ({ ".claude/settings.json": '{ "includeCoAuthoredBy": false }\n' }),
    env: (url) => ({ ...KEY, ANTHROPIC_BASE_URL: url }),
  },
];

describe.each(CLIENTS)("`ebb run $typed`", (client) => {
  let ground: Ground;
  let proxy: EbbProcess;
  let before: Readonly<Record<string, string>>;
  let plain: readonly string[];
  let ends: readonly ClientResult[];

  beforeAll(async () => {
    await ensureClient(client.name);
    await buildEbb();
    const reading = scenarioOf([{ tools: [{ do: "read", path: FILE }] }, { text: "It is read." }]);
    ground = await openGround({ scenario: reading, config: null });
    writeFileSync(join(ground.workingFolder, FILE), TEXT);
    before = client.configured(ground.url);

    const other = join(dirname(ground.home), "other-home");
    place(other, { ...before, ".config/ebb/ebb.yaml": CONFIG, ".local/share/ebb/mine": "" });
    await start(other, [client.typed], "Read it.");
    await start(other, [client.typed, "--continue"], "Say it again.");
    plain = namesIn(other);

    place(ground.home, { ...before, ".config/ebb/ebb.yaml": CONFIG });
    const first = await throughEbb("Read it.", []);
    const id = await addressOfRead();
    ground.provider.setScenario(
      scenarioOf([
        { tools: [{ do: "read", path: FILE }] },
        { text: "It is read." },
        { tools: [{ name: client.recallTool, input: { id, range: "100-104" } }] },
        { text: "All is done." },
      ]),
    );
    proxy = await startEbbProcess(ground.home, ["--port", "0", "--upstream", ground.url]);
    ends = [first, await throughEbb("Recall it.", ["--continue"])];
  });

  afterAll(async () => {
    await proxy?.stop();
    await ground?.close();
  });

  test("ends as the client does, and says what it did", () => {
    expect(ends.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
    expect(ends.map(({ stdout }) => stdout.trim())).toEqual(["It is read.", "All is done."]);
    const [first, second] = ends.map(({ stderr }) => stderr.split("\n").filter((line) => line.startsWith("ebb: ")));
    expect(first?.[0]).toMatch(/^ebb: (?:pi|Claude Code) goes through 127\.0\.0\.1:\d+ to http:\/\/127\.0\.0\.1:\d+ /);
    expect(first?.at(-5)).toMatch(/^ebb: 1 released \([\d,]+ tokens\); 0 recalled; \d requests?$/);
    expect(second?.[0]).toContain(`goes through the proxy that runs on ${new URL(proxy.url).host} to`);
    expect(second?.at(-5)).toMatch(/^ebb: 0 released: .*; 1 recalled \(\d+ tokens\); \d requests?$/);
    expect(second?.at(-4)).toMatch(/^ebb: peak window [1-9][\d,]* tokens$/);
    expect(ends.map(({ stderr }) => stderr).join()).not.toContain("trouble");
  });

  test("sends a marker in the read's place, and brings back what is recalled", () => {
    const body = ground.sent().at(-1)?.body.toString("utf8") ?? "";
    const [read, recalled] = resultsIn(body);
    expect(read?.text).toMatch(/^\[ebb [0-9a-z]{12}\] [Rr]ead /);
    expect(recalled?.text).toContain("a line of the file, number 104");
    expect(recalled?.text).not.toContain("number 105");
    expect(toolNamesIn(body)).toContain(client.recallTool);
  });

  test("changes nothing of the user's, and leaves nothing but what the client itself leaves, and Ebb's data folder", () => {
    for (const [path, text] of Object.entries(before)) expect(readFileSync(join(ground.home, path), "utf8")).toBe(text);
    expect(namesIn(ground.home)).toEqual(plain);
  });

  function throughEbb(prompt: string, more: readonly string[]): Promise<ClientResult> {
    return start(ground.home, [process.execPath, PROGRAM, "run", client.typed, ...more], prompt);
  }

  /** The client as a person has it: a program on the path. */
  async function start(home: string, command: readonly string[], prompt: string): Promise<ClientResult> {
    const installed = await ensureClient(client.name);
    const bin = join(dirname(ground.home), "bin");
    mkdirSync(bin, { recursive: true });
    const words = installed.command.map((word) => `'${word}'`).join(" ");
    writeFileSync(join(bin, client.typed), `#!/bin/sh\nexec ${words} "$@"\n`);
    chmodSync(join(bin, client.typed), 0o755);
    const [program = client.typed, ...leading] = command;
    return runClient({
      client: { ...installed, command: [program, ...leading] },
      args: [...client.args, prompt],
      home,
      workingFolder: ground.workingFolder,
      env: { ...client.env(ground.url), PATH: `${bin}:${cleanEnvironment(home).PATH}` },
      timeoutMs: TIMEOUT_MS,
    });
  }

  async function addressOfRead(): Promise<string> {
    const listed = await ebb(ground.home, ["window", "--json"]);
    const { items } = JSON.parse(listed.toString("utf8"));
    return items.find((one: { readonly label: string }) => one.label.includes(FILE)).address;
  }
});

function scenarioOf(steps: readonly ScriptStep[]) {
  return { scripts: [{ match: "", steps }] };
}

function place(home: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
  }
}

/** Ebb's data folder, and the log that Claude Code keeps of each tool server. */
const ASIDE = /^\.local\/share\/ebb(?:\/|$)|^\.cache(?:\/|$)/;

/** Files and folders below a home folder, without what names a session, a time or a process. */
function namesIn(home: string): readonly string[] {
  const names = readdirSync(home, { recursive: true, encoding: "utf8" }).filter((name) => !ASIDE.test(name));
  return Array.from(new Set(names.map((name) => name.replaceAll(/[0-9a-f-]{8,}|\d{4,}[\dT:Z.-]*/g, "ID")))).toSorted();
}
