import { afterAll, expect, test } from "vitest";
import { recordingIn, recordingsFolder } from "../../../test/support/recordings.ts";
import { readRecording } from "./recording-file.ts";

const folder = recordingsFolder();
afterAll(() => folder.remove());

const counter = { count: (text: string) => text.length };
const DEEP = `${"[".repeat(50_000)}${"]".repeat(50_000)}`;
const at = (type: string, payload: object) => ({ timestamp: "2026-01-01T00:00:00.000Z", type, payload });
const META = at("session_meta", { id: "s", cwd: "/w", base_instructions: { text: "You are Codex." } });
const TURN = at("turn_context", { model: "gpt-5.4" });
const item = (payload: object) => at("response_item", payload);
const SAID = item({ type: "message", role: "user", content: [{ type: "input_text", text: "go" }] });
const ANSWERED = item({ type: "message", role: "assistant", content: [{ type: "output_text", text: "a" }] });

test("a line of unbearable depth is a problem, and the others are read", async () => {
  const call = JSON.stringify(item({ type: "function_call", call_id: "c", name: "s", arguments: "@" }));
  const lines = [META, TURN, SAID, ANSWERED].map((line) => JSON.stringify(line));
  const file = folder.write("deep.jsonl", [...lines, call.replace('"@"', DEEP)].join("\n"));
  const { contexts, problems } = await recordingIn(file);
  expect(contexts).toHaveLength(1);
  expect(problems).toEqual([{ line: 5, words: "nested deeper than 1000 levels" }]);
});

test("a whole file of unbearable depth is of no known format", async () => {
  expect(await readRecording(folder.write("deep.json", DEEP), { counter })).toMatchObject({ ok: false });
});

test("usage beyond any model's window makes no system prompt of that size", async () => {
  const used = at("event_msg", {
    type: "token_count",
    info: { last_token_usage: { input_tokens: 9e11, cached_input_tokens: 1e300, output_tokens: -1 } },
  });
  const { contexts } = await recordingIn(folder.lines("absurd", [META, TURN, SAID, ANSWERED, used]));
  const [request] = contexts[0]?.requests ?? [];
  expect(request?.body.length).toBeLessThan(10_000);
});

test("a byte order mark and line ends of Windows hide nothing", async () => {
  const lines = [META, TURN, SAID, ANSWERED].map((line) => JSON.stringify(line));
  const { contexts, problems } = await recordingIn(folder.write("windows.jsonl", `\uFEFF${lines.join("\r\n")}`));
  expect([contexts[0]?.sessionId, problems]).toEqual(["s", []]);
});
