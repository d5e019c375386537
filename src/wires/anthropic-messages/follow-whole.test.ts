import { describe, expect, it } from "vitest";
import { call, messageOf, recall, text, wholeOf } from "../../../test/support/inline/messages.ts";
import { play as playAny, type Response } from "../../../test/support/inline/playbook.ts";

const play = (responses: readonly Response[]) => playAny(responses, { isStreaming: false });
const ERROR = '{"type":"error","error":{"type":"overloaded_error","message":"m"},"request_id":"r"}';

describe("a response without streaming", () => {
  it.each([
    ["a message without calls of Ebb's", JSON.stringify(messageOf({ blocks: [text("a"), call("t")] }), null, 3)],
    ["a message that is odd inside", '{"content":[7,"x",null,{"type":8}],"usage":[]}'],
    ["an error", ERROR],
    ["no JSON", "<html>"],
    ["nothing", ""],
  ])("passes byte for byte where it is %s", (_, whole) => {
    expect(play([{ whole }])).toMatchObject({ sent: whole, commands: ["send", "end"], rounds: [] });
  });

  it("is sent once, when the last round is there: what the client may see of all of them", () => {
    const { sent, commands, rounds } = play([
      wholeOf({ blocks: [text("One."), recall("toolu_1")] }),
      wholeOf({ blocks: [recall("toolu_2")], id: "msg_2" }),
      wholeOf({
        blocks: [text("Three.")],
        id: "msg_3",
        usage: { output_tokens: 1, input_tokens: 3, service_tier: null },
      }),
    ]);
    expect(commands).toEqual(["answer", "answer", "send", "end"]);
    expect(JSON.parse(sent)).toEqual(
      messageOf({
        blocks: [text("One."), text("Three.")],
        usage: { output_tokens: 15, input_tokens: 3, service_tier: null },
      }),
    );
    expect(rounds.map(({ seenStart, calls }) => [seenStart, calls[0]?.seenBefore])).toEqual([
      [0, 1],
      [1, 1],
    ]);
  });

  it("keeps every byte outside its content where answers stand beside the client's calls", () => {
    const whole = JSON.stringify(messageOf({ blocks: [recall("toolu_1"), call("toolu_2")] })).replace(
      '"stop_sequence":null',
      '"stop_sequence" : null, "n":1.0',
    );
    const { sent, commands } = play([{ whole }]);
    expect(commands).toEqual(["answer", "send", "end"]);
    expect(sent).toBe(whole.replace(`${JSON.stringify(recall("toolu_1"))},`, ""));
  });

  it("gives the client the call like any other once enough rounds were answered", () => {
    const responses = [1, 2].map((count) => wholeOf({ blocks: [recall(`toolu_${count}`)] }));
    const { sent, rounds } = playAny(responses, { isStreaming: false, roundsMax: 1 });
    expect(JSON.parse(sent).content).toEqual([recall("toolu_2")]);
    expect(rounds).toHaveLength(1);
  });

  it("loses the call where the model stopped for another reason", () => {
    const { sent, commands } = play([wholeOf({ blocks: [text("a"), recall("t")], stop: "max_tokens" })]);
    expect(JSON.parse(sent)).toEqual(messageOf({ blocks: [text("a")], stop: "max_tokens" }));
    expect(commands).toEqual(["send", "end"]);
  });

  it.each<readonly [string, Response]>([
    ["calls cannot be answered", { unanswered: ERROR }],
    ["the next response is an error", { refused: ERROR }],
    ["the next response is an error told as a body", { whole: ERROR }],
  ])("is an error of the API where %s", (_, response) => {
    const { sent, commands } = play([wholeOf({ blocks: [recall("t")] }), response]);
    expect(JSON.parse(sent)).toEqual({ type: "error", error: { type: "overloaded_error", message: "m" } });
    expect(commands).toEqual(["answer", "send", "cut"]);
  });

  it("is cut where it never comes", () => {
    expect(playAny([""], { isStreaming: false }).commands).toEqual(["cut"]);
  });
});
