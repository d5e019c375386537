import { afterAll, expect, test } from "vitest";
import { outlines, recordingIn, recordingsFolder } from "../../../test/support/recordings.ts";

const folder = recordingsFolder();
afterAll(() => folder.remove());

const HEAD = { type: "session", version: 3, id: "s1", timestamp: "2026-01-01T00:00:00Z", cwd: "/w" };
const entry = (id: string, parentId: string | null, message: object) => ({
  ...{ type: "message", id, parentId, timestamp: "2026-01-01T00:00:01Z" },
  message,
});
const said = (text: string) => ({ role: "user", content: [{ type: "text", text }] });
const usage = { input: 3, output: 4, cacheRead: 5, cacheWrite: 6 };
const answered = (text: string, more: object = {}) => ({
  ...{ role: "assistant", model: "claude-sonnet-4-5", usage, stopReason: "stop", content: [{ type: "text", text }] },
  ...more,
});
const called = (id: string) =>
  answered("", { content: [{ type: "toolCall", id, name: "read", arguments: { path: "a" } }] });
const gave = (toolCallId: string, text: string) => ({
  role: "toolResult",
  toolCallId,
  toolName: "read",
  content: [{ type: "text", text }],
  isError: false,
});

test("a branch has the history of its own entries, and the one left behind is in the whole history", async () => {
  const rows = [
    HEAD,
    entry("a", null, said("go")),
    entry("b", "a", called("c1")),
    entry("c", "b", gave("c1", "A")),
    entry("d", "c", answered("first")),
    entry("e", "c", said("no, again")),
    entry("f", "e", answered("second")),
  ];
  const { format, contexts } = await recordingIn(folder.lines("tree", rows));
  expect([format, contexts[0]?.sessionId]).toEqual(["pi", "s1"]);
  const shared = ["user: go", "assistant: read(c1)"];
  expect(outlines(contexts[0])).toEqual([
    ["user: go"],
    [...shared, "user: =c1 A"],
    [...shared, "user: =c1 A | no, again"],
  ]);
  expect(contexts[0]?.requests[0]?.usage).toEqual({
    inputTokens: 3,
    cacheReadTokens: 5,
    cacheWriteTokens: 6,
    outputTokens: 4,
  });
  expect(Buffer.from(contexts[0]?.history("all") ?? []).toString()).toContain("first");
});

test("a compaction keeps what it names behind its summary, and nothing before it", async () => {
  const rows = [
    HEAD,
    entry("a", null, said("one")),
    entry("b", "a", answered("A")),
    entry("c", "b", said("two")),
    entry("d", "c", answered("B")),
    {
      type: "compaction",
      id: "e",
      parentId: "d",
      timestamp: "2026-01-01T00:00:02Z",
      summary: "so far",
      firstKeptEntryId: "c",
    },
    entry("f", "e", said("three")),
    entry("g", "f", answered("C")),
  ];
  const { contexts } = await recordingIn(folder.lines("folded", rows));
  expect(outlines(contexts[0])[2]).toEqual(["user: so far | two", "assistant: B", "user: three"]);
  expect(contexts[0]?.requests.map(({ isLive }) => isLive)).toEqual([false, false, true]);
});

test("an answer that broke off was asked for and is not sent back; entries without ids follow each other", async () => {
  const rows = [HEAD, said("go"), answered("cut", { stopReason: "aborted" }), said("again"), answered("done")].map(
    (row, index) => (index === 0 ? row : { type: "message", timestamp: "2026-01-01T00:00:01Z", message: row }),
  );
  const { contexts, problems } = await recordingIn(folder.lines("line", [...rows, { no: "type" }]));
  expect(outlines(contexts[0])).toEqual([["user: go"], ["user: go | again"]]);
  expect(problems).toEqual([{ line: 6, words: "not an entry: expected a type" }]);
});
