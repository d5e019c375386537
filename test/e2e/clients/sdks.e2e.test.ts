import { beforeAll, describe, expect, test } from "vitest";
import type { CapturedRequest } from "../../../src/replay/simulated/capture.ts";
import type { Scenario } from "../../../src/replay/simulated/scenario.ts";
import { openGround } from "../../support/ground.ts";
import { aiSdk, aiSdkCompatible, aiSdkGemini, aiSdkResponses } from "../../support/sdks/ai-sdk.ts";
import { ensureSdks, type LoadSdk } from "../../support/sdks/install.ts";
import { gemini, openAiChat, openAiResponses, type Talk, type Talked } from "../../support/sdks/talks.ts";

const LINES = 600;
const FILE = Array.from({ length: LINES }, (_, index) => `line ${index + 1} of a file that is long\n`).join("");
const NOTES = "alpha\nbeta\n";
const CONFIG = "pays: false\ninline_tools: off\nbound: { lines: 200, bytes: 60000 }\n";

const SCENARIO: Scenario = {
  scripts: [
    {
      match: "",
      steps: [
        { text: "I read both.", tools: [read("large.txt"), read("notes.txt")] },
        { tools: [{ name: "edit_file", input: { path: "notes.txt", old_string: "beta", new_string: "gamma" } }] },
        { tools: [read("notes.txt")] },
        { text: "The first turn is done." },
        { tools: [read("nowhere.txt")] },
        { text: "So is the second." },
      ],
    },
  ],
};

function read(path: string) {
  return { name: "read_file", input: { path } };
}

const TALKS: readonly (readonly [name: string, talk: Talk])[] = [
  ["the OpenAI SDK, Chat Completions", openAiChat(false)],
  ["the OpenAI SDK, Chat Completions, streaming", openAiChat(true)],
  ["the OpenAI SDK, Responses", openAiResponses(false)],
  ["the OpenAI SDK, Responses, streaming", openAiResponses(true)],
  ["the Gemini SDK", gemini(false)],
  ["the Gemini SDK, streaming", gemini(true)],
  ["the AI SDK, Responses", aiSdk(aiSdkResponses, false)],
  ["the AI SDK, Responses, streaming", aiSdk(aiSdkResponses, true)],
  ["the AI SDK, a compatible server, streaming", aiSdk(aiSdkCompatible, true)],
  ["the AI SDK, Gemini, streaming", aiSdk(aiSdkGemini, true)],
];

interface Lane {
  readonly talked: Talked;
  readonly received: readonly CapturedRequest[];
  readonly errors: readonly string[];
}

describe.each(TALKS)("%s", (_name, talk) => {
  let load: LoadSdk;
  let bare: Lane;
  let through: Lane;

  beforeAll(async () => {
    load = await ensureSdks();
    bare = await lane(null);
    through = await lane(CONFIG);
  });

  async function lane(config: string | null): Promise<Lane> {
    const ground = await openGround({ scenario: SCENARIO, config });
    try {
      const files = new Map([
        ["large.txt", FILE],
        ["notes.txt", NOTES],
      ]);
      const talked = await talk(load, { url: ground.url, files, prompts: ["Read and edit.", "And once more."] });
      return { talked, received: ground.received(), errors: [...ground.errors] };
    } finally {
      await ground.close();
    }
  }

  test("has the same conversation through Ebb as without it", () => {
    expect(through.talked.answers).toEqual(["The first turn is done.", "So is the second."].map(expectWords));
    expect(through.talked.answers).toEqual(bare.talked.answers);
    expect(through.talked.calls).toEqual(["read_file", "read_file", "edit_file", "read_file", "read_file"]);
    expect(bare.talked.calls).toEqual(through.talked.calls);
    expect(through.received.map(({ status }) => status)).toEqual(SCENARIO.scripts[0]?.steps.map(() => 200));
    expect(through.errors).toEqual([]);
  });

  test("sends the long result as the same marker in every request, and everything else as it is", () => {
    const bodies = through.received.map(({ bodyRaw }) => bodyRaw);
    const markers = bodies.map((body) => body.match(/\[ebb [0-9a-z]{12}\](?:[^"\\]|\\.)*/g) ?? []);
    const [first] = markers[1] ?? [];
    expect(first).toContain("600 lines");
    expect(markers).toEqual([[], ...bodies.slice(1).map(() => [first])]);
    for (const [at, body] of bodies.slice(1).entries()) {
      const other = bare.received[at + 1]?.bodyRaw ?? "";
      expect(withoutIds(body)).toBe(withoutIds(other).replace(JSON.stringify(FILE).slice(1, -1), first ?? "none"));
    }
  });

  test("is told fewer prompt tokens", () => {
    expect(through.talked.promptTokens).toBeLessThan(bare.talked.promptTokens / 2);
    expect(through.talked.promptTokens).toBeGreaterThan(0);
  });
});

function expectWords(words: string): unknown {
  return expect.stringContaining(words);
}

/** The provider makes each id anew, and signs with it. */
function withoutIds(body: string): string {
  return body
    .replace(/(?:call|resp|msg|fc|rs|chatcmpl)_[0-9A-Za-z]+/g, "id")
    .replace(/"thoughtSignature":"[^"]*"/g, "");
}
