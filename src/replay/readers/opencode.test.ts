import SqliteDatabase from "better-sqlite3";
import { afterAll, expect, test } from "vitest";
import { outlines, recordingIn, recordingsFolder } from "../../../test/support/recordings.ts";
import { findSessionFiles } from "../analyze/session-files.ts";

const folder = recordingsFolder();
afterAll(() => folder.remove());

const INFO = { id: "ses_1", directory: "/w", time: { created: 1 } };
const USER = "msg_1";
const user = (id: string, text: string, created: number, more: readonly object[] = []) => ({
  info: { id, role: "user", time: { created } },
  parts: [{ type: "text", text }, ...more],
});
const tool = (callID: string, output: string, more: object = {}) => ({
  ...{ type: "tool", callID, tool: "read" },
  state: { status: "completed", input: { filePath: "/w/a" }, output, time: { start: 1, end: 2, ...more } },
});
const model = (id: string, created: number, parts: readonly object[], more: object = {}) => ({
  info: {
    ...{ id, role: "assistant", modelID: "claude-sonnet-4-5", time: { created, completed: created + 5 } },
    tokens: { input: 10, output: 5, reasoning: 1, cache: { read: 90, write: 3 } },
    ...more,
  },
  parts,
});
const text = (words: string) => ({ type: "text", text: words });
const MESSAGES = [
  user(USER, "go", 1_000),
  model("msg_2", 2_000, [tool("c1", "A")]),
  model("msg_3", 3_000, [text("done")]),
];
const SENT = [["user: go"], ["user: go", "assistant: read(c1)", "user: =c1 A"]];

test("an export becomes one request a step, with what the provider counted and when it was asked", async () => {
  const { format, contexts } = await recordingIn(
    folder.write("one.json", JSON.stringify({ info: INFO, messages: MESSAGES })),
  );
  expect([format, contexts[0]?.sessionId, contexts[0]?.wire]).toEqual(["opencode", "ses_1", "anthropic-messages"]);
  expect(outlines(contexts[0])).toEqual(SENT);
  const [first] = contexts[0]?.requests ?? [];
  expect([first?.atMs, first?.model, first?.messageId]).toEqual([2_000_000, "claude-sonnet-4-5", "msg_2"]);
  expect(first?.usage).toEqual({ inputTokens: 10, cacheReadTokens: 90, cacheWriteTokens: 3, outputTokens: 6 });
});

test("steps within one message are requests of their own, and a call that never ended is not sent", async () => {
  const start = { type: "step-start" };
  const open = { type: "tool", callID: "c9", tool: "bash", state: { status: "running", input: {} } };
  const failed = {
    type: "tool",
    callID: "c2",
    tool: "read",
    state: { status: "error", input: {}, error: "no such file" },
  };
  const steps = [start, tool("c1", "A"), start, failed, open, start, text("done")];
  const { contexts } = await recordingIn(
    folder.write("steps.json", JSON.stringify({ info: INFO, messages: [user(USER, "go", 1), model("m", 2, steps)] })),
  );
  expect(outlines(contexts[0])[2]).toEqual([
    "user: go",
    "assistant: read(c1)",
    "user: =c1 A",
    "assistant: read(c2)",
    "user: =c2 no such file",
  ]);
});

test("results that were pruned are sent cleared from then on, and a compaction starts anew", async () => {
  const pruned = [
    user(USER, "go", 1_000),
    model("m1", 2_000, [tool("c1", "A", { compacted: 4_000 })]),
    model("m2", 3_000, [text("one")]),
    user("m3", "on", 4_500),
    model("m4", 5_000, [text("two")]),
    user("m5", "", 6_000, [{ type: "compaction", auto: true }]),
    model("m6", 7_000, [text("the summary")], { summary: true }),
    user("m7", "next", 8_000),
    model("m8", 9_000, [text("three")]),
  ];
  const { contexts } = await recordingIn(folder.write("pruned.json", JSON.stringify({ info: INFO, messages: pruned })));
  const sent = outlines(contexts[0]);
  expect(sent[1]?.at(-1)).toBe("user: =c1 A");
  expect(sent[2]?.[2]).toBe("user: =c1 [Old tool result content cleared]");
  expect(sent[3]?.at(-1)).toBe("user: What did we do so far?");
  expect(sent[4]).toEqual(["user: What did we do so far?", "assistant: the summary", "user: next"]);
  expect(contexts[0]?.requests.map(({ isLive }) => isLive)).toEqual([false, false, false, false, true]);
});

test("the folder it kept sessions in gives the same, one session a record, and nothing else is looked into", async () => {
  folder.write("storage/session/p1/ses_1.json", JSON.stringify(INFO));
  for (const { info, parts } of MESSAGES) {
    folder.write(`storage/message/ses_1/${info.id}.json`, JSON.stringify(info));
    for (const [index, part] of parts.entries())
      folder.write(`storage/part/${info.id}/prt_${index}.json`, JSON.stringify(part));
  }
  folder.write("storage/message/ses_1/msg_9.json", "{broken");
  const { files } = await findSessionFiles([`${folder.path}/storage`]);
  expect(files.map(({ path }) => path)).toEqual([`${folder.path}/storage/session/p1/ses_1.json`]);
  const { contexts, problems } = await recordingIn(files[0]?.path ?? "");
  expect(outlines(contexts[0])).toEqual(SENT);
  expect(problems).toEqual([{ line: 0, words: "msg_9.json: not a JSON object" }]);
});

test("its database gives every session, sub-agents by their parent; another program's is refused in words", async () => {
  const path = `${folder.path}/opencode.db`;
  const database = new SqliteDatabase(path);
  database.exec(
    "CREATE TABLE session (id TEXT, parent_id TEXT, directory TEXT, time_created INTEGER);" +
      "CREATE TABLE message (id TEXT, session_id TEXT, time_created INTEGER, data TEXT);" +
      "CREATE TABLE part (id TEXT, message_id TEXT, session_id TEXT, data TEXT)",
  );
  for (const [session, parent] of [
    ["ses_1", null],
    ["ses_2", "ses_1"],
  ] as const) {
    database.prepare("INSERT INTO session VALUES (?, ?, '/w', ?)").run(session, parent, parent === null ? 1 : 2);
    MESSAGES.forEach(({ info: { id: name, ...info }, parts }, index) => {
      const id = `${session}-${name}`;
      database.prepare("INSERT INTO message VALUES (?, ?, ?, ?)").run(id, session, index, JSON.stringify(info));
      for (const [at, part] of parts.entries()) {
        database.prepare("INSERT INTO part VALUES (?, ?, ?, ?)").run(`${id}-${at}`, id, session, JSON.stringify(part));
      }
    });
  }
  database.prepare("INSERT INTO part VALUES ('x', 'y', 'ses_1', 'broken')").run();
  database.close();
  const { format, contexts, problems } = await recordingIn(path);
  expect([format, ...contexts.map(({ id, kind }) => `${kind} ${id}`)]).toEqual([
    "opencode",
    "main session ses_1",
    "agent agent ses_2",
  ]);
  expect(contexts.map((context) => outlines(context))).toEqual([SENT, SENT]);
  expect(problems).toEqual([{ line: 0, words: "a part of session ses_1 is no JSON object" }]);
  const other = new SqliteDatabase(`${folder.path}/other.db`);
  other.exec("CREATE TABLE session (id TEXT)");
  other.close();
  await expect(recordingIn(`${folder.path}/other.db`)).rejects.toThrow("none of opencode's");
});
