import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { STORE_FILE_NAME } from "../../../src/cli/data-folder.ts";
import { LOCAL_TENANT } from "../../../src/cli/open-keeper.ts";
import type { ScriptStep } from "../../../src/replay/simulated/scenario.ts";
import { openSqliteStore } from "../../../src/stores/sqlite.ts";
import { type AgentTask, runAgent } from "../../support/agents.ts";
import { type ClientName, type ClientResult, ensureClient } from "../../support/clients.ts";
import { buildEbb, ebb, ebbToolServer } from "../../support/ebb-command.ts";
import { type Ground, openGround } from "../../support/ground.ts";
import { conversation, resultsIn, type SentResult, toolNamesIn } from "./evidence.ts";

const MODEL = "claude-sonnet-4-6";
const FILE = "large.ts";
const LINES = 600;
const TEXT = Array.from({ length: LINES }, (_, index) => `export const value${index + 1} = ${index + 1};\n`).join("");
const MARKER = /^\[ebb [0-9a-z]{12}\] Read \S*large\.ts\b/;

/** Claude Code in CI; the current one is large and runs only with `EBB_TEST_CURRENT_CLIENT=1`. It loads tools on demand. */
const CLIENTS: readonly { readonly name: ClientName; readonly loading: readonly ScriptStep[] }[] = [
  { name: "claude-2.0.75", loading: [] },
  ...(process.env.EBB_TEST_CURRENT_CLIENT === "1" ? [{ name: "claude-current" as const, loading: loadTools() }] : []),
];

const READ_AND_EDIT: readonly ScriptStep[] = [
  { tools: [{ do: "read", path: FILE }] },
  { tools: [{ do: "edit", path: FILE, old: "value7 = 7;", new: "value7 = 70;" }] },
  { text: "The file is read and edited." },
];

/** What the model does with the tools, once the address of the read is known. */
function toolSteps(id: string): readonly ScriptStep[] {
  const reason = "as the test says";
  return [
    call("recall", { id, range: "100-104" }),
    call("recall", { id, keep: true, range: "200-220", reason: "only these lines" }),
    call("window", {}),
    call("recall", { id, release: true, reason }),
    call("recall", { id, pattern: "value59\\d" }),
    call("recall", { id: "0000000000zz" }),
    call("hold", { ids: [id], steps: 3, reason }),
    { tools: [mcp("recall", { id, range: "1" }), mcp("recall", { id, range: "600-" })] },
    { text: "All is done." },
  ];
}

function call(
  tool: string,
  input: Readonly<Record<string, string | number | boolean | readonly string[]>>,
): ScriptStep {
  return { tools: [mcp(tool, input)] };
}

function mcp(tool: string, input: Readonly<Record<string, string | number | boolean | readonly string[]>>) {
  return { do: "mcp", tool, input: Object.fromEntries(Object.entries(input)) } as const;
}

function loadTools(): readonly ScriptStep[] {
  const query = "select:mcp__ebb__window,mcp__ebb__hold";
  return [{ tools: [{ name: "ToolSearch", input: { query } }] }];
}

describe.each(CLIENTS)("$name with the tools of `ebb mcp`", ({ name, loading }) => {
  let ground: Ground;
  let address: string;
  let ends: readonly ClientResult[];

  beforeAll(async () => {
    await ensureClient(name);
    await buildEbb();
    ground = await openGround({ scenario: { scripts: [{ match: "", steps: READ_AND_EDIT }] }, config: "" });
    writeFileSync(join(ground.workingFolder, FILE), TEXT);
    const toolServerConfig = ebbToolServer(ground.workingFolder, ground.dataFolder);
    const task: AgentTask = {
      prompt: "Read and edit.",
      model: MODEL,
      isContinued: false,
      withThinking: false,
      toolServerConfig,
    };
    const first = await runAgent(name, ground, task);
    address = await addressOfRead(ground);
    ground.provider.setScenario({
      scripts: [{ match: "", steps: [...READ_AND_EDIT, ...loading, ...toolSteps(address)] }],
    });
    ends = [first, await runAgent(name, ground, { ...task, prompt: "Now the tools.", isContinued: true })];
  });

  afterAll(async () => {
    await ground?.close();
  });

  test("ends well, with Ebb's tools among those of its requests", () => {
    expect(ends.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
    expect(ends.at(-1)?.stdout).toContain("All is done.");
    expect(ground.errors).toEqual([]);
    expect(ground.received().filter((request) => request.status !== 200)).toEqual([]);
    const names = toolNamesIn(conversation(ground, MODEL).at(-1)?.bodyRaw ?? "");
    expect(names).toContain("mcp__ebb__recall");
  });

  test("gets the lines it asked for, numbered as in the file", () => {
    const [recalled] = answers();
    expect(recalled?.text).toContain(`[ebb ${address}] Read `);
    expect(numbersIn(recalled)).toEqual([100, 101, 102, 103, 104]);
    expect(recalled?.text).toContain("export const value104 = 104;");
  });

  test("keeps a slice in the window, and releases it again, each from the next request on", () => {
    const [, kept, listed, released] = answers();
    expect(kept?.text).toMatch(/; from the next request/);
    expect(released?.text).toMatch(/; from the next request/);
    const afterKeep = readAfter(kept);
    expect(afterKeep).toMatch(MARKER);
    expect(afterKeep).toContain("export const value200 = 200;");
    expect(afterKeep).not.toContain("value199");
    expect(afterKeep).not.toContain("value221");
    expect(listed?.text).toMatch(new RegExp(`^${address} kept \\d+ bytes Read `, "m"));
    const afterRelease = readAfter(released);
    expect(afterRelease).toMatch(MARKER);
    expect(afterRelease).not.toContain("value200");
    expect(afterRelease).toContain(`mcp__ebb__recall(id="${address}")`);
  });

  test("recalls again what was released, by pattern and by two calls at once", () => {
    const [, , , , found, , , first, last] = answers();
    expect(numbersIn(found)).toEqual([590, 591, 592, 593, 594, 595, 596, 597, 598, 599]);
    expect(numbersIn(first)).toEqual([1]);
    expect(numbersIn(last)[0]).toBe(600);
  });

  test("is told of an id that nothing has, as an error", () => {
    const [, , , , , unknown] = answers();
    expect(unknown?.text).toMatch(/^unknown id: /);
    expect(unknown?.isError).toBe(true);
    expect(answers().filter(({ isError }) => isError)).toHaveLength(1);
  });

  test("leaves a record of what the agent did, in the conversation it came from and in no other", async () => {
    const store = openSqliteStore({ file: join(ground.dataFolder, STORE_FILE_NAME) });
    try {
      const named: string[][] = [];
      for (const { lineage } of await store.listLineages(LOCAL_TENANT, 100)) {
        const entries = (await store.loadLineage(LOCAL_TENANT, lineage)).map(({ entry }) => entry);
        const decided = entries.flatMap((entry) => {
          if (entry.type === "item-recalled") return [`${entry.by} ${entry.type} ${entry.range ?? entry.pattern}`];
          if (entry.type === "item-wished") return [`${entry.wish.by} ${entry.type} ${entry.wish.wish.kind}`];
          return entry.type === "item-held" ? [`${entry.held.by} ${entry.type} ${entry.held.reason}`] : [];
        });
        if (decided.length > 0) named.push(decided);
      }
      expect(named.map((entries) => entries.toSorted())).toEqual([
        [
          "agent item-held as the test says",
          "agent item-recalled 1",
          "agent item-recalled 100-104",
          "agent item-recalled 600-",
          "agent item-recalled value59\\d",
          "agent item-wished keep",
          "agent item-wished release",
        ],
      ]);
    } finally {
      await store.close();
    }
  });

  /** Answers of Ebb's tools in the order of the calls, as the client sent them last. */
  function answers(): readonly SentResult[] {
    const last = ground.sent().findLast(({ body }) => toolNamesIn(body.toString("utf8")).length > 0);
    return resultsIn(last?.body.toString("utf8") ?? "").slice(2 + loading.length);
  }

  /** The read as the provider received it in the first request that carries `answer`. */
  function readAfter(answer: SentResult | undefined): string {
    const request = conversation(ground, MODEL).find(({ bodyRaw }) =>
      resultsIn(bodyRaw).some(({ callId }) => callId === answer?.callId),
    );
    return resultsIn(request?.bodyRaw ?? "")[0]?.text ?? "";
  }
});

async function addressOfRead(ground: Ground): Promise<string> {
  const listed = await ebb(ground.home, ["window", "--json", "--data-folder", ground.dataFolder]);
  const { items } = JSON.parse(listed.toString("utf8"));
  const read = items.find(
    (one: { readonly label: string }) => one.label.startsWith("Read ") && one.label.includes(FILE),
  );
  return read.address;
}

function numbersIn(answer: SentResult | undefined): readonly number[] {
  return Array.from(answer?.text.matchAll(/^ *(\d+)[→\t:]/gm) ?? [], (match) => Number(match[1]));
}
