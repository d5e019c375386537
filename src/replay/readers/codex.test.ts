import { afterAll, expect, test } from "vitest";
import { outlines, recordingIn, recordingsFolder } from "../../../test/support/recordings.ts";

const folder = recordingsFolder();
afterAll(() => folder.remove());

let minute = 0;
const at = (type: string, payload: object) => ({
  timestamp: `2026-01-01T00:${String(++minute).padStart(2, "0")}:00.000Z`,
  type,
  payload,
});
const item = (payload: object) => at("response_item", payload);
const said = (text: string) => item({ type: "message", role: "user", content: [{ type: "input_text", text }] });
const answered = (text: string) =>
  item({ type: "message", role: "assistant", content: [{ type: "output_text", text }] });
const called = (id: string) => item({ type: "function_call", name: "exec_command", arguments: "{}", call_id: id });
const gave = (id: string, output: string) => item({ type: "function_call_output", call_id: id, output });
const used = (input: number, cached: number, total: number) =>
  at("event_msg", {
    type: "token_count",
    info: {
      total_token_usage: { total_tokens: total },
      last_token_usage: { input_tokens: input, cached_input_tokens: cached, output_tokens: 7 },
    },
  });
const META = at("session_meta", { id: "s1", cwd: "/w", base_instructions: { text: "You are Codex." } });
const TURN = at("turn_context", { model: "gpt-5.4" });

test("what the model says up to a usage is one response, although outputs stand between its calls", async () => {
  const rows = [META, said("go"), TURN, called("a"), gave("a", "A"), called("b"), used(100, 60, 110), gave("b", "B")];
  const file = folder.lines("one", [...rows, used(100, 60, 110), answered("done"), used(200, 120, 320), said("more")]);
  const { format, contexts } = await recordingIn(file);
  expect([format, contexts.length, contexts[0]?.wire, contexts[0]?.sessionId]).toEqual([
    "codex",
    1,
    "openai-responses",
    "s1",
  ]);
  expect(outlines(contexts[0])).toEqual([
    ["user: go"],
    ["user: go", "assistant: exec_command(a) | exec_command(b)", "user: =a A | =b B"],
  ]);
  const [first, second] = contexts[0]?.requests ?? [];
  expect(first?.usage).toEqual({ inputTokens: 40, cacheReadTokens: 60, cacheWriteTokens: 0, outputTokens: 7 });
  expect(second?.usage?.inputTokens).toBe(80);
  expect([first?.model, second?.model]).toEqual(["gpt-5.4", "gpt-5.4"]);
  const body = JSON.parse(Buffer.from(second?.body ?? []).toString());
  expect(body.instructions).toContain("You are Codex.");
  expect(body.input.map(({ type }: { type: string }) => type)).toEqual([
    "message",
    "function_call",
    "function_call",
    "function_call_output",
    "function_call_output",
  ]);
});

test("a usage in front of its items, as the first versions wrote it, belongs to the response behind it", async () => {
  const rows = [META, said("go"), used(10, 0, 10), called("a"), gave("a", "A"), used(20, 10, 30), answered("done")];
  const { contexts } = await recordingIn(folder.lines("early", rows));
  expect(contexts[0]?.requests.map(({ usage }) => usage?.cacheReadTokens)).toEqual([0, 10]);
});

test("a compaction starts anew with what the client kept, or with the person's words and the summary", async () => {
  const kept = {
    message: "",
    replacement_history: [{ type: "message", role: "user", content: [{ type: "input_text", text: "kept" }] }],
  };
  const rows = [META, said("go"), answered("one"), at("compacted", kept), answered("two")];
  const own = await recordingIn(folder.lines("kept", rows));
  expect(outlines(own.contexts[0])[1]).toEqual(["user: kept"]);
  expect(own.contexts[0]?.requests.map(({ isLive }) => isLive)).toEqual([false, true]);
  expect(Buffer.from(own.contexts[0]?.history("live") ?? []).toString()).not.toContain('"go"');
  const summed = [META, said("go"), answered("one"), at("compacted", { message: "all of it" }), answered("two")];
  expect(outlines((await recordingIn(folder.lines("summed", summed))).contexts[0])[1]).toEqual([
    "user: go",
    "user: all of it",
  ]);
});

test("a turn that was rolled back is sent no more", async () => {
  const back = at("event_msg", { type: "thread_rolled_back", num_turns: 1 });
  const rows = [META, said("one"), answered("A"), said("two"), answered("B"), back, said("three"), answered("C")];
  expect(outlines((await recordingIn(folder.lines("back", rows))).contexts[0])[2]).toEqual([
    "user: one",
    "assistant: A",
    "user: three",
  ]);
});

test("the first rollouts, items without a type around them, are read; a sub-agent's is one", async () => {
  const head = { id: "s0", timestamp: "2025-06-01T00:00:00Z", instructions: null };
  const user = { type: "message", role: "user", content: [{ type: "input_text", text: "go" }] };
  const call = { type: "function_call", name: "shell", arguments: "{}", call_id: "a" };
  const rows = [
    head,
    { record_type: "state" },
    user,
    call,
    { type: "function_call_output", call_id: "a", output: "A" },
    { odd: 1 },
  ];
  const old = await recordingIn(folder.lines("old", [...rows, { ...user, role: "assistant" }]));
  expect([old.format, outlines(old.contexts[0]).length]).toEqual(["codex", 2]);
  expect(old.problems).toEqual([{ line: 6, words: "not a line of a rollout: neither a type nor a payload" }]);
  const spawned = at("session_meta", { id: "s2", source: { subagent: { thread_spawn: {} } } });
  const agent = await recordingIn(folder.lines("agent", [spawned, said("go"), answered("done")]));
  expect(agent.contexts.map(({ id, kind }) => [id, kind])).toEqual([["agent s2", "agent"]]);
});
