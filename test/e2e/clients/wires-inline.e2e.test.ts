import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { wires } from "../../../src/builtins.ts";
import type { CapturedRequest } from "../../../src/replay/simulated/capture.ts";
import type { Scenario } from "../../../src/replay/simulated/scenario.ts";
import { type PiApi, runAgent } from "../../support/agents.ts";
import { type ClientResult, ensureClient } from "../../support/clients.ts";
import { type Ground, openGround } from "../../support/ground.ts";
import type { TappedRequest } from "../../support/tap-server.ts";
import { conversationIn, markerAddress, resultTexts } from "./wire-results.ts";

const FILE = "large.ts";
const TEXT = Array.from({ length: 600 }, (_, index) => `export const value${index + 1} = ${index + 1};\n`).join("");
const CONFIG = "pays: false\nbound: { lines: 300, bytes: 262144 }\n";
const FIRST_WORDS = "It is in line 104.";
const LAST_WORDS = "Nothing more to do.";

/** Reads what is too long to stay, and asks for a part of it behind its marker. */
const scenario: Scenario = {
  scripts: [
    {
      match: "",
      steps: [
        { thinking: "I read it.", text: "Reading.", tools: [{ do: "read", path: FILE }] },
        {
          thinking: "Which line was it?",
          text: "Let me look again.",
          tools: [{ do: "mcp", tool: "recall", input: { id: "$marker:1", range: "100-104" } }],
        },
        { thinking: "There it is.", text: FIRST_WORDS },
        { text: LAST_WORDS },
      ],
    },
  ],
};

interface Played {
  readonly api: PiApi;
  readonly wire: string;
  readonly model: string;
}

const APIS: readonly Played[] = [
  { api: "anthropic-messages", wire: "anthropic-messages", model: "claude-opus-5-5" },
  { api: "openai-completions", wire: "openai-chat", model: "gpt-4.1" },
  { api: "openai-responses", wire: "openai-responses", model: "gpt-5.4" },
  { api: "google-generative-ai", wire: "gemini", model: "gemini-3.1-pro" },
];

/** The formats inside whose streams Ebb answers calls of its own tools. */
const WITH_TOOLS = APIS.filter(({ wire }) => wires.find(({ name }) => name === wire)?.inline !== null);

describe.each(WITH_TOOLS)("pi, which knows nothing of Ebb's tools, behind Ebb as $api", ({ api, model }) => {
  let ground: Ground;
  let ends: readonly ClientResult[];
  let sent: readonly TappedRequest[];
  let received: readonly CapturedRequest[];

  beforeAll(async () => {
    await ensureClient("pi");
    ground = await openGround({ scenario, config: CONFIG });
    writeFileSync(join(ground.workingFolder, FILE), TEXT);
    const task = { model, withThinking: true, toolServerConfig: null, api };
    ends = [
      await runAgent("pi", ground, { ...task, prompt: "Where is value 104?", isContinued: false }),
      await runAgent("pi", ground, { ...task, prompt: "Anything else?", isContinued: true }),
    ];
    sent = ground.sent();
    received = ground.received();
  });

  afterAll(() => ground?.close());

  test("says what the model says; the provider answers one request more than the client sends, and refuses none", () => {
    expect(received.map(({ status, errorMessage }) => errorMessage ?? status)).toEqual([200, 200, 200, 200]);
    expect(sent).toHaveLength(3);
    expect(ends.map(({ stderr }) => stderr)).toEqual(["", ""]);
    expect(ends[0]?.stdout).toContain(FIRST_WORDS);
    expect(ends[1]?.stdout.trim()).toBe(LAST_WORDS);
    expect(ground.errors).toEqual([]);
  });

  test("gives the model the lines it asked for, and shows the client nothing of it", () => {
    const recalled = resultTexts(api, received[2]?.bodyRaw ?? "").at(-1) ?? "";
    expect(recalled).toContain("export const value104 = 104;");
    expect(recalled).not.toContain("value105 =");
    for (const { body } of sent) expect(body.toString("utf8")).not.toContain("ebb_recall");
  });

  test("repeats marker and recall in their places on the next turn", () => {
    const [, , during, after] = received.map(({ bodyRaw }) => conversationIn(api, bodyRaw));
    expect(markerAddress(resultTexts(api, received[1]?.bodyRaw ?? "").at(-1) ?? "")).not.toBeNull();
    expect(after?.slice(0, during?.length)).toEqual(during);
  });
});
