import { describe, expect, it } from "vitest";
import { play as playWith, type Response } from "../../../test/support/inline/playbook.ts";
import {
  calls,
  reasoned,
  recalls,
  responseOf,
  said,
  wholeResponse,
} from "../../../test/support/inline/responses-rounds.ts";
import type { FollowOptions } from "../../model/ports.ts";
import { createOpenaiResponses } from "./index.ts";
import { markOfJson } from "./marks.ts";

const play = (responses: readonly Response[], options: Partial<FollowOptions> = {}) =>
  playWith(responses, { isStreaming: false, ...options }, createOpenaiResponses());
const marksOf = (...items: readonly object[]) => items.map((item) => markOfJson(JSON.stringify(item)));
const FOUND = said("It is in line 40.");
const ANSWERED = wholeResponse({ output: [FOUND], id: "resp_2" });

describe("a whole response", () => {
  it("without calls of Ebb's is the client's as it came", () => {
    const whole = wholeResponse({ output: [reasoned("a"), calls("c1")] });
    const { sent, commands, seen } = play([whole]);
    expect(sent).toBe(whole.whole);
    expect(commands).toEqual(["send", "end"]);
    expect(seen).toEqual(marksOf(reasoned("a"), calls("c1")));
  });

  it.each(["", "{", "[]", '{"error":{"type":"server_error"}}', '{"id":"resp_1","status":"queued"}'])(
    "that is none, as %s, passes as well",
    (whole) => {
      expect(play([{ whole }])).toMatchObject({ sent: whole, commands: ["send", "end"], seen: [] });
    },
  );

  it("with them is put together of its rounds, named like the first, every other byte of the last as it came", () => {
    const first = wholeResponse({ output: [said("Look."), reasoned("a"), recalls("c1")] });
    const { sent, commands, rounds, seen } = play([first, ANSWERED]);
    expect(commands).toEqual(["answer", "send", "end"]);
    const usage = { output_tokens: 14, output_tokens_details: { reasoning_tokens: 6 }, total_tokens: 129 };
    const expected = responseOf({ output: [said("Look."), FOUND] });
    expect(JSON.parse(sent)).toEqual({ ...expected, usage: { ...Object(expected.usage), ...usage } });
    expect(rounds[0]?.blocks.map((json) => JSON.parse(`[${json}]`))).toEqual([
      [said("Look.")],
      [reasoned("a"), recalls("c1")],
    ]);
    expect(seen).toEqual(marksOf(said("Look."), FOUND));
  });

  it("beside calls of the client's is theirs once the answers are recorded", () => {
    const { sent, commands } = play([wholeResponse({ output: [recalls("c1"), calls("c2")] })]);
    expect(commands).toEqual(["answer", "send", "end"]);
    expect(JSON.parse(sent).output).toEqual([calls("c2")]);
    const unanswered = play([wholeResponse({ output: [recalls("c1"), calls("c2")] }), { unanswered: "" }]);
    expect(unanswered.commands).toEqual(["answer", "send", "cut"]);
    expect(JSON.parse(unanswered.sent).error.type).toBe("server_error");
  });

  it("that is incomplete goes without the call", () => {
    const whole = wholeResponse({ output: [said("a"), reasoned("b"), recalls("c1")], status: "incomplete" });
    const { sent, rounds } = play([whole]);
    expect(rounds).toEqual([]);
    expect(JSON.parse(sent)).toMatchObject({ status: "incomplete", output: [said("a")] });
  });

  it("is followed for so many rounds, and then the call is the client's", () => {
    const again = (id: string) => wholeResponse({ output: [recalls(id)], id: `resp_${id.slice(1)}` });
    const { sent, rounds } = play([again("c1"), again("c2"), again("c3")], { roundsMax: 2 });
    expect(rounds).toHaveLength(2);
    expect(JSON.parse(sent)).toMatchObject({ id: "resp_1", output: [recalls("c3")] });
  });

  it("of a later round that cannot be read is an error that clients ask again after", () => {
    const first = wholeResponse({ output: [recalls("c1")] });
    const { sent, commands } = play([first, { whole: "<html>" }]);
    expect(commands).toEqual(["answer", "send", "cut"]);
    expect(JSON.parse(sent).error).toMatchObject({ type: "server_error" });
  });
});
