import { describe, expect, it } from "vitest";
import { readStream } from "../../../test/support/inline/client-stream.ts";
import { call, eventsOfRound, recall, streamOf, text, thinking } from "../../../test/support/inline/messages.ts";
import { play } from "../../../test/support/inline/playbook.ts";
import { markOfJson } from "./marks.ts";

const marksOf = (...blocks: readonly object[]) => blocks.map((block) => markOfJson(JSON.stringify(block)));
const parsed = (blocks: readonly string[]) => blocks.map((json) => JSON.parse(json));
const ANSWERED = streamOf({ blocks: [text("It is in line 40.")], id: "msg_2" });

describe("a stream without calls of Ebb's", () => {
  it("passes byte for byte, and its end tells what the client saw", () => {
    const blocks = [thinking("Hm."), text("Reading é😀."), call("toolu_1")];
    const stream = `: hello\n\n${streamOf({ blocks })}\n: bye`;
    const { sent, commands, seen } = play([stream]);
    expect(sent).toBe(stream);
    expect(commands).toEqual(["send", "end"]);
    expect(seen).toEqual(marksOf(...blocks));
  });

  it("is cut where the message does not end, whatever came before", () => {
    const events = eventsOfRound({ blocks: [text("a")] });
    const cut = events.slice(0, -1).join("");
    expect(play([cut])).toEqual({ sent: cut, commands: ["send", "cut"], rounds: [], seen: null });
    expect(play([""]).commands).toEqual(["cut"]);
    expect(play([`${cut}event: message_st`]).sent).toBe(`${cut}event: message_st`);
  });

  it("passes an error of the provider as it came, and is cut there", () => {
    const [start = ""] = eventsOfRound({ blocks: [] });
    const error = 'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"m"}}\n\n';
    expect(play([start + error])).toMatchObject({ sent: start + error, commands: ["send", "cut"] });
  });
});

describe("a call of Ebb's in a stream", () => {
  it("that comes first is never seen: the client's message begins with what the next round says", () => {
    const first = streamOf({ blocks: [recall("toolu_1")] });
    const { sent, commands, rounds, seen } = play([first, ANSWERED]);
    expect(commands).toEqual(["send", "answer", "send", "end"]);
    expect(readStream(sent)).toMatchObject({
      id: "msg_1",
      content: [text("It is in line 40.")],
      stop_reason: "end_turn",
    });
    expect(rounds).toEqual([
      {
        place: "round",
        blocks: ['{"type":"tool_use","id":"toolu_1","name":"ebb_recall","input":{"id":"toolu_1"}}'],
        calls: [{ blockIndex: 0, id: "toolu_1", name: "ebb_recall", input: { id: "toolu_1" }, seenBefore: 0 }],
        seen: [],
        seenStart: 0,
      },
    ]);
    expect(seen).toEqual(marksOf(text("It is in line 40.")));
  });

  it("holds back its own block alone: all in front of it is sent before it ends", () => {
    const blocks = [thinking("Look."), text("Let me look again."), recall("toolu_1")];
    const events = eventsOfRound({ blocks });
    const at = events.findIndex((event) => event.includes("tool_use"));
    const { sent, rounds } = play([events.slice(0, at + 3).join("")]);
    expect(sent).toBe(events.slice(0, at).join(""));
    expect(rounds).toEqual([]);
    const whole = play([events.join(""), ANSWERED]);
    expect(whole.sent.startsWith(sent)).toBe(true);
    const content = [thinking("Look."), text("Let me look again."), text("It is in line 40.")];
    expect(readStream(whole.sent).content).toEqual(content);
    expect(parsed(whole.rounds[0]?.blocks ?? [])).toEqual(blocks);
    expect(whole.rounds[0]).toMatchObject({ calls: [{ blockIndex: 2, seenBefore: 2 }], seenStart: 0 });
    expect(whole.rounds[0]?.seen).toEqual(marksOf(...blocks.slice(0, 2)));
    expect(whole.seen).toEqual(marksOf(...content));
  });

  it("may be two, with a text between", () => {
    const blocks = [recall("toolu_1"), text("And"), recall("toolu_2")];
    const { sent, rounds } = play([streamOf({ blocks }), ANSWERED]);
    expect(readStream(sent).content).toEqual([text("And"), text("It is in line 40.")]);
    expect(parsed(rounds[0]?.blocks ?? [])).toEqual(blocks);
    expect(rounds[0]?.calls.map(({ blockIndex, seenBefore }) => [blockIndex, seenBefore])).toEqual([
      [0, 0],
      [2, 1],
    ]);
  });

  it("passes what the provider sends between its events", () => {
    const events = eventsOfRound({ blocks: [recall("toolu_1")] });
    const between = 'event: ping\ndata: {"type": "ping"}\n\nevent: odd\ndata: no JSON\n\n: c\n\n';
    const { sent } = play([events.join(between), ANSWERED]);
    expect(sent.split(between).length).toBeGreaterThan(events.length - 2);
    expect(readStream(sent).content).toEqual([text("It is in line 40.")]);
  });

  it("without arguments, or with broken ones, is told as what the API takes back", () => {
    const start = (index: number) =>
      `data: ${JSON.stringify({ type: "content_block_start", index, content_block: { ...recall(`t${index}`), input: {} } })}\n\n`;
    const delta = (index: number, json: string) =>
      `data: ${JSON.stringify({ type: "content_block_delta", index, delta: { type: "input_json_delta", partial_json: json } })}\n\n`;
    const stop = (index: number) => `data: ${JSON.stringify({ type: "content_block_stop", index })}\n\n`;
    const [begin = "", , ...rest] = eventsOfRound({ blocks: [], stop: "tool_use" });
    const blocks = [start(0), stop(0), start(1), delta(1, ' {"id": 1.0,'), stop(1), start(2), delta(2, "[1]"), stop(2)];
    const last = [start(3), delta(3, '{ "a":"\ud83d'), delta(3, '\ude00\ud83d"}'), stop(3)];
    const { rounds } = play([[begin, ...blocks, ...last, ...rest].join(""), ANSWERED]);
    expect(rounds[0]?.calls.map(({ input }) => input)).toEqual([{}, null, [1], { a: "😀\ud83d" }]);
    expect(rounds[0]?.blocks.map((json) => json.slice(json.indexOf('"input"')))).toEqual([
      '"input":{}}',
      '"input":{"INVALID_JSON":" {\\"id\\": 1.0,"}}',
      '"input":{"INVALID_JSON":"[1]"}}',
      '"input":{ "a":"😀\\ud83d"}}',
    ]);
  });
});

describe("a call of Ebb's beside the client's own", () => {
  const blocks = [text("Both."), recall("toolu_1"), call("toolu_2"), recall("toolu_3"), call("toolu_4")];

  it("leaves the client its own calls, numbered without a gap, and the message ends once answers are recorded", () => {
    const { sent, commands, rounds, seen } = play([streamOf({ blocks })]);
    const content = [text("Both."), call("toolu_2"), call("toolu_4")];
    expect(commands).toEqual(["send", "answer", "send", "end"]);
    expect(readStream(sent)).toMatchObject({ content, stop_reason: "tool_use", usage: { output_tokens: 7 } });
    expect(rounds).toMatchObject([
      {
        place: "beside",
        calls: [
          { blockIndex: 1, id: "toolu_1", seenBefore: 1 },
          { blockIndex: 3, id: "toolu_3", seenBefore: 2 },
        ],
        seen: marksOf(...content),
      },
    ]);
    expect(parsed(rounds[0]?.blocks ?? [])).toEqual(blocks);
    expect(seen).toEqual(marksOf(...content));
  });

  it("tells the client to ask again where they cannot be", () => {
    const error = '{"type":"error","error":{"type":"api_error","message":"no"}}';
    const { sent, commands } = play([streamOf({ blocks }), { unanswered: error }]);
    expect(commands).toEqual(["send", "answer", "send", "cut"]);
    expect(sent.endsWith(`\n\nevent: error\ndata: ${error}\n\n`)).toBe(true);
    expect(sent).not.toContain("message_delta");
  });
});
