import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { anthropicProvider } from "../../providers/anthropic.ts";
import type { Scenario } from "./scenario.ts";
import { type SimulatedProvider, startSimulatedProvider } from "./server.ts";

const BINDING = "thinking-binding-controls-2026-08-01";
const MANAGEMENT = "context-management-2025-06-27";
const EDITS = "simulated-cache-edits";
const scripts = [
  { match: "", steps: [{ thinking: "t0", text: "a0" }, { thinking: "t1", text: "a1" }, { text: "a2" }] },
];

let provider: SimulatedProvider;
beforeEach(async () => {
  provider = await startSimulatedProvider({ models: anthropicProvider, scenario: { scripts }, clock: () => 1_000_000 });
});
afterEach(() => provider.close());

const set = (switches: Partial<Scenario>) => provider.setScenario({ scripts, ...switches });
const tools = [{ name: "Read", input_schema: { type: "object" } }];
const request = (fields: object = {}) => ({
  model: "claude-opus-5-5",
  max_tokens: 100,
  thinking: { type: "adaptive" },
  tools,
  system: [{ type: "text", text: "s".repeat(4_000), cache_control: { type: "ephemeral" } }],
  messages: [{ role: "user", content: "go" }],
  ...fields,
});

/** Status and JSON of the answer, untyped as a test reads it. */
async function post(body: object, betas: string | null = null, path = "/v1/messages") {
  const headers: Record<string, string> = betas === null ? {} : { "anthropic-beta": `other-beta, ${betas}` };
  const response = await fetch(provider.url + path, { method: "POST", headers, body: JSON.stringify(body) });
  const text = await response.text();
  return { status: response.status, text, json: text.startsWith("{") ? JSON.parse(text) : null };
}
const count = (body: object, betas: string | null = null) => post(body, betas, "/v1/messages/count_tokens");
const eventsIn = (text: string) =>
  text
    .split("\n")
    .filter((line) => line.startsWith("data: "))
    .map((line) => JSON.parse(line.slice(6)));

/** Two answers with thinking, the first user text as given. */
async function history(first: string) {
  const messages: { role: string; content: unknown }[] = [{ role: "user", content: "go" }];
  for (const next of ["on", "end"]) {
    const { json } = await post(request({ messages }));
    messages.push({ role: "assistant", content: json.content }, { role: "user", content: next });
  }
  return [{ role: "user", content: first }, ...messages.slice(1)];
}

describe("bound thinking", () => {
  const drop = { type: "adaptive", block_binding: { prefix_mismatch_behavior: "drop_block" } };
  const error = { type: "adaptive", block_binding: { prefix_mismatch_behavior: "error" } };
  const moved = (type: string) =>
    [1, 3].map((message) => ({ type, path: `messages.${message}.content.0`, reason: "prefix_binding_mismatch" }));

  it("that no longer fits is refused, with a word about the header", async () => {
    const { status, json } = await post(request({ messages: await history("changed") }));
    expect(status).toBe(400);
    expect(json.error.message).toMatch(
      /^messages\.1\.content\.0: Invalid `signature`.*different conversation.*header\.$/,
    );
    expect((await count(request({ messages: await history("changed") }))).status).toBe(400);
  });

  it("is dropped on request, is not billed, and is told of", async () => {
    const messages = await history("changed");
    const dropped = await post(request({ messages, thinking: drop }), BINDING);
    expect(dropped.json.input_transformations).toEqual(moved("thinking_dropped"));
    const bare = messages.map(({ role, content }) => ({
      role,
      content: Array.isArray(content) ? content.filter(({ type }) => type !== "thinking") : content,
    }));
    const [counted, without] = [
      await count(request({ messages, thinking: drop }), BINDING),
      await count(request({ messages: bare })),
    ];
    expect(counted.json).toEqual(without.json);
  });

  it("is told of where a stream begins", async () => {
    const messages = await history("changed");
    const { text } = await post(request({ messages, thinking: drop, stream: true }), BINDING);
    const [start] = eventsIn(text);
    expect(start).toMatchObject({
      type: "message_start",
      message: { input_transformations: moved("thinking_dropped") },
    });
  });

  it("is let through on an account that does not enforce, and told of with the header alone", async () => {
    set({ enforces: false });
    const messages = await history("changed");
    const silent = await post(request({ messages }));
    expect([silent.status, "input_transformations" in silent.json]).toEqual([200, false]);
    const told = await post(request({ messages }), BINDING);
    expect(told.json.input_transformations).toEqual(moved("thinking_mismatch_allowed"));
    expect((await post(request({ messages, thinking: error }), BINDING)).status).toBe(400);
    const dropped = await post(request({ messages, thinking: drop }), BINDING);
    expect(dropped.json.input_transformations).toEqual(moved("thinking_dropped"));
  });

  it("that fits is told of as nothing, and of another model as dropped", async () => {
    const messages = await history("go");
    expect((await post(request({ messages }), BINDING)).json.input_transformations).toEqual([]);
    const other = await post(request({ messages, model: "claude-fable-5-1" }), BINDING);
    expect(other.json.input_transformations[0].reason).toBe("model_binding_mismatch");
  });

  it("cannot be chosen about without the header", async () => {
    const { status, json } = await post(request({ thinking: drop }));
    expect(status).toBe(400);
    expect(json.error.message).toBe("thinking.adaptive.block_binding: Extra inputs are not permitted");
  });

  it("stays valid when the provider clears results and thinking by itself", async () => {
    const messages = await history("go");
    const edits = [{ type: "clear_thinking_20251015", keep: { type: "thinking_turns", value: 1 } }];
    const { status, json } = await post(request({ messages, context_management: { edits } }), MANAGEMENT);
    expect(status).toBe(200);
    expect(json.context_management.applied_edits).toMatchObject([{ cleared_thinking_turns: 1 }]);
    const more = [...messages, { role: "assistant", content: json.content }, { role: "user", content: "and" }];
    expect((await post(request({ messages: more }))).status).toBe(200);
  });
});

describe("context editing", () => {
  const rounds = ["a", "b", "c"].flatMap((id) => [
    { role: "assistant", content: [{ type: "tool_use", id, name: "Read", input: {} }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: "x".repeat(2_000) }] },
  ]);
  const body = (edit: object | null = {}) =>
    request({
      messages: [...request().messages, ...rounds],
      ...(edit === null
        ? {}
        : {
            context_management: {
              edits: [
                {
                  type: "clear_tool_uses_20250919",
                  trigger: { type: "tool_uses", value: 1 },
                  keep: { type: "tool_uses", value: 1 },
                  ...edit,
                },
              ],
            },
          }),
    });

  it("tells what it cleared, in the body or at the end of the stream", async () => {
    const { json } = await post(body(), MANAGEMENT);
    const [applied] = json.context_management.applied_edits;
    expect(applied).toEqual({
      type: "clear_tool_uses_20250919",
      cleared_tool_uses: 2,
      cleared_input_tokens: expect.any(Number),
    });
    const events = eventsIn((await post({ ...body(), stream: true }, MANAGEMENT)).text);
    expect(events.find(({ type }) => type === "message_delta")?.context_management).toEqual({
      applied_edits: [applied],
    });
    expect(events[0].message).not.toHaveProperty("context_management");
  });

  it("tells that it cleared nothing, and nothing where nothing was asked", async () => {
    const none = await post(body({ keep: { type: "tool_uses", value: 9 } }), MANAGEMENT);
    expect(none.json.context_management).toEqual({ applied_edits: [] });
    expect((await post(body(null), MANAGEMENT)).json).not.toHaveProperty("context_management");
  });

  it("is previewed by counting", async () => {
    const whole = (await count(body(null))).json.input_tokens;
    const { json } = await count(body(), MANAGEMENT);
    const [applied] = (await post(body(), MANAGEMENT)).json.context_management.applied_edits;
    expect(json).toEqual({
      input_tokens: whole - applied.cleared_input_tokens,
      context_management: { original_input_tokens: whole },
    });
  });

  it("is refused without its header", async () => {
    const { status, json } = await post(body());
    expect([status, json.error.message]).toEqual([400, "context_management: Extra inputs are not permitted"]);
  });
});

describe("cache edits", () => {
  const result = (id: string, fields: object = {}) => ({
    type: "tool_result",
    tool_use_id: id,
    content: "x".repeat(4_000),
    ...fields,
  });
  const call = (id: string) => ({ role: "assistant", content: [{ type: "tool_use", id, name: "Read", input: {} }] });
  const marked = { cache_control: { type: "ephemeral" } };
  const first = request({
    messages: [...request().messages, call("a"), { role: "user", content: [result("a", marked)] }],
  });
  const second = (reference: string, block: object) =>
    request({
      messages: [
        ...request().messages,
        call("a"),
        { role: "user", content: [result("a", { [reference]: "a" })] },
        call("b"),
        { role: "user", content: [result("b"), block, { type: "text", text: "on", ...marked }] },
      ],
    });
  const deleting = { type: "cache_edits", edits: [{ type: "delete", cache_reference: "a" }] };

  it("delete without writing again, and tell how much", async () => {
    set({ cacheEdits: {} });
    const before = (await post(first, EDITS)).json.usage;
    const { usage } = (await post(second("cache_reference", deleting), EDITS)).json;
    expect(before.cache_deleted_input_tokens).toBe(0);
    expect(usage.cache_deleted_input_tokens).toBeGreaterThan(1_000);
    expect(usage.cache_read_input_tokens).toBe(before.cache_creation_input_tokens - usage.cache_deleted_input_tokens);
  });

  it("are unknown without the scenario, or without the header", async () => {
    const body = request({ messages: [{ role: "user", content: [{ type: "text", text: "go" }, deleting] }] });
    const words = "messages.0.content.1: Input tag 'cache_edits' found using 'type' does not match";
    expect((await post(body, EDITS)).json.error.message).toContain(words);
    set({ cacheEdits: {} });
    expect((await post(body)).json.error.message).toContain(words);
    expect((await post(first)).json.usage).not.toHaveProperty("cache_deleted_input_tokens");
  });

  it("go by the names of the scenario", async () => {
    const names = {
      blockType: "cuts",
      editsMember: "list",
      deleteType: "cut",
      referenceMember: "ref",
      betaHeader: "cuts-1",
    };
    set({ cacheEdits: names });
    const { status, json } = await post(second("ref", { type: "cuts", list: [{ type: "cut", ref: "a" }] }), "cuts-1");
    expect(status).toBe(200);
    expect(json.usage.cache_deleted_input_tokens).toBeGreaterThan(1_000);
    expect((await post(second("ref", { type: "cuts", list: [{ type: "cut", ref: "x" }] }), "cuts-1")).status).toBe(400);
  });

  it("need no header and a text behind them where the scenario says so", async () => {
    set({ cacheEdits: { betaHeader: null, needsTextBehind: true } });
    expect((await post(second("cache_reference", deleting))).status).toBe(200);
    const messages = [...request().messages, ...second("cache_reference", deleting).messages.slice(1)];
    const last = { role: "user", content: [{ ...result("b"), ...marked }, deleting] };
    const { json } = await post(request({ messages: [...messages.slice(0, -1), last] }));
    expect(json.error.message).toBe("messages.4.content.1: a text block must stand behind a `cache_edits` block");
  });

  it("leave thinking valid that was made before the results were named", async () => {
    set({ cacheEdits: {} });
    const { json } = await post(first, EDITS);
    const messages = [...first.messages, { role: "assistant", content: json.content }, { role: "user", content: "on" }];
    const named = messages.map((message, index) =>
      index === 2 ? { role: "user", content: [result("a", { cache_reference: "a" })] } : message,
    );
    const last = { role: "user", content: [deleting, { type: "text", text: "on", ...marked }] };
    const { status } = await post(request({ messages: [...named.slice(0, -1), last] }), EDITS);
    expect(json.content[0].type).toBe("thinking");
    expect(status).toBe(200);
  });
});

describe("under pressure", () => {
  it("a prompt over the window is refused, one that just fits is not, and counting still counts", async () => {
    const { input_tokens: tokens } = (await count(request())).json;
    set({ windowTokens: tokens });
    expect((await post(request())).status).toBe(200);
    set({ windowTokens: tokens - 1 });
    const { status, json } = await post(request());
    expect([status, json.error]).toEqual([
      400,
      { type: "invalid_request_error", message: `prompt is too long: ${tokens} tokens > ${tokens - 1} maximum` },
    ]);
    expect((await count(request())).json).toEqual({ input_tokens: tokens });
  });

  it("the model's own window holds where the scenario names none", async () => {
    const { windowTokens } = anthropicProvider.modelFacts("claude-haiku-4-5");
    const words = "x".repeat(4 * (windowTokens ?? 0));
    const body = request({ model: "claude-haiku-4-5", messages: [{ role: "user", content: words }] });
    expect(windowTokens).toBeGreaterThan(0);
    expect((await post(body)).json.error.message).toMatch(`tokens > ${windowTokens} maximum`);
  });

  it("what is cleared no longer presses", async () => {
    const messages = [
      ...request().messages,
      ...["a", "b"].flatMap((id) => [
        { role: "assistant", content: [{ type: "tool_use", id, name: "Read", input: {} }] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: "x".repeat(4_000) }] },
      ]),
    ];
    const { input_tokens: tokens } = (await count(request({ messages }))).json;
    set({ windowTokens: tokens - 500 });
    expect((await post(request({ messages }))).status).toBe(400);
    const edits = [
      {
        type: "clear_tool_uses_20250919",
        trigger: { type: "tool_uses", value: 1 },
        keep: { type: "tool_uses", value: 1 },
      },
    ];
    expect((await post(request({ messages, context_management: { edits } }), MANAGEMENT)).status).toBe(200);
  });

  it.each([
    ["zero", 0, { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 }],
    ["null", null, null],
  ] as const)("cache figures are always %s, and the whole prompt is plain input", async (figures, shown, parts) => {
    const truth = (await post(request())).json.usage;
    set({ cacheFigures: figures, cacheEdits: {} });
    const { usage } = (await post(request(), EDITS)).json;
    expect(usage).toEqual({
      ...truth,
      input_tokens: truth.input_tokens + truth.cache_creation_input_tokens,
      cache_creation_input_tokens: shown,
      cache_read_input_tokens: shown,
      cache_creation: parts,
      cache_deleted_input_tokens: shown,
    });
    expect(provider.requests()[1]?.usage?.cacheReadTokens).toBe(truth.cache_creation_input_tokens);
  });
});
