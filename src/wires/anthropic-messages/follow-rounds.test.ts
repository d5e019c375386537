import { describe, expect, it } from "vitest";
import { readStream } from "../../../test/support/inline/client-stream.ts";
import { call, eventsOfRound, recall, streamOf, text, thinking } from "../../../test/support/inline/messages.ts";
import { play } from "../../../test/support/inline/playbook.ts";
import { ROUND_BLOCKS_MAX, ROUND_BYTES_MAX } from "./reading-blocks.ts";

const ERROR = '{"type":"error","error":{"type":"rate_limit_error","message":"slow \\"down\\""}}';
const again = (count: number, ...more: object[]) =>
  streamOf({ blocks: [text(`Round ${count}.`), recall(`toolu_${count}`), ...more] as never, id: `msg_${count}` });

describe("rounds of one message", () => {
  it("give a call an id of its own where another call of the message has its id", () => {
    const { rounds } = play([streamOf({ blocks: [recall("a"), recall("a"), call("b"), recall("b")] })]);
    const [{ blocks, calls } = { blocks: [], calls: [] }] = rounds;
    const ids = blocks.map((json) => JSON.parse(json).id);
    expect(new Set(ids).size).toBe(4);
    expect(ids.filter((id) => id !== "b")).toEqual(calls.map(({ id }) => id));
    expect(calls[0]?.id).toBe("a");
  });

  it("go on in one numbering, up to the fifth, and the next call goes to the client like any other", () => {
    const { sent, rounds, commands } = play([1, 2, 3, 4, 5, 6].map((count) => again(count)));
    const { id, content, stop_reason } = readStream(sent);
    expect([id, stop_reason]).toEqual(["msg_1", "tool_use"]);
    expect(content).toEqual([...[1, 2, 3, 4, 5, 6].map((count) => text(`Round ${count}.`)), recall("toolu_6")]);
    expect(rounds.map(({ seenStart, calls }) => [seenStart, calls[0]?.seenBefore])).toEqual(
      [0, 1, 2, 3, 4].map((count) => [count, count + 1]),
    );
    expect(commands.filter((kind) => kind !== "send")).toEqual([...Array(5).fill("answer"), "end"]);
  });

  it("are as many as the options say", () => {
    const { rounds, sent } = play([again(1), again(2)], { roundsMax: 1 });
    expect(rounds).toHaveLength(1);
    expect(readStream(sent).content.at(-1)).toEqual(recall("toolu_2"));
    expect(play([again(1)], { roundsMax: 0 }).sent).toBe(again(1));
  });

  it("end beside the client's calls in whichever round these come", () => {
    const { sent, rounds, commands } = play([again(1), again(2, call("toolu_x"))]);
    expect(rounds.map(({ place }) => place)).toEqual(["round", "beside"]);
    expect(readStream(sent)).toMatchObject({
      content: [text("Round 1."), text("Round 2."), call("toolu_x")],
      stop_reason: "tool_use",
      usage: { output_tokens: 14 },
    });
    expect(commands.slice(-2)).toEqual(["send", "end"]);
  });

  it("tell the input of the last one and the output of all", () => {
    const usage = (input: number, output: number) => ({
      input_tokens: input,
      cache_read_input_tokens: input * 10,
      cache_creation: { ephemeral_5m_input_tokens: input },
      output_tokens: output,
      service_tier: "standard",
    });
    const first = streamOf({ blocks: [recall("t")], usage: usage(1, 20) });
    const last = streamOf({ blocks: [text("a")], usage: usage(2, 30) });
    expect(readStream(play([first, last]).sent).usage).toEqual(usage(2, 50));
  });

  it("take from the last one's beginning what its end does not state", () => {
    const [start = "", ping = "", ...rest] = eventsOfRound({ blocks: [text("a")], usage: { output_tokens: 30 } });
    const told = start.replace(
      '"usage":{',
      '"usage":{"cache_creation":null,"input_tokens":9,"cache_read_input_tokens":8,"other":1,',
    );
    const last = [told, ping, ...rest]
      .join("")
      .replace('"usage":{"output_tokens":30}', '"usage":{"output_tokens":30,"cache_read_input_tokens":null}');
    const { usage } = readStream(play([streamOf({ blocks: [recall("t")] }), last]).sent);
    expect(usage).toMatchObject({ input_tokens: 9, cache_read_input_tokens: 8, output_tokens: 37 });
    expect(usage).not.toHaveProperty("other");
    expect(usage).not.toHaveProperty("cache_creation");
    const none = last.replace(/,"usage":\{[^}]*\}\}\n\nevent: message_stop/, "}\n\nevent: message_stop");
    expect(none).not.toBe(last);
    expect(readStream(play([streamOf({ blocks: [recall("t")] }), none]).sent).usage.output_tokens).toBe(8);
  });

  it.each(["max_tokens", "refusal", "pause_turn", "end_turn"])(
    "do not go on where the model stopped for %s",
    (stop) => {
      const blocks = [text("a"), recall("toolu_1"), thinking("b")];
      const { sent, rounds, commands } = play([streamOf({ blocks, stop })]);
      expect(rounds).toEqual([]);
      expect(commands).toEqual(["send", "end"]);
      expect(readStream(sent)).toMatchObject({ content: [text("a"), thinking("b")], stop_reason: stop });
    },
  );
});

describe("a later round that fails", () => {
  it.each([
    ["its answer is an error", [again(1), { refused: ERROR }]],
    ["the calls could not be answered", [again(1), { unanswered: ERROR }]],
  ])("is told in the API's own form where %s", (_, responses) => {
    const { sent, commands, seen } = play(responses);
    expect(commands).toEqual(["send", "answer", "send", "cut"]);
    expect(
      sent.endsWith(
        `event: content_block_stop\ndata: {"type":"content_block_stop","index":0}\n\nevent: error\ndata: ${ERROR}\n\n`,
      ),
    ).toBe(true);
    expect(seen).toBeNull();
  });

  it.each(["", "<html>", "[]", '{"error":7}', '{"error":"x"}', '{"error":[1]}', '{"error":{"type":1}}', "\ufeff"])(
    "is an error to ask again after, where %j is told",
    (body) => {
      const { sent } = play([again(1), { refused: body }]);
      const data = sent.slice(sent.lastIndexOf("data: ") + 6);
      expect(JSON.parse(data)).toMatchObject({ type: "error", error: { type: "overloaded_error" } });
    },
  );

  it("passes an error inside its stream, and is cut there", () => {
    const error = `event: error\ndata: ${ERROR}\n\n`;
    const { sent, commands } = play([again(1), error]);
    expect(sent.endsWith(error)).toBe(true);
    expect(commands.at(-1)).toBe("cut");
  });

  it("is cut where its stream is", () => {
    const events = eventsOfRound({ blocks: [text("Round 2.")] });
    const { commands, seen } = play([again(1), events.slice(0, -2).join("")]);
    expect(commands).toEqual(["send", "answer", "send", "cut"]);
    expect(seen).toBeNull();
  });

  it("is told where its events make no sense", () => {
    const broken = "event: content_block_delta\ndata: {\n\n";
    const { sent, commands } = play([again(1), broken + streamOf({ blocks: [text("a")] })]);
    expect(commands).toEqual(["send", "answer", "send", "cut"]);
    expect(sent).not.toContain(broken);
    expect(sent).toContain("overloaded_error");
  });

  it("is over: nothing that comes later is looked at", () => {
    expect(play([again(1), { refused: ERROR }, again(2), { refused: ERROR }]).commands.at(-1)).toBe("cut");
  });
});

describe("what can no longer be followed", () => {
  const broken = "event: content_block_start\ndata: []\n\n";

  it.each([
    ["events that make no sense", broken],
    ["an index that is none", broken.replace("[]", '{"type":"content_block_delta","index":-1,"delta":{}}')],
    ["a block that is none", broken.replace("[]", '{"type":"content_block_start","index":1,"content_block":7}')],
    ["an event without a name and data of its own", "data: 7\n\n"],
  ])("passes as it came, the call with it, at %s", (_, odd) => {
    const events = eventsOfRound({ blocks: [text("a"), recall("toolu_1"), text("b")] });
    for (const at of [1, 4, 6, 7]) {
      const stream = [...events.slice(0, at), odd, ...events.slice(at)].join("");
      const { sent, commands, rounds } = play([stream]);
      expect(sent).toBe(stream);
      expect(commands).toEqual(["send", "end"]);
      expect(rounds).toEqual([]);
    }
  });

  it("is cut with an error once the client's numbering is another", () => {
    const events = eventsOfRound({ blocks: [recall("toolu_1"), text("b")] });
    const { sent, commands } = play([[...events.slice(0, -2), broken].join("")]);
    expect(commands).toEqual(["send", "cut"]);
    expect(sent).toContain("event: error");
  });

  it("is cut where its stream is", () => {
    const [start = ""] = eventsOfRound({ blocks: [] });
    expect(play([start + broken])).toMatchObject({ sent: start + broken, commands: ["send", "cut"] });
  });

  it("is a round of more bytes or blocks than are kept", () => {
    const [start = "", ping = "", ...end] = eventsOfRound({ blocks: [], stop: "tool_use" });
    const [, , open = "", , , close = ""] = eventsOfRound({ blocks: [recall("toolu_1")] });
    const piece = "a".repeat(ROUND_BYTES_MAX / 8);
    const delta = `data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"${piece}"}}\n\n`;
    const long = [start, ping, open, ...Array(9).fill(delta), close, ...end].join("");
    const { sent, rounds } = play([long]);
    expect(sent === long).toBe(true);
    expect(rounds).toEqual([]);
    const block = (index: number) => open.replace('"index":0', `"index":${index}`);
    const many = [start, ...Array.from({ length: ROUND_BLOCKS_MAX + 1 }, (_, index) => block(index)), ...end].join("");
    const play2 = play([many]);
    expect(play2.sent).toBe(many);
    expect(play2.rounds).toEqual([]);
  });
});
