import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { STORE_FILE_NAME } from "../../../src/cli/data-folder.ts";
import { withoutAsides } from "../../../src/replay/law-asides.ts";
import { createLawChecker } from "../../../src/replay/law-checker.ts";
import type { ScriptStep } from "../../../src/replay/simulated/scenario.ts";
import { openSqliteStore } from "../../../src/stores/sqlite.ts";
import { runAgent } from "../../support/agents.ts";
import { type ClientResult, ensureClient } from "../../support/clients.ts";
import { buildEbb, type EbbProcess, ebb, startEbbProcess } from "../../support/ebb-command.ts";
import { type Ground, openGround } from "../../support/ground.ts";
import { asidesIn, type StoredAside } from "../../support/inline/stored-asides.ts";
import { startTapServer, type TappedRequest } from "../../support/tap-server.ts";
import { conversation, markersIn, resultsIn, thinkingIn, toolNamesIn } from "./evidence.ts";

/** Signs thinking over everything before it. */
const MODEL = "claude-opus-5-5";
const FILE = "large.ts";
const TEXT = Array.from({ length: 600 }, (_, index) => `export const value${index + 1} = ${index + 1};\n`).join("");
const CONFIG = "pays: false\nbound: { lines: 300, bytes: 262144 }\n";

/** Three turns; each step is one answer of the provider, so the client sees fewer. */
const STEPS: readonly ScriptStep[] = [
  { thinking: "I read it.", tools: [{ do: "read", path: FILE }] },
  { thinking: "I change it.", tools: [{ do: "edit", path: FILE, old: "value7 = 7;", new: "value7 = 70;" }] },
  { thinking: "Which line was it?", text: "Let me look again.", tools: [recall("100-104")] },
  { thinking: "There it is.", text: "It is in line 104." },
  { thinking: "Both at once.", tools: [recall("200"), { do: "read", path: "small.ts" }] },
  { thinking: "I have both.", text: "Both were read." },
  { tools: [recall("300"), recall("301")] },
  { thinking: "That is all.", text: "All three turns are done." },
];

function recall(range: string) {
  return { do: "mcp", tool: "recall", input: { id: "$marker:1", range } } as const;
}

describe("pi, which knows nothing of Ebb's tools, behind ebb proxy as a user starts it", () => {
  const ends: ClientResult[] = [];
  const codes: (number | null)[] = [];
  const came: TappedRequest[] = [];
  let ground: Ground;
  let asides: readonly StoredAside[] = [];
  let stats: { readonly recalls: number; readonly law_violations: number; readonly errors: readonly unknown[] };

  beforeAll(async () => {
    await ensureClient("pi");
    await buildEbb();
    ground = await openGround({ scenario: { scripts: [{ match: "", steps: STEPS }] }, config: null });
    writeFileSync(join(ground.workingFolder, FILE), TEXT);
    writeFileSync(join(ground.workingFolder, "small.ts"), "export const small = 1;\n");
    const config = join(ground.home, "..", "ebb.yaml");
    writeFileSync(config, CONFIG);
    const args = ["--port", "0", "--upstream", ground.url, "--config", config, "--data-folder", ground.dataFolder];
    let proxy = await startEbbProcess(ground.home, args);
    await task(proxy, "Read and edit.", false);
    await task(proxy, "Now both.", true);
    codes.push(await proxy.stop());
    proxy = await startEbbProcess(ground.home, args);
    await task(proxy, "And the last part.", true);
    const listed = await ebb(ground.home, [
      "stats",
      "--json",
      "--port",
      portOf(proxy),
      "--data-folder",
      ground.dataFolder,
    ]);
    stats = JSON.parse(listed.toString("utf8"));
    codes.push(await proxy.stop());
    const store = openSqliteStore({ file: join(ground.dataFolder, STORE_FILE_NAME) });
    asides = await asidesIn(store);
    await store.close();
  });

  afterAll(async () => {
    await ground?.close();
  });

  async function task(proxy: EbbProcess, prompt: string, isContinued: boolean): Promise<void> {
    const tap = await startTapServer(proxy.url);
    const place = { url: tap.url, home: ground.home, workingFolder: ground.workingFolder };
    ends.push(
      await runAgent("pi", place, { prompt, model: MODEL, isContinued, withThinking: true, toolServerConfig: null }),
    );
    came.push(...tap.requests);
    await tap.close();
  }

  const bodies = () => conversation(ground, MODEL).map(({ bodyRaw }) => bodyRaw);

  test("ends each turn with the words that stand behind the answers", () => {
    expect(ends.map(({ exitCode, stderr }) => [exitCode, stderr])).toEqual(ends.map(() => [0, ""]));
    expect(ends[0]?.stdout).toContain("It is in line 104.");
    expect(ends[1]?.stdout).toContain("Both were read.");
    expect(ends[2]?.stdout).toContain("All three turns are done.");
    expect(codes).toEqual([0, 0]);
  });

  test("is refused by nobody, with thinking signed over what was recalled", () => {
    expect(ground.received().map(({ status }) => status)).toEqual(STEPS.map(() => 200));
    expect(bodies()).toHaveLength(STEPS.length);
    expect(thinkingIn(bodies().at(-1) ?? "")).toBe(6);
    expect(stats).toMatchObject({ law_violations: 0, errors: [] });
  });

  test("recalls what its read left behind, by lines, in one request of its own and beside a read", () => {
    const last = bodies().at(-1) ?? "";
    expect(toolNamesIn(last).at(-1)).toBe("ebb_recall");
    expect(markersIn(last)[0]?.text).toMatch(/^\[ebb [0-9a-z]{12}\] .*large\.ts/);
    const texts = resultsIn(last).map(({ text }) => text);
    expect(texts).toHaveLength(7);
    expect(texts[2]).toContain("export const value104 = 104;");
    expect(texts.filter((text) => text.includes("export const value200 = 200;"))).toHaveLength(1);
    expect(texts.filter((text) => text.includes("export const small = 1;"))).toHaveLength(1);
    expect(texts.at(-1)).toContain("export const value301 = 301;");
  });

  test("repeats in each request what stood in the one before, over the restart too", () => {
    const sent = bodies().map(messagesOf);
    for (const [index, messages] of sent.entries()) {
      const next = sent[index + 1];
      if (next !== undefined) expect(next.slice(0, messages.length)).toEqual(messages);
    }
    expect(new Set(bodies().map((body) => JSON.stringify(JSON.parse(body).tools).replace(BREAKPOINT, ""))).size).toBe(
      1,
    );
  });

  test("keeps the laws beside what was put in, by a checker of its own", () => {
    const laws = createLawChecker();
    const firstRounds = [0, 1, 2, 4, 5, 6];
    expect(came).toHaveLength(firstRounds.length);
    const counts = came.map(({ body: original }, index) => {
      const sent = bodies()[firstRounds[index] ?? -1] ?? "";
      const present = asides.filter(({ ids }) => ids.every((id) => sent.includes(`"id":"${id}"`)));
      const put = present.map(({ blocks }) => blocks);
      const tools = JSON.stringify(JSON.parse(sent).tools.at(-1));
      const { body, violations } = withoutAsides({ original, forwarded: Buffer.from(sent), asides: put, tools });
      const nothing = { declared: new Set<string>(), edits: [], insertions: new Set<string>() };
      const checked = laws.check({ conversation: "pi", original, forwarded: body, ...nothing });
      expect([...violations, ...checked.violations]).toEqual([]);
      return put.length;
    });
    expect(counts).toEqual([0, 0, 0, 1, 2, 2]);
    expect(asides).toHaveLength(3);
  });

  test("keeps no trace of Ebb in its own session file", () => {
    const folder = join(ground.home, ".pi", "agent", "sessions");
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".jsonl"));
    expect(files).toHaveLength(1);
    const session = files.map((name) => readFileSync(join(folder, name), "utf8")).join("");
    expect(session).toContain("Let me look again.");
    expect(session).toContain("It is in line 104.");
    expect(session).not.toMatch(/ebb_recall|\[ebb /);
  });
});

const BREAKPOINT = /,"cache_control":\{[^}]*\}/g;

/** Each message in the form it was sent, breakpoints aside, which the client moves; it wraps the text that carries one. */
function messagesOf(body: string): readonly string[] {
  const { messages }: { messages: readonly { role: string; content: unknown }[] } = JSON.parse(body);
  return messages.map(({ role, content }) =>
    JSON.stringify([role, typeof content === "string" ? [{ type: "text", text: content }] : content]).replaceAll(
      BREAKPOINT,
      "",
    ),
  );
}

function portOf({ url }: EbbProcess): string {
  return new URL(url).port;
}
