import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RecordedContext, RecordedMessage, RecordedRequest, Recording } from "../recording.ts";
import { readRecording } from "./recording-file.ts";

const sessions = resolve(import.meta.dirname, "../../../test/fixtures/sessions");
const counter = { count: (text: string) => Math.ceil(text.length / 4) };

async function read(path: string): Promise<Recording> {
  const outcome = await readRecording(path, { counter });
  if (!outcome.ok) throw new Error(outcome.words);
  return outcome.recording;
}

function contextOf(recording: Recording, kind: string): RecordedContext {
  const context = recording.contexts.find((candidate) => candidate.kind === kind);
  if (context === undefined) throw new Error(`no ${kind}`);
  return context;
}

/** A message as a line: role, then blocks as text, call name and id, or result id and the start of its text. */
function outline(messages: readonly RecordedMessage[]): string[] {
  return messages.map((message) => {
    const blocks = message.blocks.map((block) => {
      const value = JSON.parse(Buffer.from(block.json).toString());
      if (block.kind === "call") return `${block.toolName}(${block.callId})`;
      if (block.kind === "result") return `=${block.callId} ${String(value.content).trim().slice(0, 12).trim()}`;
      return block.kind === "text" ? String(value.text).slice(0, 20) : block.kind;
    });
    return `${message.role}: ${blocks.join(" | ")}`;
  });
}

function sentBy(context: RecordedContext, index: number): string[] {
  const request = context.requests[index];
  return request === undefined ? [] : outline(request.messages());
}

function bodyOf(request: RecordedRequest | undefined): Record<string, unknown> {
  return JSON.parse(Buffer.from(request?.body ?? new Uint8Array()).toString());
}

describe("Claude Code log", () => {
  it("makes one request of each response, at the time of the user line before it", async () => {
    const context = contextOf(await read(join(sessions, "stale-read.jsonl")), "main");
    expect(context.requests.map((request) => request.messageId)).toEqual(
      ["01", "02", "03", "04", "05", "06", "07"].map((n) => `msg_stale-read_${n}`),
    );
    expect(context.requests.map((request) => new Date(request.atMs ?? 0).toISOString().slice(14, 19))).toEqual([
      "00:05",
      "00:08",
      "00:11",
      "00:14",
      "00:17",
      "00:20",
      "00:23",
    ]);
    expect(context.requests[1]?.usage).toEqual({
      inputTokens: 10,
      cacheReadTokens: 9000,
      cacheWriteTokens: 1300,
      outputTokens: 60,
    });
    expect(sentBy(context, 1)).toEqual([
      "user: The total ignores th",
      "assistant: thinking | I will read the file | Read(toolu_r1)",
      "user: =toolu_r1 1→export fun",
    ]);
  });

  it("gives parallel calls all their results although the chain passes through one, and a fork its own history", async () => {
    const context = contextOf(await read(join(sessions, "forks.jsonl")), "main");
    const shared = [
      "user: Where is the price?",
      "assistant: Two files at once. | Read(toolu_p1) | Read(toolu_p2)",
      "user: =toolu_p1 1→const a = | =toolu_p2 1→const b =",
      "assistant: In a.js.",
    ];
    expect(sentBy(context, 2)).toEqual([...shared, "user: Change it to 2."]);
    expect(sentBy(context, 4)).toEqual([...shared, "user: No: explain it first"]);
  });

  it("leaves a call without a result out of what was sent, and keeps it in the whole history", async () => {
    const context = contextOf(await read(join(sessions, "forks.jsonl")), "main");
    expect(sentBy(context, 5).slice(-3)).toEqual([
      "user: No: explain it first",
      "assistant: It is a constant.",
      "user: Never mind.",
    ]);
    expect(Buffer.from(context.history("all")).toString()).toContain("toolu_p4");
  });

  it("applies a micro-compaction from its place on and starts anew at a compaction", async () => {
    const context = contextOf(await read(join(sessions, "folds.jsonl")), "main");
    expect(sentBy(context, 1).at(-1)).toBe("user: =toolu_c1 1→const row");
    expect(sentBy(context, 2)[2]).toBe("user: =toolu_c1 [Old tool re");
    expect(sentBy(context, 3)[2]).toBe("user: =toolu_c1 [Old tool re");
    expect(sentBy(context, 4)).toEqual(["user: This session is bein"]);
    expect(context.requests.map((request) => request.isLive)).toEqual([false, false, false, false, true, true]);
    const live = Buffer.from(context.history("live")).toString();
    expect(live).toContain("toolu_c4");
    expect(live).not.toContain("toolu_c1");
    expect(Buffer.from(context.history("all")).toString()).toContain("const row = 199;");
  });

  it("keeps side threads apart and agents by their name", async () => {
    const sides = await read(join(sessions, "sides.jsonl"));
    expect(sides.contexts.map((context) => `${context.kind} ${context.requests.length}`)).toEqual([
      "main 2",
      "sidechain 2",
    ]);
    expect(sentBy(contextOf(sides, "sidechain"), 1)).toEqual([
      "user: Look at the tests.",
      "assistant: Read(toolu_s2)",
      "user: =toolu_s2 1→test('adds",
    ]);
    const agent = await read(join(sessions, "stale-read__agent-a1.jsonl"));
    expect(agent.contexts.map((context) => `${context.kind} ${context.id}`)).toEqual(["agent agent a1"]);
  });

  it("reports broken, repeated and unattached lines by number, and sends no error of the API", async () => {
    const recording = await read(join(sessions, "sides.jsonl"));
    const main = contextOf(recording, "main");
    expect(recording.problems).toEqual([{ line: 11, words: expect.stringMatching(/^broken line: not JSON/) }]);
    expect(main.problems).toEqual([
      { line: 13, words: "continues a line that is not in the file; taken to continue line 10" },
      { line: 14, words: "repeats the id of line 13; the first counts" },
    ]);
    expect(sentBy(main, 1)).toEqual([
      "user: <command-name>/clear | Have a sub-agent loo",
      "assistant: Task(toolu_s1)",
      "user: =toolu_s1 One test.",
    ]);
  });

  it("fits system and tools on the first five usages, so that a body counts what the provider counted", async () => {
    const context = contextOf(await read(join(sessions, "stale-read.jsonl")), "main");
    const first = bodyOf(context.requests[0]);
    expect(context.overheadTokens).toBeGreaterThan(8_000);
    expect(JSON.stringify(first.system)).toContain("Working directory: /project/shop");
    expect(first.tools).toContainEqual({ name: "Bash", input_schema: { type: "object" } });
    expect(bodyOf(context.requests[3]).system).toEqual(first.system);
  });

  it("sets the client's breakpoints on the last block of the last two messages and nowhere else", async () => {
    const context = contextOf(await read(join(sessions, "stale-read.jsonl")), "main");
    const { messages } = bodyOf(context.requests[4]) as { messages: { content: { cache_control?: unknown }[] }[] };
    const marked = messages.flatMap((message, at) =>
      message.content.flatMap((block, index) => (block.cache_control === undefined ? [] : [[at, index]])),
    );
    expect(marked).toEqual([
      [7, 0],
      [8, 0],
    ]);
  });
});

describe("recording file", () => {
  let folder = "";
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "ebb-readers-"));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const write = (name: string, content: string): string => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  };

  it("knows a format by content, whatever the file is called", async () => {
    const log = write("log.json", readFileSync(join(sessions, "read-only.jsonl"), "utf8"));
    expect((await read(log)).format).toBe("claude-code");
    const body = { model: "m", max_tokens: 5, messages: [{ role: "user", content: "hi" }] };
    const pretty = JSON.stringify(body, null, 2);
    const whole = await read(write("body.jsonl", pretty));
    expect(whole.format).toBe("anthropic-messages");
    expect(Buffer.from(whole.contexts[0]?.requests[0]?.body ?? []).toString()).toBe(pretty);
    const corpus = [{ source: "s", calls: [{ tool: "Read", args: { file_path: "/f" }, out: "1\tx" }] }];
    expect((await read(write("corpus", JSON.stringify(corpus)))).format).toBe("read-lifecycle-corpus");
  });

  it("makes one context of request bodies that extend each other, by their blocks", async () => {
    const turns = [
      { role: "user", content: "hi" },
      { role: "assistant", content: [{ type: "text", text: "hello" }] },
      { role: "user", content: [{ type: "text", text: "again", cache_control: { type: "ephemeral" } }] },
    ];
    const lines = [
      { messages: turns.slice(0, 1) },
      { messages: [{ role: "user", content: "other" }] },
      { messages: turns },
    ];
    const recording = await read(write("bodies.jsonl", lines.map((line) => JSON.stringify(line)).join("\n")));
    expect(recording.contexts.map((context) => context.requests.length)).toEqual([2, 1]);
  });

  it("says in words why a file is no recording", async () => {
    const words = async (content: string): Promise<string> => {
      const outcome = await readRecording(write("other", content), { counter });
      return outcome.ok ? "read" : outcome.words;
    };
    expect(await words("")).toBe("the file is empty");
    expect(await words("plain text\n")).toContain("neither an agent's log nor");
    expect(await words('{"messages":[{"role":"robot","content":"x"}]}')).toContain("neither");
    expect(await words('{"model":"m","input":"a text to embed"}')).toContain("neither");
    expect(await words("SQLite format 3\0 and more")).toContain("cannot be opened here");
  });

  it("reads a log whose last line is cut and whose lines are separated by CRLF and blanks", async () => {
    const source = readFileSync(join(sessions, "read-only.jsonl"), "utf8").trimEnd().split("\n");
    const path = write("cut.jsonl", `${source.slice(0, 5).join("\r\n\r\n")}\n${source[5]?.slice(0, 80)}`);
    const recording = await read(path);
    expect(recording.contexts[0]?.requests.length).toBe(2);
    expect(recording.problems.map((problem) => problem.line)).toEqual([10]);
  });

  it("tells every byte it read", async () => {
    const path = join(sessions, "folds.jsonl");
    let bytes = 0;
    await readRecording(path, { counter, onBytes: (more) => (bytes += more) });
    expect(bytes).toBe(readFileSync(path).length);
  });
});
