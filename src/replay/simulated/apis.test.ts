import { afterEach, describe, expect, it } from "vitest";
import { recordedRequests } from "../../../test/support/recorded-bodies.ts";
import { recordedSessions } from "../../../test/support/shared.ts";
import { ask } from "../../../test/support/simulated.ts";
import type { JsonObject } from "../../model/json.ts";
import { type FakeProvider, type FakeProviderOptions, startFakeProvider } from "../../testing/fake-provider.ts";
import { isObject } from "./json.ts";

interface Sample {
  readonly api: string;
  readonly path: string;
  readonly body: JsonObject;
  /** The same with a call that nobody answered. */
  readonly open: JsonObject;
  readonly openWords: string;
  readonly windowWords: string;
}

const call = { id: "call_1", type: "function", function: { name: "read", arguments: "{}" } };
const SAMPLES: readonly Sample[] = [
  {
    api: "Chat Completions",
    path: "/v1/chat/completions",
    body: { model: "gpt-4.1", messages: [{ role: "user", content: "go" }] },
    open: {
      model: "gpt-4.1",
      messages: [
        { role: "user", content: "go" },
        { role: "assistant", tool_calls: [call] },
      ],
    },
    openWords: "did not have response messages: call_1",
    windowWords: "This model's maximum context length is 1 tokens.",
  },
  {
    api: "Responses",
    path: "/v1/responses",
    body: { model: "gpt-5.4", input: "go on with it" },
    open: { model: "gpt-5.4", input: [{ type: "function_call", call_id: "call_1", name: "read", arguments: "{}" }] },
    openWords: "No tool output found for function call call_1.",
    windowWords: "Your input exceeds the context window of this model.",
  },
  {
    api: "Gemini",
    path: "/v1beta/models/gemini-3.1-pro:generateContent",
    body: { contents: [{ parts: [{ text: "go on with it" }] }] },
    open: { contents: [{ parts: [{ text: "go" }] }, { role: "model", parts: [{ functionCall: { name: "read" } }] }] },
    openWords: "number of function response parts is equal to the number of function call parts",
    windowWords: "exceeds the maximum number of tokens allowed (1).",
  },
];

let provider: FakeProvider;
const start = async (options: FakeProviderOptions = {}) => {
  provider = await startFakeProvider(options);
};
afterEach(() => provider.close());

describe.each(SAMPLES)("$api", ({ path, body, open, openWords, windowWords }) => {
  it("refuses an open call, and says so in its own form", async () => {
    await start();
    const { status, json } = await ask(provider.url + path, open);
    expect(status).toBe(400);
    expect(json.error.message).toContain(openWords);
    expect(provider.requests()).toMatchObject([{ status: 400, errorMessage: json.error.message, usage: null }]);
  });

  it("refuses a prompt that is longer than the window", async () => {
    await start({ scenario: { scripts: [], windowTokens: 1 } });
    const { status, json } = await ask(provider.url + path, body);
    expect(status).toBe(400);
    expect(json.error.message).toContain(windowWords);
  });

  it("refuses what is no JSON", async () => {
    await start();
    const response = await fetch(provider.url + path, { method: "POST", body: "{" });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { message: "The request body is not valid JSON." } });
  });

  it("refuses a body that is too long", async () => {
    await start({ bodyBytesMax: 10 });
    const { status, json } = await ask(provider.url + path, body);
    expect([status, isObject(json.error)]).toEqual([413, true]);
  });

  it("answers a request that offers no tools in text, and bills it", async () => {
    await start();
    expect((await ask(provider.url + path, body)).text).toContain("Simulated answer");
    expect(provider.requests()).toMatchObject([{ status: 200, end: "whole", usage: { cacheReadTokens: 0 } }]);
  });
});

describe.skipIf(recordedSessions === null)("what real clients sent", () => {
  const bodies = recordedRequests(recordedSessions ?? "", (path) => /completions|responses$|enerateContent/.test(path));

  it("is taken by the API it was sent to, where signatures are not checked", async () => {
    await start({ signatures: false });
    expect(bodies.length).toBeGreaterThan(40);
    const refused: string[] = [];
    for (const { name, bytes } of bodies) {
      const { status, text } = await ask(provider.url + pathOf(name), JSON.parse(Buffer.from(bytes).toString("utf8")));
      if (status !== 200) refused.push(`${name}: ${text}`);
    }
    expect(refused).toEqual([]);
  });
});

/** By the name of the file, in which slashes and marks of a path are lost. */
function pathOf(name: string): string {
  if (name.includes("completions")) return "/v1/chat/completions";
  return name.includes("responses") ? "/v1/responses" : "/v1beta/models/gemini-3.1-pro:generateContent";
}
