import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { CapturedRequest } from "../../../src/replay/simulated/capture.ts";
import type { Scenario } from "../../../src/replay/simulated/scenario.ts";
import { type PiApi, runAgent } from "../../support/agents.ts";
import { type ClientResult, ensureClient } from "../../support/clients.ts";
import { type Ground, openGround } from "../../support/ground.ts";

const FILE = "main.ts";
const TEXT = Array.from({ length: 160 }, (_, index) => `export const value${index + 1} = ${index + 1};\n`).join("");
const LAST_WORDS = "All work is done.";

/** Reads, edits and reads again; two calls in one answer; thinking before each step. */
const scenario: Scenario = {
  scripts: [
    {
      match: "",
      steps: [
        { thinking: "I look first.", text: "Reading.", tools: [{ do: "read", path: FILE }] },
        { thinking: "Now the edit.", tools: [{ do: "edit", path: FILE, old: "value7 = 7;", new: "value7 = 70;" }] },
        {
          tools: [
            { do: "read", path: FILE },
            { do: "bash", command: "echo between" },
          ],
        },
        { thinking: "That is all.", text: LAST_WORDS },
        { text: "Nothing more to do." },
      ],
    },
  ],
};

interface Played {
  readonly api: PiApi;
  readonly model: string;
  /** Member that holds what only the provider can read; null where the API has none. */
  readonly sealed: string | null;
}

const APIS: readonly Played[] = [
  { api: "anthropic-messages", model: "claude-opus-5-5", sealed: "signature" },
  { api: "openai-completions", model: "gpt-4.1", sealed: null },
  { api: "openai-responses", model: "gpt-5.4", sealed: "encrypted_content" },
  { api: "google-generative-ai", model: "gemini-3.1-pro", sealed: "thoughtSignature" },
];

describe.each(APIS)("pi in front of the simulated provider as $api", ({ api, model, sealed }) => {
  let ground: Ground;
  let ends: readonly ClientResult[];
  let requests: readonly CapturedRequest[];

  beforeAll(async () => {
    await ensureClient("pi");
    ground = await openGround({ scenario, config: null });
    writeFileSync(join(ground.workingFolder, FILE), TEXT);
    const task = { model, withThinking: true, toolServerConfig: null, api };
    ends = [
      await runAgent("pi", ground, { ...task, prompt: "Change value 7.", isContinued: false }),
      await runAgent("pi", ground, { ...task, prompt: "Anything else?", isContinued: true }),
    ];
    requests = ground.received();
  });

  afterAll(() => ground?.close());

  test("plays the scenario to its end over two turns, and nothing is refused", () => {
    expect(requests.map(({ status, errorMessage, end }) => ({ status, errorMessage, end }))).toEqual(
      Array.from({ length: 5 }, () => ({ status: 200, errorMessage: null, end: "whole" })),
    );
    expect(ends.map(({ exitCode, stdout }) => [exitCode, stdout.trim()])).toEqual([
      [0, LAST_WORDS],
      [0, "Nothing more to do."],
    ]);
  });

  test("shows the client's tools what they did", () => {
    const last = requests.at(-1)?.bodyRaw ?? "";
    expect(last).toContain("export const value7 = 70;");
    expect(last).toContain("between");
  });

  test("bills each request's longest prefix as read from the cache", () => {
    const reads = requests.map(({ usage }) => usage?.cacheReadTokens ?? 0);
    expect(reads[0]).toBe(0);
    for (const read of reads.slice(2)) expect(read).toBeGreaterThan(1_000);
  });

  test("gets back unaltered what only the provider can read", () => {
    const last = requests.at(-1)?.bodyRaw ?? "";
    const found = new Set(last.match(/"(?:signature|encrypted_content|thoughtSignature)":"[^"]{40,}"/g));
    expect(Array.from(found, (text) => text.split('"')[1])).toEqual(
      found.size === 0 ? [] : expect.arrayContaining([sealed]),
    );
    expect(found.size > 1).toBe(sealed !== null);
  });
});
