import { describe, expect, it } from "vitest";
import { type ChatRound, chunksOfRound, lineOf, readChatStream } from "../../../test/support/inline/chat-stream.ts";
import { play as playWith, type Response } from "../../../test/support/inline/playbook.ts";
import type { FollowOptions } from "../../model/ports.ts";
import { createOpenaiChat } from "./index.ts";
import { markOfCall, markOfText } from "./marks.ts";

const wire = createOpenaiChat();
const play = (responses: readonly Response[], options: Partial<FollowOptions> = {}) =>
  playWith(responses, options, wire);
const streamOf = (round: ChatRound) => chunksOfRound(round).join("");
const recall = (id?: string) => ({ ...(id === undefined ? {} : { id }), name: "ebb_recall" });
const read = (id: string) => ({ id, name: "read", arguments: '{"path":"x"}' });
const ANSWERED = streamOf({ texts: ["It is ", "in line 40."], id: "chatcmpl-2", completion: 7 });
const parsed = (blocks: readonly string[] = []) => blocks.map((json) => JSON.parse(json));
const chunk = (delta: object, reason: string | null = null, more: object = {}) =>
  lineOf({ id: "c", choices: [{ index: 0, delta, finish_reason: reason }], ...more });
const DONE = "data: [DONE]\n\n";

describe("a stream without calls of Ebb's", () => {
  it("passes byte for byte, and its end tells what the client saw", () => {
    const stream = `: hello\n\n${streamOf({ texts: ["Reading é", "😀."], thoughts: ["Hm."], calls: [read("c1")] })}\n: bye`;
    const { sent, commands, seen } = play([stream]);
    expect(sent).toBe(stream);
    expect(commands).toEqual(["send", "end"]);
    expect(seen).toEqual([markOfText("Reading é😀."), markOfCall("c1")]);
  });

  it("passes whatever cannot be followed: several choices, content in parts, no JSON", () => {
    const two = lineOf({
      choices: [
        { index: 0, delta: { content: "a" } },
        { index: 1, delta: { content: "b" } },
      ],
    });
    const second = lineOf({ choices: [{ index: 1, delta: { content: "b" } }] });
    const parts = chunk({ content: [{ type: "thinking", thinking: [] }] });
    for (const odd of [two, second, parts, "data: {\n\n"]) {
      const stream = odd + streamOf({ calls: [recall("c1")] });
      expect(play([stream])).toMatchObject({ sent: stream, commands: ["send", "end"], rounds: [] });
    }
  });

  it("gives up what it held back where something comes that cannot be followed", () => {
    const stream = `${streamOf({ calls: [recall("c1")], finish: null, done: false })}data: {\n\n`;
    expect(play([stream])).toMatchObject({ sent: stream, rounds: [] });
  });

  it("ends as it came where the server does not say that it ended, and is cut where a call was held back", () => {
    const begun = chunk({ content: "a" });
    expect(play([begun])).toMatchObject({ sent: begun, commands: ["send", "end"] });
    const held = chunk({ tool_calls: [{ index: 0, id: "c", function: { name: "ebb_recall", arguments: "{" } }] });
    expect(play([begun + held])).toMatchObject({ sent: begun, commands: ["send", "cut"] });
  });

  it("passes an error of the server as it came, also behind a call that was held back", () => {
    const error = lineOf({ error: { message: "m", code: 502 } });
    expect(play([chunk({ content: "a" }) + error + DONE])).toMatchObject({ commands: ["send", "end"] });
    const held = chunk({ tool_calls: [{ index: 0, id: "c", function: { name: "ebb_recall", arguments: "{}" } }] });
    const { sent, rounds } = play([held + error + DONE]);
    expect([sent, rounds]).toEqual([error + DONE, []]);
  });
});

describe("a call of Ebb's in a stream", () => {
  it("gets an id of its own where another call of the message has its id", () => {
    const { rounds } = play([streamOf({ calls: [recall("c1"), recall("c1"), read("c2"), recall("c2")] })]);
    const [{ blocks, calls } = { blocks: [], calls: [] }] = rounds;
    const ids = parsed(blocks.slice(1)).map(({ id, call }) => id ?? call.id);
    expect(new Set(ids).size).toBe(4);
    expect(ids.filter((id) => id !== "c2")).toEqual(calls.map(({ id }) => id));
    expect(calls[0]?.id).toBe("c1");
  });

  it("that comes first is never seen: the client's message begins with what the next round says", () => {
    const { sent, commands, rounds, seen } = play([streamOf({ calls: [recall("c1")] }), ANSWERED]);
    expect(commands).toEqual(["send", "answer", "send", "end"]);
    expect(readChatStream(sent)).toEqual({
      id: "chatcmpl-1",
      role: "assistant",
      content: "It is in line 40.",
      reasoning_content: "",
      tool_calls: [],
      finish_reason: "stop",
      usage: { prompt_tokens: 100, completion_tokens: 12, total_tokens: 112 },
      dones: 1,
      errors: [],
    });
    expect(rounds).toEqual([
      {
        place: "round",
        blocks: [
          '{"role":"assistant","content":null}',
          '{"id":"c1","type":"function","function":{"name":"ebb_recall","arguments":"{\\"id\\":\\"a\\"}"}}',
        ],
        calls: [{ blockIndex: 1, id: "c1", name: "ebb_recall", input: { id: "a" }, seenBefore: 0 }],
        seen: [],
        seenStart: 0,
      },
    ]);
    expect(seen).toEqual([markOfText("It is in line 40.")]);
  });

  it("holds back its own chunks alone: all in front of them is sent before it ends", () => {
    const chunks = chunksOfRound({ thoughts: ["Look."], texts: ["Let me ", "look."], calls: [recall("c1")] });
    const at = chunks.findIndex((one) => one.includes("ebb_recall"));
    const { sent } = play([chunks.slice(0, at + 2).join("")]);
    expect(sent).toBe(chunks.slice(0, at).join(""));
    const whole = play([chunks.join(""), ANSWERED]);
    expect(whole.sent.startsWith(sent)).toBe(true);
    expect(readChatStream(whole.sent)).toMatchObject({
      content: "Let me look.It is in line 40.",
      reasoning_content: "Look.",
    });
    expect(parsed(whole.rounds[0]?.blocks)).toEqual([
      { role: "assistant", content: "Let me look.", reasoning_content: "Look." },
      [{ reasoning_content: "Look." }, expect.objectContaining({ id: "c1" })],
    ]);
    expect(whole.rounds[0]).toMatchObject({ seen: [markOfText("Let me look.")], calls: [{ seenBefore: 1 }] });
    expect(whole.seen).toEqual([markOfText("Let me look."), markOfText("It is in line 40.")]);
  });

  it("beside the client's own leaves those alone, numbered without it, and the end waits for the answer", () => {
    const round = { texts: ["a"], calls: [read("c1"), recall("c2"), read("c3")] };
    const { sent, commands, rounds, seen } = play([streamOf(round)]);
    expect(commands).toEqual(["send", "answer", "send", "end"]);
    const own = [read("c1"), read("c3")];
    expect(readChatStream(sent)).toMatchObject({
      content: "a",
      tool_calls: own,
      finish_reason: "tool_calls",
      dones: 1,
    });
    expect(rounds[0]).toMatchObject({ place: "beside", calls: [{ id: "c2", blockIndex: 2, seenBefore: 2 }] });
    expect(seen).toEqual([markOfText("a"), markOfCall("c1"), markOfCall("c3")]);
  });

  it("in more than one round counts all answers, and goes to the client after the last that is answered", () => {
    const ask = streamOf({ texts: ["a"], calls: [recall("c1")] });
    const { sent, rounds, seen } = play([ask, ask.replaceAll("c1", "c2"), ANSWERED]);
    expect(readChatStream(sent)).toMatchObject({ content: "aaIt is in line 40.", usage: { completion_tokens: 17 } });
    expect(rounds.map(({ seenStart }) => seenStart)).toEqual([0, 1]);
    expect(seen).toEqual([markOfText("a"), markOfText("a"), markOfText("It is in line 40.")]);
    const last = play([ask, ask.replaceAll("c1", "c2")], { roundsMax: 1 });
    expect(readChatStream(last.sent)).toMatchObject({ content: "aa", tool_calls: [{ id: "c2" }], dones: 1 });
    expect(last.rounds).toHaveLength(1);
  });

  it("whose arguments were cut off is not answered", () => {
    const { sent, rounds } = play([streamOf({ texts: ["a"], calls: [recall("c1")], finish: "length" })]);
    expect(rounds).toEqual([]);
    expect(readChatStream(sent)).toMatchObject({ content: "a", tool_calls: [], finish_reason: "length", dones: 1 });
  });

  it("is told as failed in the API's own form, and the stream is cut", () => {
    const ask = streamOf({ calls: [recall("c1")] });
    for (const response of [{ refused: '{"error":{"message":"m","type":"t","code":"c"}}' }, { unanswered: "" }]) {
      const { sent, commands } = play([ask, response]);
      expect(commands).toEqual(["send", "answer", "send", "cut"]);
      expect(readChatStream(sent)).toMatchObject({ dones: 0, errors: [{ message: expect.any(String) }] });
    }
    expect(play([ask, streamOf({ texts: ["a"], finish: null, done: false })]).commands.at(-1)).toBe("cut");
  });
});

describe("what servers do otherwise", () => {
  const entry = (more: object) => chunk({ tool_calls: [more] });
  const fn = (name: string, words = '{"id":"a"}') => ({ name, arguments: words });
  const idsIn = (stream: string) => play([stream, ANSWERED]).rounds[0]?.calls.map(({ id, input }) => [id, input]);

  it("a whole call in the chunk that ends the message, with text", () => {
    const call = { index: 0, id: "c1", type: "function", function: fn("ebb_recall") };
    const stream = chunk({ role: "assistant", content: "a", tool_calls: [call] }, "tool_calls", {
      usage: { prompt_tokens: 1, completion_tokens: 2 },
    });
    for (const end of [DONE, ""]) {
      const { sent, rounds } = play([stream + end, ANSWERED.replaceAll("chatcmpl-2", "c")]);
      expect(readChatStream(sent)).toMatchObject({
        content: "aIt is in line 40.",
        tool_calls: [],
        usage: { completion_tokens: 9 },
      });
      expect(rounds[0]?.calls).toMatchObject([{ id: "c1", input: { id: "a" } }]);
    }
    const beside = stream.replace(
      '"tool_calls":[',
      `"tool_calls":[${JSON.stringify({ ...call, id: "c0", function: fn("read") })},`,
    );
    const { sent } = play([beside + DONE]);
    expect(readChatStream(sent)).toMatchObject({
      content: "a",
      tool_calls: [{ id: "c0" }],
      finish_reason: "tool_calls",
    });
  });

  it("no index, no id, an id in every piece, one index for all", () => {
    const end = chunk({}, "stop") + DONE;
    const own = entry({ id: "c1", function: fn("ebb_recall", "{}") });
    expect(idsIn(own + entry({ id: "c2", function: fn("ebb_recall") }) + end)).toEqual([
      ["c1", {}],
      ["c2", { id: "a" }],
    ]);
    const pieces = ['{"i', 'd":1}'].map((words) => entry({ index: 0, id: "c1", function: fn("ebb_recall", words) }));
    expect(idsIn(pieces.join("") + end)).toEqual([["c1", { id: 1 }]]);
    const same = ["c1", "c2"].map((id) => entry({ index: 0, id, function: fn("ebb_recall", "{}") }));
    expect(idsIn(same.join("") + end)?.map(([id]) => id)).toEqual(["c1", "c2"]);
    const nameless = ["", undefined].map((id, index) => entry({ index, id, function: fn("ebb_recall", "{}") }));
    const made = idsIn(nameless.join("") + end)?.map(([id]) => id) ?? [];
    expect([made.length, new Set(made).size]).toEqual([2, 2]);
    expect(made.every((id) => /^call_[0-9a-f]{24}$/.test(String(id)))).toBe(true);
  });

  it("signatures beside a call, broken or missing arguments, and arguments as a value", () => {
    const end = chunk({}, "tool_calls") + DONE;
    const blocksOf = (stream: string) => parsed(play([stream + end, ANSWERED]).rounds[0]?.blocks).slice(1);
    const signed = {
      index: 0,
      id: "c1",
      function: fn("ebb_recall"),
      extra_content: { google: { thought_signature: "s" } },
    };
    expect(blocksOf(entry(signed))).toMatchObject([{ extra_content: { google: { thought_signature: "s" } } }]);
    const argsOf = (words: unknown) =>
      blocksOf(entry({ index: 0, id: "c1", function: { name: "ebb_recall", arguments: words } }))[0].function.arguments;
    expect([argsOf("{broken"), argsOf(""), argsOf(undefined), argsOf({ id: 1 })]).toEqual([
      '{"INVALID_JSON":"{broken"}',
      "{}",
      "{}",
      '{"id":1}',
    ]);
  });

  it("reasoning in details, whose pieces are put together", () => {
    const detail = (more: object) => chunk({ reasoning_details: [{ type: "reasoning.text", index: 0, ...more }] });
    const stream =
      detail({ text: "a" }) +
      detail({ text: "b", signature: "s" }) +
      chunk({ reasoning_details: [{ type: "reasoning.encrypted", index: 1, data: "x" }] }) +
      streamOf({ calls: [recall("c1")], id: "c" });
    expect(parsed(play([stream, ANSWERED]).rounds[0]?.blocks)[0].reasoning_details).toEqual([
      { type: "reasoning.text", index: 0, text: "ab", signature: "s" },
      { type: "reasoning.encrypted", index: 1, data: "x" },
    ]);
  });

  it("whose message it is in every chunk: said again in no later round", () => {
    const said = (words: string, reason: string | null = null) => chunk({ content: words, role: "assistant" }, reason);
    const { sent } = play([streamOf({ calls: [recall("c1")], id: "c" }), said("a") + said("b", "stop") + DONE]);
    expect(readChatStream(sent)).toMatchObject({ role: "assistant", content: "ab", finish_reason: "stop" });
  });

  it("usage in every chunk, and chunks without a choice", () => {
    const filter = lineOf({ id: "c", choices: [], prompt_filter_results: [] });
    const counted = (words: string, completion_tokens: number) =>
      chunk({ content: words }, null, {
        usage: { prompt_tokens: 1, completion_tokens, total_tokens: 1 + completion_tokens },
      });
    const first = filter + counted("a", 1) + streamOf({ calls: [recall("c1")], id: "c", completion: 3 });
    const { sent } = play([first, filter + counted("b", 1) + streamOf({ texts: ["c"], id: "d", completion: 2 })]);
    expect(readChatStream(sent)).toMatchObject({ content: "abc", usage: { completion_tokens: 5, total_tokens: 105 } });
    expect(sent).toContain('"usage":{"prompt_tokens":1,"completion_tokens":4,"total_tokens":5}');
  });
});
