import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { STORE_FILE_NAME } from "../../../src/cli/data-folder.ts";
import { LOCAL_TENANT } from "../../../src/cli/open-keeper.ts";
import type { Scenario } from "../../../src/replay/simulated/scenario.ts";
import { openSqliteStore } from "../../../src/stores/sqlite.ts";
import {
  type ClientResult,
  cleanEnvironment,
  ensureClient,
  type InstalledClient,
  runClient,
} from "../../support/clients.ts";
import { buildEbb } from "../../support/ebb-command.ts";
import { type Ground, openGround } from "../../support/ground.ts";
import { conversation, resultsIn, toolNamesIn } from "./evidence.ts";

const ROOT = resolve(import.meta.dirname, "../../..");
const MODEL = "claude-sonnet-4-6";
const TEXT = Array.from({ length: 300 }, (_, index) => `export const value${index + 1} = ${index + 1};\n`).join("");

/** A turn of work, and a turn that the command of the plugin begins. */
const SCENARIO: Scenario = {
  scripts: [
    {
      match: "",
      steps: [
        { tools: [{ do: "read", path: "large.ts" }] },
        { tools: [{ do: "edit", path: "large.ts", old: "value7 = 7;", new: "value7 = 70;" }] },
        { text: "The file is edited." },
        { tools: [{ do: "mcp", tool: "window", input: {} }] },
        { text: "This is the window." },
      ],
    },
  ],
};

describe("Claude Code 2.0.75 with the plugin", () => {
  let client: InstalledClient;
  let ground: Ground;
  let programs: string;
  let steps: Readonly<Record<string, ClientResult>>;

  beforeAll(async () => {
    client = await ensureClient("claude-2.0.75");
    await buildEbb();
    ground = await openGround({ scenario: SCENARIO, config: "" });
    writeFileSync(join(ground.workingFolder, "large.ts"), TEXT);
    programs = programFolder(ground);
    steps = {
      marketplace: await claude("plugin", "validate", ROOT),
      plugin: await claude("plugin", "validate", join(ROOT, "plugins/claude-code")),
      added: await claude("plugin", "marketplace", "add", ROOT),
      installed: await claude("plugin", "install", "ebb@ebb"),
      worked: await claude("-p", "Read and edit.", "--model", MODEL, "--dangerously-skip-permissions"),
      listed: await claude("-p", "/ebb:window", "--continue", "--model", MODEL, "--dangerously-skip-permissions"),
    };
  });

  afterAll(async () => {
    await ground?.close();
  });

  /** Runs the client with `ebb` on its path. */
  function claude(...args: readonly string[]): Promise<ClientResult> {
    const { home, workingFolder } = ground;
    const env = {
      PATH: `${programs}:${cleanEnvironment(home).PATH}`,
      EBB_DATA_FOLDER: ground.dataFolder,
      ANTHROPIC_BASE_URL: ground.url,
      ANTHROPIC_API_KEY: "not-a-key",
      MAX_THINKING_TOKENS: "0",
    };
    return runClient({ client, args, env, home, workingFolder, timeoutMs: 120_000 });
  }

  test("finds marketplace and plugin valid, and installs it", () => {
    const { marketplace, plugin, added, installed } = steps;
    expect([marketplace, plugin, added, installed].map((one) => one?.exitCode)).toEqual([0, 0, 0, 0]);
    for (const one of [marketplace, plugin]) expect(one?.stdout).not.toMatch(/warning|error/i);
  });

  test("offers the tools of the plugin, and markers name the tool", () => {
    const requests = conversation(ground, MODEL);
    const names = toolNamesIn(requests.at(-1)?.bodyRaw ?? "").filter((name) => name.includes("ebb"));
    expect(names.toSorted()).toEqual(
      ["hold", "recall", "release", "window"].map((name) => `mcp__plugin_ebb_ebb__${name}`),
    );
    expect(resultsIn(requests.at(-1)?.bodyRaw ?? "")[0]?.text).toMatch(/Full text: mcp__plugin_ebb_ebb__recall\(id="/);
  });

  test("lists the window of its own conversation for /ebb:window", () => {
    expect(steps.listed).toMatchObject({ exitCode: 0 });
    expect(steps.listed?.stdout).toContain("This is the window.");
    const last = conversation(ground, MODEL).at(-1)?.bodyRaw ?? "";
    expect(last).toContain("Call Ebb's tool `window`");
    expect(resultsIn(last).at(-1)?.text).toMatch(
      /^turn 2, step 3, 2 items; [\s\S]* released \d+ bytes Read \S*large\.ts/,
    );
  });

  test("tells Ebb by its hooks that the conversation was resumed", async () => {
    expect(await notedBoundaries(ground)).toEqual(["resumed: SessionStart resume"]);
    expect(ground.errors).toEqual([]);
  });
});

/** A folder with `ebb` in it, as `npm link` would make one. */
function programFolder(ground: Ground): string {
  const folder = join(ground.home, "programs");
  mkdirSync(folder, { recursive: true });
  const program = join(folder, "ebb");
  writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${join(ROOT, "bin/ebb.mjs")}" "$@"\n`);
  chmodSync(program, 0o755);
  return folder;
}

async function notedBoundaries(ground: Ground): Promise<readonly string[]> {
  const store = openSqliteStore({ file: join(ground.dataFolder, STORE_FILE_NAME) });
  try {
    const told: string[] = [];
    for (const { lineage } of await store.listLineages(LOCAL_TENANT, 100)) {
      const records = await store.loadLineage(LOCAL_TENANT, lineage);
      told.push(
        ...records.flatMap(({ entry }) => (entry.type === "boundary-noted" ? [`${entry.what}: ${entry.source}`] : [])),
      );
    }
    return told;
  } finally {
    await store.close();
  }
}
