import { describe, expect, it } from "vitest";
import type { Breakpoint, RequestHeader } from "../../model/transcript.ts";
import { readBody } from "./read.ts";
import { hintsOf } from "./session.ts";

function read(body: object) {
  const outcome = readBody(Buffer.from(JSON.stringify({ messages: [], ...body })), new Map());
  if (!outcome.ok) throw new Error(outcome.words);
  return outcome.source;
}

const headerOf = (body: object): RequestHeader => read(body).transcript.header;
const placesOf = (body: object): readonly Breakpoint[] => read(body).transcript.breakpoints;
const tool = (name: string) => ({ type: "function", function: { name, parameters: {} } });
const system = { role: "system", content: "s" };

describe("the header", () => {
  it("states model, tools of every form, streaming and what the head weighs", () => {
    const tools = [tool("a"), { type: "custom", custom: { name: "b" } }, { type: "function", name: "c" }, {}];
    const functions = [{ name: "d" }];
    expect(headerOf({ model: "m", stream: true, tools, functions, messages: [system] })).toMatchObject({
      model: "m",
      isStreaming: true,
      toolNames: ["a", "b", "c", "d"],
      systemTexts: ["s"],
      hasServerClear: false,
      overheadBytes: [tools, functions, system].reduce((sum: number, one) => sum + JSON.stringify(one).length, 0),
    });
    expect(headerOf({ model: 1 })).toMatchObject({ model: null, isStreaming: false, toolNames: [], systemTexts: [] });
  });

  it("keeps caches apart by tools and instructions, and by nothing that a server may leave out of the prompt", () => {
    const base = { model: "m", tools: [tool("a")], messages: [system] };
    const { cacheKey } = headerOf(base);
    const others = [
      { ...base, tools: [tool("b")] },
      { ...base, functions: [{ name: "a" }] },
      { ...base, messages: [{ ...system, content: "t" }] },
      { ...base, messages: [system, system] },
      { ...base, messages: [{ ...system, content: [{ type: "image_url" }] }] },
      { ...base, messages: [{ ...system, content: { odd: 1 } }] },
    ].map((body) => headerOf(body).cacheKey);
    expect(new Set([cacheKey, ...others]).size).toBe(others.length + 1);
    const same = [
      { ...base, temperature: 1, reasoning_effort: "high", tool_choice: "auto", prompt_cache_key: "k" },
      { ...base, response_format: { type: "json_object" } },
      { ...base, response_format: { type: "json_schema", json_schema: { name: "n" } } },
      { ...base, tools: [{ ...tool("a"), cache_control: { type: "ephemeral" } }] },
      { ...base, messages: [{ role: "developer", content: [{ type: "text", text: "s" }] }] },
      { ...base, messages: [system, { role: "user", content: "hi" }, { role: "system", content: "later" }] },
    ].map((body) => headerOf(body).cacheKey);
    expect(new Set([cacheKey, ...same])).toEqual(new Set([cacheKey]));
  });
});

describe("breakpoints", () => {
  const mark = { prompt_cache_breakpoint: { mode: "explicit" } };
  const part = (words: string, more: object = {}) => ({ type: "text", text: words, ...more });
  const messages = [
    { role: "system", content: [part("s", mark)] },
    { role: "user", content: [part("a", mark), part("b")] },
    { role: "tool", tool_call_id: "t", content: [part("c", mark)] },
    { role: "user", content: "d" },
  ];
  const ttlMs = 1_800_000;

  it("stand behind the parts that state one and, unless the request says otherwise, at the end", () => {
    expect(placesOf({ messages })).toEqual([1, 3, 4].map((itemCount) => ({ itemCount, ttlMs })));
    const explicit = { messages, prompt_cache_options: { mode: "explicit" } };
    expect(placesOf(explicit)).toEqual([1, 3].map((itemCount) => ({ itemCount, ttlMs })));
    expect(headerOf(explicit).headBreakpoints).toBe(1);
  });

  it("give the longest time that anything may be remembered, and none without one", () => {
    expect(headerOf({ messages }).cacheTtlMs).toBe(86_400_000);
    expect(headerOf({ messages, prompt_cache_retention: "in_memory" }).cacheTtlMs).toBe(3_600_000);
    expect(headerOf({ messages: [], prompt_cache_options: { mode: "explicit" } }).cacheTtlMs).toBeNull();
  });
});

describe("session names", () => {
  it("come from the body", () => {
    expect(read({ session_id: "s", prompt_cache_key: "k" }).sessionId).toBe("s");
    expect(read({ session_id: "", prompt_cache_key: "k" }).sessionId).toBe("k");
    expect(read({ prompt_cache_key: 1 }).sessionId).toBeNull();
  });

  it("come from the headers of agents, the surest first", () => {
    const hints = (headers: Record<string, string>) => hintsOf((name) => headers[name] ?? null);
    const opencode = { "x-session-affinity": "ses_1", "x-session-id": "ses_1" };
    expect(hints(opencode)).toEqual({ sessionId: "ses_1", agentId: null, parentAgentId: null, isSubscription: false });
    expect(hints({ session_id: "a", "x-session-affinity": "b" }).sessionId).toBe("a");
    expect(hints({ "x-session-id": "", conversation_id: "c" }).sessionId).toBe("c");
    expect(hints({ "x-session-id": "x".repeat(600) }).sessionId).toBeNull();
    expect(hints({ "copilot-integration-id": "vscode-chat" }).isSubscription).toBe(true);
    expect(hints({ "chatgpt-account-id": "a" }).isSubscription).toBe(true);
  });
});
