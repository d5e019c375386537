import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { CapturedRequest } from "../../../src/replay/simulated/capture.ts";
import type { Scenario, ScriptStep } from "../../../src/replay/simulated/scenario.ts";
import { type PiApi, runAgent } from "../../support/agents.ts";
import { type ClientResult, ensureClient } from "../../support/clients.ts";
import { buildEbb, ebb } from "../../support/ebb-command.ts";
import { type Ground, openGround } from "../../support/ground.ts";
import type { TappedRequest } from "../../support/tap-server.ts";
import { conversationIn, markerAddress, resultTexts, withResultTexts } from "./wire-results.ts";

const FILE = "main.ts";
const TEXT = Array.from({ length: 160 }, (_, index) => `export const value${index + 1} = ${index + 1};\n`).join("");
const FIRST_WORDS = "The first part is done.";
const LAST_WORDS = "All work is done.";
/** Longer than any of these providers keeps a prefix. */
const GAP_MS = 26 * 3_600_000;
/** Without tools of its own, nothing that Ebb sends is in a body but markers. */
const CONFIG = "pays: false\nbound: { lines: 300, bytes: 262144 }\ninline_tools: off\n";

const bash = (command: string): ScriptStep => ({ tools: [{ do: "bash", command }] });
const FIRST_STEPS: readonly ScriptStep[] = [
  { thinking: "I look first.", text: "Reading.", tools: [{ do: "read", path: FILE }] },
  { thinking: "Now the edit.", tools: [{ do: "edit", path: FILE, old: "value7 = 7;", new: "value7 = 70;" }] },
  {
    thinking: "Is it as it should be?",
    tools: [
      { do: "read", path: FILE },
      { do: "bash", command: "echo beside" },
    ],
  },
  ...["one", "two", "three", "four", "five"].map((word) => bash(`echo ${word}`)),
  { thinking: "That is it.", text: FIRST_WORDS, advanceMs: GAP_MS },
];
const SECOND_STEPS: readonly ScriptStep[] = [
  bash("seq 1 400"),
  { thinking: "Once more.", ...bash("echo six") },
  bash("echo seven"),
  { text: LAST_WORDS },
];
const scenario: Scenario = { scripts: [{ match: "", steps: [...FIRST_STEPS, ...SECOND_STEPS] }] };
const BEFORE_GAP = FIRST_STEPS.length;

const APIS: readonly { readonly api: PiApi; readonly model: string }[] = [
  { api: "anthropic-messages", model: "claude-sonnet-4-6" },
  { api: "openai-completions", model: "gpt-4.1" },
  { api: "openai-responses", model: "gpt-5.4" },
  { api: "google-generative-ai", model: "gemini-3.1-pro" },
];

const STALE = /^\[ebb [0-9a-z]{12}\] \S+ \S*main\.ts\b.*was modified later in this conversation/s;
const OVER_BOUND = /^\[ebb [0-9a-z]{12}\] .*over the size bound/s;

let built: Promise<void> | null = null;

describe.each(APIS)("pi through Ebb as $api", ({ api, model }) => {
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
      await runAgent("pi", ground, { ...task, prompt: "Do the first part.", isContinued: false }),
      await runAgent("pi", ground, { ...task, prompt: "Now the second part.", isContinued: true }),
    ];
    sent = ground.sent();
    received = ground.received();
  });

  afterAll(() => ground?.close());

  test("ends as the scenario does, and the provider refuses nothing", () => {
    expect(received.map(({ status, errorMessage }) => errorMessage ?? status)).toEqual(
      Array.from({ length: BEFORE_GAP + SECOND_STEPS.length }, () => 200),
    );
    expect(ends.map(({ stdout, stderr }) => [stdout.trim(), stderr])).toEqual([
      [FIRST_WORDS, ""],
      [LAST_WORDS, ""],
    ]);
    expect(ground.errors).toEqual([]);
  });

  test("sends a marker for the stale read and the long output behind the gap, and none before it", () => {
    const markers = received.map(({ bodyRaw }) => markersIn(bodyRaw));
    expect(markers.slice(0, BEFORE_GAP).flat()).toEqual([]);
    for (const texts of markers.slice(BEFORE_GAP)) expect(texts.filter((text) => STALE.test(text))).toHaveLength(1);
    for (const texts of markers.slice(BEFORE_GAP + 1)) {
      expect(texts.filter((text) => OVER_BOUND.test(text))).toHaveLength(1);
    }
  });

  test("lets the very bytes through where nothing left", () => {
    const untouched = sent.slice(0, BEFORE_GAP).map(({ body }) => body.toString("utf8"));
    expect(received.slice(0, BEFORE_GAP).map(({ bodyRaw }) => bodyRaw)).toEqual(untouched);
  });

  test("changes nothing but the texts of those results, and says each of them the same way ever after", () => {
    for (const [index, { body }] of sent.entries()) {
      const asSent = body.toString("utf8");
      const asReceived = received[index]?.bodyRaw ?? "";
      const texts = resultTexts(api, asReceived);
      expect(texts).toHaveLength(resultTexts(api, asSent).length);
      expect(withResultTexts(api, asReceived, texts)).toEqual(withResultTexts(api, asSent, texts));
    }
    const warm = received.slice(BEFORE_GAP);
    for (const [index, { bodyRaw }] of warm.slice(0, -1).entries()) {
      const before = conversationIn(api, bodyRaw);
      const after = conversationIn(api, warm[index + 1]?.bodyRaw ?? "");
      expect(after.slice(0, before.length)).toEqual(before);
    }
  });

  test("gives back through `ebb recall` what stood behind each marker, byte for byte", async () => {
    await program();
    const last = received.length - 1;
    const originals = resultTexts(api, sent[last]?.body.toString("utf8") ?? "");
    const texts = resultTexts(api, received[last]?.bodyRaw ?? "");
    const released = texts.flatMap((text, index) => {
      const address = markerAddress(text);
      return address === null ? [] : [{ address, original: originals[index] }];
    });
    expect(released).toHaveLength(2);
    for (const { address, original } of released) {
      const recalled = await ebb(ground.home, ["recall", address, "--raw", "--data-folder", ground.dataFolder]);
      expect(recalled.toString("utf8")).toBe(original);
    }
  });

  function markersIn(bodyRaw: string): readonly string[] {
    return resultTexts(api, bodyRaw).filter((text) => markerAddress(text) !== null);
  }
});

/** The program that is tested last, built once for all of them. */
function program(): Promise<void> {
  built ??= buildEbb();
  return built;
}
