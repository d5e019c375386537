import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ScriptStep } from "../../../src/replay/simulated/scenario.ts";
import { type AgentTask, runAgent } from "../../support/agents.ts";
import { type ClientName, type ClientResult, ensureClient } from "../../support/clients.ts";
import { buildEbb, ebb, ebbToolServer } from "../../support/ebb-command.ts";
import { type Ground, openGround } from "../../support/ground.ts";
import { pngFile } from "../../support/png.ts";
import { conversation } from "./evidence.ts";

/** Claude Code in CI; the current one is large and runs only with `EBB_TEST_CURRENT_CLIENT=1`. */
const CLIENTS: readonly ClientName[] = [
  "claude-2.0.75",
  ...(process.env.EBB_TEST_CURRENT_CLIENT === "1" ? (["claude-current"] as const) : []),
];
const MODEL = "claude-sonnet-4-6";
const COUNT = 60;
const A_STEP = 3;
const IMAGES_MAX = 20;
const FIRST = "shot0.png";

const LOOK: readonly ScriptStep[] = [
  ...Array.from({ length: COUNT / A_STEP }, (_, step) => ({
    tools: Array.from({ length: A_STEP }, (_unused, at) => ({
      do: "read" as const,
      path: `shot${step * A_STEP + at}.png`,
    })),
  })),
  { text: "All pages are seen." },
];

interface ImageBlock {
  readonly type: string;
  readonly source?: { readonly media_type: string; readonly data: string };
}

interface ResultBlock extends ImageBlock {
  readonly id?: string;
  readonly input?: { readonly file_path?: string };
  readonly tool_use_id?: string;
  readonly content?: string | readonly ImageBlock[];
}

describe.each(CLIENTS)(`%s in a session of ${COUNT} images`, (name) => {
  let ground: Ground;
  let ends: readonly ClientResult[];

  beforeAll(async () => {
    await ensureClient(name);
    await buildEbb();
    const config = `media: { images_max: ${IMAGES_MAX} }\n`;
    ground = await openGround({ scenario: { scripts: [{ match: "", steps: LOOK }] }, config });
    for (let seed = 0; seed < COUNT; seed++) {
      writeFileSync(join(ground.workingFolder, `shot${seed}.png`), pngFile(seed, 480, 400));
    }
    const toolServerConfig = ebbToolServer(ground.workingFolder, ground.dataFolder);
    const task: AgentTask = {
      prompt: "Look at all pages.",
      model: MODEL,
      isContinued: false,
      withThinking: false,
      toolServerConfig,
    };
    const first = await runAgent(name, ground, task);
    const recall = { tools: [{ do: "mcp" as const, tool: "recall", input: { id: await addressOfFirst() } }] };
    const steps: readonly ScriptStep[] = [...LOOK, recall, { text: "The first one is seen again." }];
    ground.provider.setScenario({ scripts: [{ match: "", steps }] });
    ends = [first, await runAgent(name, ground, { ...task, prompt: "The first one again.", isContinued: true })];
  });

  afterAll(async () => {
    await ground?.close();
  });

  test("ends well, and no request holds more images than its budget", () => {
    expect(ends.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
    expect(ends.at(-1)?.stdout).toContain("The first one is seen again.");
    expect(ground.errors).toEqual([]);
    expect(ground.received().filter((request) => request.status !== 200)).toEqual([]);
    const counts = conversation(ground, MODEL).map(({ bodyRaw }) => imagesIn(bodyRaw).length);
    expect(Math.max(...counts)).toBeLessThanOrEqual(IMAGES_MAX);
    expect(Math.max(...ground.sent().map(({ body }) => imagesIn(body.toString("utf8")).length))).toBeGreaterThan(COUNT);
    expect(ground.stats()).toMatchObject({ law_violations: 0 });
    expect(ground.stats()?.released).toContainEqual(expect.objectContaining({ reason: "over_budget" }));
  });

  test("gets an early image back as an image block, byte for byte", () => {
    const sent = conversation(ground, MODEL).map(({ bodyRaw }) => bodyRaw);
    const early = imageOfFirst(sent.find((body) => imagesIn(body).length > 0) ?? "");
    const last = sent.at(-1) ?? "";
    expect(early?.source?.data.length).toBeGreaterThan(100);
    expect(last).toContain('mcp__ebb__recall(id=\\"');
    const images = imagesIn(last).filter(({ source }) => source?.data === early?.source?.data);
    expect(images).toMatchObject([{ type: "image", source: { media_type: early?.source?.media_type } }]);
    expect(resultsIn(last).findLast(({ content }) => Array.isArray(content))?.content).toContainEqual(images[0]);
  });

  async function addressOfFirst(): Promise<string> {
    const listed = await ebb(ground.home, ["window", "--json", "--data-folder", ground.dataFolder]);
    const items: readonly { readonly kind: string; readonly label: string; readonly address: string }[] = JSON.parse(
      listed.toString("utf8"),
    ).items;
    return items.find(({ kind, label }) => kind === "media" && label.includes(FIRST))?.address ?? "";
  }
});

function blocksIn(body: string): readonly ResultBlock[] {
  const { messages }: { messages: { content: string | ResultBlock[] }[] } = JSON.parse(body);
  return messages.flatMap(({ content }) => (typeof content === "string" ? [] : content));
}

/** Parallel reads answer in any order, so the call tells which image is the first one's. */
function imageOfFirst(body: string): ImageBlock | undefined {
  const call = blocksIn(body).find(({ type, input }) => type === "tool_use" && input?.file_path?.endsWith(FIRST));
  const content = resultsIn(body).find(({ tool_use_id }) => tool_use_id === call?.id)?.content;
  return typeof content === "string" ? undefined : content?.find(({ type }) => type === "image");
}

function resultsIn(body: string): readonly ResultBlock[] {
  return blocksIn(body).filter(({ type }) => type === "tool_result");
}

function imagesIn(body: string): readonly ImageBlock[] {
  return blocksIn(body)
    .flatMap((block): readonly ImageBlock[] => (Array.isArray(block.content) ? block.content : [block]))
    .filter(({ type }) => type === "image");
}
