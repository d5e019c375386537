import { afterAll, expect, test } from "vitest";
import { outlines, recordingIn, recordingsFolder } from "../../../test/support/recordings.ts";

const folder = recordingsFolder();
afterAll(() => folder.remove());

const HEAD = { sessionId: "s1", projectHash: "p", startTime: "2026-01-01T00:00:00Z", kind: "main" };
const user = (id: string, text: string) => ({
  id,
  type: "user",
  timestamp: "2026-01-01T00:00:01Z",
  content: [{ text }],
});
const model = (id: string, text: string, more: object = {}) => ({
  ...{ id, type: "gemini", timestamp: "2026-01-01T00:00:02Z", content: text, model: "gemini-3-flash" },
  ...more,
});
const call = (id: string, output: string) => ({
  ...{ id, name: "read_file", args: { file_path: "a" }, timestamp: "2026-01-01T00:00:03Z" },
  result: [{ functionResponse: { id, name: "read_file", response: { output } } }],
});
const tokens = { input: 100, output: 5, cached: 40, thoughts: 6, total: 111 };

test("a message that is written again as it grows counts once, with what it came to", async () => {
  const grown = model("m1", "", { toolCalls: [call("c1", "A")], tokens });
  const rows = [HEAD, user("u1", "go"), model("m1", ""), { $set: { lastUpdated: "x" } }, grown, model("m2", "done")];
  const { format, contexts, problems } = await recordingIn(folder.lines("grown", rows));
  expect([format, problems, contexts[0]?.wire]).toEqual(["gemini-cli", [], "gemini"]);
  expect(outlines(contexts[0])).toEqual([["user: go"], ["user: go", "assistant: read_file(c1)", "user: =c1 A"]]);
  expect(contexts[0]?.requests[0]?.usage).toEqual({
    inputTokens: 60,
    cacheReadTokens: 40,
    cacheWriteTokens: 0,
    outputTokens: 11,
  });
  const body = JSON.parse(Buffer.from(contexts[0]?.requests[1]?.body ?? []).toString());
  expect(body.contents.map(({ role }: { role: string }) => role)).toEqual(["user", "model", "user"]);
});

test("the older form, one value with all messages, gives the same requests", async () => {
  const messages = [
    user("u1", "go"),
    model("m1", "", { toolCalls: [call("c1", "A")] }),
    { type: "info", id: "i", content: "x" },
    model("m2", "done"),
  ];
  const { contexts } = await recordingIn(folder.write("old.json", JSON.stringify({ ...HEAD, messages }, null, 1)));
  expect(outlines(contexts[0])[1]).toEqual(["user: go", "assistant: read_file(c1)", "user: =c1 A"]);
});

test("a rewind leaves out the message it names and all behind it; other messages in place of all are a compaction", async () => {
  const rows = [
    HEAD,
    user("u1", "one"),
    model("m1", "A"),
    user("u2", "two"),
    model("m2", "B"),
    { $rewindTo: "u2" },
    user("u3", "three"),
    model("m3", "C"),
  ];
  const folded = { $set: { messages: [user("f1", "summary"), user("u9", "go on")] } };
  const { contexts } = await recordingIn(folder.lines("rewind", [...rows, folded, model("m4", "D")]));
  expect(outlines(contexts[0]).slice(2)).toEqual([
    ["user: one", "assistant: A", "user: three"],
    ["user: summary", "user: go on"],
  ]);
  expect(contexts[0]?.requests.map(({ isLive }) => isLive)).toEqual([false, false, false, true]);
});

test("a saved conversation of bare contents is read, its calls without an id by name and order", async () => {
  const contents = [
    { role: "user", parts: [{ text: "go" }] },
    {
      role: "model",
      parts: [{ functionCall: { name: "glob", args: {} } }, { functionCall: { name: "glob", args: { a: 1 } } }],
    },
    { role: "user", parts: ["x", "y"].map((output) => ({ functionResponse: { name: "glob", response: { output } } })) },
    { role: "model", parts: [{ text: "done" }] },
  ];
  const { contexts } = await recordingIn(folder.write("checkpoint.json", JSON.stringify({ history: contents })));
  expect(outlines(contexts[0])[1]?.slice(1)).toEqual([
    "assistant: glob(call 1 of glob) | glob(call 2 of glob)",
    "user: =call 1 of glob x | =call 2 of glob y",
  ]);
});
