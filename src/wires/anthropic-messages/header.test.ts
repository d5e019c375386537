import { describe, expect, it } from "vitest";
import type { RequestHeader } from "../../model/transcript.ts";
import { readBody } from "./read.ts";

function read(body: object) {
  const outcome = readBody(Buffer.from(JSON.stringify({ messages: [], ...body })), new Map());
  if (!outcome.ok) throw new Error(outcome.words);
  return outcome.source;
}

function headerOf(body: object): RequestHeader {
  return read(body).transcript.header;
}

const text = (words: string, more: object = {}) => ({ type: "text", text: words, ...more });
const breakpoint = (ttl?: string) => ({
  cache_control: ttl === undefined ? { type: "ephemeral" } : { type: "ephemeral", ttl },
});

describe("the header", () => {
  it("states model, tools, system texts, streaming and the bytes beside the messages", () => {
    const header = headerOf({
      model: "m",
      stream: true,
      tools: [{ name: "Read" }, { name: "Bash" }],
      system: [text("a"), text("b")],
    });
    expect(header).toMatchObject({
      model: "m",
      isStreaming: true,
      toolNames: ["Read", "Bash"],
      systemTexts: ["a", "b"],
    });
    expect(header.overheadBytes).toBe(
      '[{"name":"Read"},{"name":"Bash"}]'.length + JSON.stringify([text("a"), text("b")]).length,
    );
    expect(headerOf({})).toMatchObject({
      model: null,
      isStreaming: false,
      toolNames: [],
      systemTexts: [],
      cacheTtlMs: null,
    });
  });

  it("has a cache key that follows tools, system, thinking, tool choice and effort", () => {
    const base = {
      tools: [{ name: "A" }],
      system: "s",
      thinking: { type: "enabled", budget_tokens: 5 },
      tool_choice: { type: "auto" },
    };
    const keys = [
      base,
      { ...base, tools: [{ name: "B" }] },
      { ...base, system: "S" },
      { ...base, thinking: { type: "enabled", budget_tokens: 6 } },
      { ...base, tool_choice: { type: "any" } },
      { ...base, output_config: { effort: "low" } },
      {},
    ].map((body) => headerOf(body).cacheKey);
    expect(new Set(keys).size).toBe(keys.length);
  });

  it("has a cache key that ignores breakpoints, key order, the shape of the system prompt and the billing block", () => {
    const plain = headerOf({ tools: [{ name: "A", description: "d" }], system: "s", max_tokens: 1, model: "m" });
    const other = headerOf({
      system: [text("x-anthropic-billing-header: cc=1"), { text: "s", type: "text", ...breakpoint() }],
      tools: [{ description: "d", ...breakpoint("1h"), name: "A" }],
    });
    expect(other.cacheKey).toBe(plain.cacheKey);
  });

  it("has a cache key that ignores what the provider's cache may not be kept apart by", () => {
    const base = { tools: [{ name: "A" }], system: "s" };
    const keys = [
      base,
      { ...base, thinking: { type: "disabled" } },
      { ...base, thinking: { type: "adaptive" } },
      { ...base, tool_choice: { type: "auto" } },
      { ...base, output_config: { effort: "high" } },
      { ...base, tools: [{ name: "A" }, { name: "B", defer_loading: true }] },
    ].map((body) => headerOf(body).cacheKey);
    expect(new Set(keys).size).toBe(1);
    const thinking = { type: "enabled", budget_tokens: 5 };
    const enabled = [thinking, { ...thinking, block_binding: { prefix_mismatch_behavior: "error" } }];
    expect(new Set(enabled.map((one) => headerOf({ ...base, thinking: one }).cacheKey)).size).toBe(1);
  });

  it("states part by part what its cache key is made of", () => {
    const base = { tools: [{ name: "A" }], system: "s" };
    const { parts } = headerOf(base);
    expect(parts).toMatchObject({ thinking: null, effort: null, toolChoice: null });
    const changed = {
      tools: { tools: [{ name: "B" }] },
      system: { system: "S" },
      thinking: { thinking: { type: "enabled", budget_tokens: 1024.0 } },
      effort: { output_config: { effort: "low" } },
      toolChoice: { tool_choice: { type: "tool", name: "A", disable_parallel_tool_use: true } },
    };
    for (const [name, own] of Object.entries(changed)) {
      const { [name as keyof typeof parts]: part, ...others } = headerOf({ ...base, ...own }).parts;
      expect({ ...others, [name]: null }).toEqual({ ...parts, [name]: null });
      expect(part).not.toBe(parts[name as keyof typeof parts]);
    }
    expect(headerOf({ ...base, ...changed.thinking }).parts.thinking).toBe("1024");
    expect(headerOf({ ...base, ...changed.toolChoice }).parts.toolChoice).toBe('["tool","A"]');
  });

  it("counts the breakpoints on tools and system prompt", () => {
    expect(headerOf({ system: "s" }).headBreakpoints).toBe(0);
    const tools = [
      { name: "A", ...breakpoint() },
      { name: "B", cache_control: null },
      { name: "C", ...breakpoint("1h") },
    ];
    const messages = [{ role: "user", content: [text("a", breakpoint())] }];
    expect(headerOf({ tools, system: [text("a", breakpoint()), text("b")], messages }).headBreakpoints).toBe(3);
  });

  it("says whether the provider is asked to edit the context", () => {
    const edits = [{ type: "clear_tool_uses_20250919" }];
    expect(headerOf({ context_management: { edits } }).hasServerClear).toBe(true);
    for (const none of [{ edits: [] }, {}, null, [], { edits: {} }])
      expect(headerOf({ context_management: none }).hasServerClear).toBe(false);
  });

  it("has the longest lifetime any breakpoint asks for", () => {
    const message = (block: object) => ({ messages: [{ role: "user", content: [block] }] });
    expect(headerOf({ cache_control: { type: "ephemeral" } }).cacheTtlMs).toBe(300_000);
    expect(
      headerOf({ system: [text("a", breakpoint("5m"))], tools: [{ name: "A", ...breakpoint("1h") }] }).cacheTtlMs,
    ).toBe(3_600_000);
    expect(headerOf(message(text("a", breakpoint()))).cacheTtlMs).toBe(300_000);
    const inner = { type: "tool_result", tool_use_id: "t", content: [text("a", breakpoint("1h"))] };
    expect(headerOf(message(inner)).cacheTtlMs).toBe(3_600_000);
    expect(headerOf(message(text("a", { cache_control: null }))).cacheTtlMs).toBeNull();
  });

  it("takes a lifetime it does not know for the longest, and none from a tool's arguments", () => {
    const call = { type: "tool_use", id: "t", name: "n", input: { cache_control: { type: "ephemeral", ttl: "1h" } } };
    expect(headerOf({ messages: [{ role: "assistant", content: [call] }] }).cacheTtlMs).toBeNull();
    expect(headerOf({ cache_control: { type: "ephemeral", ttl: "soon" } }).cacheTtlMs).toBe(3_600_000);
  });
});

describe("the session", () => {
  const sessionOf = (user: unknown) => read({ metadata: { user_id: user } }).sessionId;
  const session = "0a1b2c3d-0000-4000-8000-00000000000f";

  it("is found in both forms of the user id", () => {
    expect(sessionOf(`user_ab12_account__session_${session}`)).toBe(session);
    expect(sessionOf(JSON.stringify({ device_id: "d", session_id: session }))).toBe(session);
  });

  it("is null where the user id says nothing of it", () => {
    for (const user of ["someone", "{", "[]", '{"session_id":5}', '{"session_id":""}', 7, null])
      expect(sessionOf(user)).toBeNull();
    expect(read({}).sessionId).toBeNull();
  });
});
