import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runAgent } from "../../support/agents.ts";
import { ensureClient } from "../../support/clients.ts";
import { buildEbb, type EbbProcess, ebb, startEbbProcess } from "../../support/ebb-command.ts";
import { type Ground, openGround } from "../../support/ground.ts";
import { toolServerConfig } from "../../support/recording/record.ts";
import { conversation, markersIn } from "./evidence.ts";
import { LAST_WORDS } from "./work.ts";

const MODEL = "claude-sonnet-4-6";
const ANSWER_LINES = 20_000;

describe("ebb proxy as a user starts it, with Claude Code and a tool server", () => {
  let ground: Ground;
  let proxy: EbbProcess;

  beforeAll(async () => {
    await ensureClient("claude-2.0.75");
    await buildEbb();
    const steps = [
      { tools: [{ do: "mcp" as const, tool: "answer", input: { lines: ANSWER_LINES } }] },
      { text: LAST_WORDS },
    ];
    ground = await openGround({ scenario: { scripts: [{ match: "", steps }] }, config: null });
    const config = join(ground.workingFolder, "ebb.yaml");
    writeFileSync(config, "preset: standard\n");
    const args = ["--port", "0", "--upstream", ground.url, "--config", config, "--data-folder", ground.dataFolder];
    proxy = await startEbbProcess(ground.home, args);
  });

  afterAll(async () => {
    await proxy?.stop();
    await ground?.close();
  });

  test("shortens an answer over the size bound and gives it back whole", async () => {
    const place = { url: proxy.url, home: ground.home, workingFolder: ground.workingFolder };
    const end = await runAgent("claude-2.0.75", place, {
      prompt: "Ask the tool server.",
      model: MODEL,
      isContinued: false,
      withThinking: false,
      toolServerConfig: toolServerConfig(ground.workingFolder),
    });
    expect(end.exitCode).toBe(0);
    expect(end.stdout).toContain(LAST_WORDS);
    const markers = markersIn(conversation(ground, MODEL).at(-1)?.bodyRaw ?? "");
    expect(markers).toHaveLength(1);
    expect(markers[0]?.text).toContain("over the size bound");
    const folder = ["--data-folder", ground.dataFolder];
    const recalled = await ebb(ground.home, ["recall", markers[0]?.address ?? "", "--raw", ...folder]);
    expect(recalled.toString("utf8")).toBe(answerOf(ANSWER_LINES));
    const slice = await ebb(ground.home, ["recall", markers[0]?.address ?? "", "--range", "19999-", ...folder]);
    expect(slice.toString("utf8")).toContain("line 20000 of the answer");
  });

  test("stops when asked to", async () => {
    expect(await proxy.stop()).toBe(0);
  });
});

function answerOf(lines: number): string {
  return Array.from({ length: lines }, (_, index) => `line ${index + 1} of the answer\n`).join("");
}
