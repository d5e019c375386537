import { describe, expect, it } from "vitest";
import { play as playWith, type Response } from "../../../test/support/inline/playbook.ts";
import type { FollowOptions } from "../../model/ports.ts";
import { createOpenaiChat } from "./index.ts";
import { markOfCall, markOfText } from "./marks.ts";

const wire = createOpenaiChat();
const play = (bodies: readonly (string | Response)[], options: Partial<FollowOptions> = {}) => {
  const responses = bodies.map((body) => (typeof body === "string" ? { whole: body } : body));
  return playWith(responses, { isStreaming: false, ...options }, wire);
};
const call = (id: string, name = "ebb_recall", words = '{"id":"a"}') => ({
  id,
  type: "function",
  function: { name, arguments: words },
});
const body = (message: object, more: object = {}) =>
  JSON.stringify({
    id: "chatcmpl-1",
    created: 1.0,
    choices: [{ index: 0, message: { role: "assistant", ...message }, logprobs: null, finish_reason: "stop" }],
    usage: {
      prompt_tokens: 100,
      completion_tokens: 5,
      total_tokens: 105,
      prompt_tokens_details: { cached_tokens: 90 },
    },
    ...more,
  });
const ANSWERED = body({ content: "Line 40." }, { id: "chatcmpl-2" });

describe("a response without calls of Ebb's", () => {
  it.each([
    ["a message", body({ content: "a", tool_calls: [call("c", "read")] })],
    ["several choices", JSON.stringify({ choices: [{ message: { tool_calls: [call("c")] } }, {}] })],
    ["content in parts", body({ content: [{ type: "text", text: "a" }], tool_calls: [call("c")] })],
    ["an error", '{"error":{"message":"m"}}'],
    ["no JSON", "{"],
  ])("is given as it came: %s", (_, json) => {
    expect(play([json])).toMatchObject({ sent: json, commands: ["send", "end"], rounds: [] });
  });
});

describe("calls of Ebb's in a response", () => {
  it("are never seen: the client gets the last response with the text of all, named like the first", () => {
    const first = body({ content: "Let me look. ", reasoning_content: "Hm.", tool_calls: [call("c1"), call("c2")] });
    const { sent, commands, rounds, seen } = play([first, ANSWERED]);
    expect(commands).toEqual(["answer", "send", "end"]);
    expect(JSON.parse(sent)).toEqual({
      id: "chatcmpl-1",
      created: 1,
      choices: [
        {
          index: 0,
          message: { reasoning_content: "Hm.", role: "assistant", content: "Let me look. Line 40." },
          logprobs: null,
          finish_reason: "stop",
        },
      ],
      usage: {
        prompt_tokens: 100,
        completion_tokens: 10,
        total_tokens: 110,
        prompt_tokens_details: { cached_tokens: 90 },
      },
    });
    expect(rounds[0]).toMatchObject({
      place: "round",
      calls: [
        { id: "c1", blockIndex: 1, input: { id: "a" }, seenBefore: 1 },
        { id: "c2", blockIndex: 2, seenBefore: 1 },
      ],
    });
    expect(seen).toEqual([markOfText("Let me look. "), markOfText("Line 40.")]);
  });

  it("beside the client's own leave those alone, once they were answered", () => {
    const json = body({ content: null, tool_calls: [call("c1"), call("c2", "read")] });
    const { sent, commands, rounds, seen } = play([json]);
    expect(commands).toEqual(["answer", "send", "end"]);
    expect(sent).toBe(body({ content: null, tool_calls: [call("c2", "read")] }));
    expect(rounds[0]).toMatchObject({ place: "beside", calls: [{ id: "c1", seenBefore: 0 }] });
    expect(seen).toEqual([markOfCall("c2")]);
  });

  it("whose arguments were cut off are not answered, and leave no empty list", () => {
    const cut = body({ content: "a", tool_calls: [call("c1")] }).replace('"stop"', '"length"');
    const { sent, rounds } = play([cut]);
    expect(rounds).toEqual([]);
    expect(JSON.parse(sent).choices[0].message).toEqual({ role: "assistant", content: "a", tool_calls: null });
  });

  it("go to the client after the last round that is answered", () => {
    const ask = body({ content: "a", tool_calls: [call("c1")] });
    const { sent } = play([ask, ask.replace("c1", "c2")], { roundsMax: 1 });
    expect(JSON.parse(sent).choices[0].message).toMatchObject({ content: "aa", tool_calls: [{ id: "c2" }] });
  });

  it("are told as failed in the API's own form", () => {
    const ask = body({ tool_calls: [call("c1")] });
    const error = '{"error":{"message":"m","type":"t","param":null,"code":"c"}}';
    for (const response of [{ refused: error }, error]) {
      const { sent, commands } = play([ask, response]);
      expect(commands).toEqual(["answer", "send", "cut"]);
      expect(sent).toBe(error);
    }
    expect(JSON.parse(play([ask, { unanswered: "no JSON" }]).sent).error.type).toBe("server_error");
  });
});
