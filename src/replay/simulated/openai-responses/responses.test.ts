import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ask, dataOf } from "../../../../test/support/simulated.ts";
import type { JsonObject } from "../../../model/json.ts";
import { type FakeProvider, startFakeProvider } from "../../../testing/fake-provider.ts";
import { isObject, objectsOf, stringOf } from "../json.ts";
import type { Scenario, ScriptStep } from "../scenario.ts";

const START_MS = 1_000_000;
const TEXT = "Reading 🌊 ".repeat(12);
const STEPS: readonly ScriptStep[] = [
  { thinking: "I look first.", text: TEXT, tools: [{ do: "read", path: "/a–🌊.txt" }] },
  { text: "Done.", advanceMs: 7 },
];

let provider: FakeProvider;
const start = async (steps: readonly ScriptStep[] = STEPS, more: Partial<Scenario> = {}) => {
  provider = await startFakeProvider({ scenario: { scripts: [{ match: "", steps }], ...more }, clock: () => START_MS });
};
const restart = async (steps?: readonly ScriptStep[], more?: Partial<Scenario>) => {
  await provider.close();
  await start(steps, more);
};
beforeEach(() => start());
afterEach(() => provider.close());

const read = { type: "function", name: "read", parameters: { type: "object", properties: { path: {} } } };
const said = (text: string): JsonObject => ({ role: "user", content: [{ type: "input_text", text }] });
const answered = (item: JsonObject, output = "x"): JsonObject => {
  return { type: `${stringOf(item.type)}_output`, call_id: item.call_id ?? "", output };
};
const THINKS: JsonObject = {
  reasoning: { effort: "medium", summary: "auto" },
  include: ["reasoning.encrypted_content"],
  store: false,
};
const body = (fields: JsonObject = {}): JsonObject => ({
  model: "gpt-5.4",
  instructions: "s".repeat(6_000),
  tools: [read],
  input: [said("go")],
  ...fields,
});
const post = (fields: JsonObject = {}, path = "/v1/responses") => ask(provider.url + path, body(fields));

describe("an answer", () => {
  it("is a response with one item for each thing that was done", async () => {
    const { status, headers, json } = await post(THINKS);
    expect([status, headers.get("x-request-id")]).toEqual([200, "req_sim_00000001"]);
    expect(json).toMatchObject({
      id: expect.stringMatching(/^resp_[0-9a-f]{24}$/),
      object: "response",
      created_at: START_MS / 1_000,
      status: "completed",
      error: null,
      store: false,
      previous_response_id: null,
    });
    expect(json.output).toEqual([
      {
        id: expect.stringMatching(/^rs_[0-9a-f]{24}$/),
        type: "reasoning",
        summary: [{ type: "summary_text", text: "I look first." }],
        encrypted_content: expect.any(String),
      },
      {
        id: expect.stringMatching(/^msg_[0-9a-f]{24}r$/),
        type: "message",
        status: "completed",
        role: "assistant",
        content: [{ type: "output_text", text: TEXT, annotations: [], logprobs: [] }],
      },
      {
        id: expect.stringMatching(/^fc_[0-9a-f]{24}$/),
        type: "function_call",
        status: "completed",
        call_id: expect.stringMatching(/^call_[0-9a-f]{24}$/),
        name: "read",
        arguments: '{"path":"/a–🌊.txt"}',
      },
    ]);
    const { usage } = json;
    expect(usage.total_tokens).toBe(usage.input_tokens + usage.output_tokens);
    expect(usage.output_tokens_details.reasoning_tokens).toBeGreaterThan(0);
  });

  it("tells reasoning to a request that asks for it, in as far as it does", async () => {
    const first = async (fields: JsonObject) => (await post(fields)).json.output[0];
    expect(await first({})).toMatchObject({ type: "message" });
    expect(await first({ reasoning: { effort: "none" } })).toMatchObject({ type: "message" });
    const bare = await first({ reasoning: { effort: "low" } });
    expect(bare).toEqual({ id: expect.any(String), type: "reasoning", summary: [] });
  });

  it("follows from the request, and moves the clock once it was sent", async () => {
    const { output } = (await post(THINKS)).json;
    const next = await post({ ...THINKS, input: [said("go"), ...output, answered(output[2])] });
    expect(next.json.output).toMatchObject([{ type: "message", content: [{ text: "Done." }] }]);
    expect(provider.nowMs()).toBe(START_MS + 7);
  });

  it("takes a text for the only message", async () => {
    expect((await post({ input: "go" })).json.output).toMatchObject([{ type: "message" }, { type: "function_call" }]);
  });

  it.each<[string, JsonObject, JsonObject]>([
    [
      "a custom tool",
      { type: "custom", name: "apply_patch" },
      { type: "custom_tool_call", name: "apply_patch", input: expect.stringContaining("*** Update File: a.txt") },
    ],
    [
      "a tool of a group",
      { type: "namespace", name: "mcp__ebb", tools: [{ type: "function", name: "recall" }] },
      { type: "function_call", namespace: "mcp__ebb", name: "recall", arguments: '{"id":"x"}' },
    ],
    [
      "the shell of the API",
      { type: "local_shell" },
      { type: "local_shell_call", action: { type: "exec", command: ["bash", "-lc", "ls"], env: {} } },
    ],
    ["Codex's shell", { type: "function", name: "exec_command" }, { type: "function_call", arguments: '{"cmd":"ls"}' }],
  ])("calls %s in its own form", async (_name, tool, call) => {
    await restart([
      {
        tools: [
          { do: "edit", path: "a.txt", old: "x", new: "y" },
          { do: "mcp", tool: "recall", input: { id: "x" } },
          { do: "bash", command: "ls" },
        ],
      },
    ]);
    const { json } = await post({ tools: [tool] });
    expect(json.output.at(-1)).toMatchObject(call);
    const streamed = await post({ tools: [tool], stream: true });
    expect(itemsIn(dataOf(streamed.text))).toEqual(json.output);
  });

  it("follows a schema that the request states", async () => {
    const schema = { type: "object", properties: { n: { type: "integer" } } };
    const { json } = await post({ text: { format: { type: "json_schema", name: "n", schema } } });
    expect(json.output[0].content[0].text).toBe('{"n":1}');
  });
});

describe("a stream", () => {
  it("brings the events in the API's order, and the same answer", async () => {
    const whole = (await post(THINKS)).json;
    const { headers, text } = await post({ ...THINKS, stream: true });
    expect(headers.get("content-type")).toContain("text/event-stream");
    const events = dataOf(text);
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_event, index) => index));
    expect(text.match(/^event: .*$/gm)).toEqual(events.map(({ type }) => `event: ${stringOf(type)}`));
    expect(withoutRepeats(events.map(({ type }) => stringOf(type)))).toEqual([
      "response.created",
      "response.in_progress",
      "response.output_item.added",
      "response.reasoning_summary_part.added",
      "response.reasoning_summary_text.delta",
      "response.reasoning_summary_text.done",
      "response.reasoning_summary_part.done",
      "response.output_item.done",
      "response.output_item.added",
      "response.content_part.added",
      "response.output_text.delta",
      "response.output_text.done",
      "response.content_part.done",
      "response.output_item.done",
      "response.output_item.added",
      "response.function_call_arguments.delta",
      "response.function_call_arguments.done",
      "response.output_item.done",
      "response.completed",
    ]);
    expect(events[0]).toMatchObject({ response: { status: "in_progress", output: [], usage: null } });
    expect(itemsIn(events)).toEqual(whole.output);
    const completed = events.at(-1)?.response;
    expect(isObject(completed) && completed.output).toEqual(whole.output);
    expect(textIn(events, "response.output_text.delta")).toBe(TEXT);
    expect(textIn(events, "response.function_call_arguments.delta")).toBe('{"path":"/a–🌊.txt"}');
    expect(textIn(events, "response.reasoning_summary_text.delta")).toBe("I look first.");
  });

  it("breaks where a fault says so", async () => {
    provider.fault({ cutAfterEvents: 2 });
    await expect(post({ stream: true })).rejects.toThrow();
    provider.fault({ status: 503 });
    expect((await post()).json.error).toMatchObject({ type: "server_error", message: "Injected fault." });
  });
});

describe("the cache", () => {
  it("is read in steps of 128 tokens; ids and the spelling of content are no part of it", async () => {
    const { output } = (await post(THINKS)).json;
    const input = [said("go"), ...output, answered(output[2])];
    await post({ ...THINKS, input });
    const bare = output.slice(1).map(({ id: _id, status: _status, ...item }: JsonObject) => item);
    const spelled = [{ role: "user", content: "go" }, output[0], ...bare, answered(output[2])];
    const { usage } = (await post({ ...THINKS, input: spelled })).json;
    const { cached_tokens: cached } = usage.input_tokens_details;
    expect(cached).toBe(usage.input_tokens - (usage.input_tokens % 128));
    const changed = (await post({ ...THINKS, instructions: "t".repeat(6_000), input })).json.usage;
    expect(changed.input_tokens_details).toEqual({ cached_tokens: 0 });
  });

  it("is written at breakpoints by models that say so", async () => {
    const marked = { type: "input_text", text: "s".repeat(6_000), prompt_cache_breakpoint: { mode: "explicit" } };
    const fields = { model: "gpt-5.6-sol", prompt_cache_options: { mode: "explicit" }, instructions: null };
    const input = [{ role: "user", content: [marked] }, said("go")];
    const details = async () => (await post({ ...fields, input })).json.usage.input_tokens_details;
    const first = await details();
    expect(first.cache_write_tokens).toBeGreaterThan(1_024);
    expect(await details()).toEqual({ cached_tokens: first.cache_write_tokens, cache_write_tokens: 0 });
  });
});

function itemsIn(events: readonly JsonObject[]): readonly unknown[] {
  return events.filter(({ type }) => type === "response.output_item.done").map(({ item }) => item);
}

function textIn(events: readonly JsonObject[], type: string): string {
  return objectsOf(events.filter((event) => event.type === type))
    .map(({ delta }) => stringOf(delta))
    .join("");
}

function withoutRepeats(types: readonly string[]): readonly string[] {
  return types.filter((type, index) => type !== types[index - 1]);
}
