import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyForm, formed } from "../../../test/support/inline/any-rounds.ts";
import { play as playWith, type Response } from "../../../test/support/inline/playbook.ts";
import { readResponse } from "../../../test/support/inline/responses-client.ts";
import {
  calls,
  eventsOfResponse,
  type ResponsesRound,
  reasoned,
  recalls,
  responseStream,
  said,
  wholeResponse,
} from "../../../test/support/inline/responses-rounds.ts";
import type { JsonObject } from "../../model/json.ts";
import type { FollowOptions } from "../../model/ports.ts";
import { createOpenaiResponses } from "./index.ts";
import { markOfJson } from "./marks.ts";

/** The same cases each time. */
const SEED = 20_261_201;
const play = (responses: readonly Response[], options: Partial<FollowOptions> = {}) =>
  playWith(responses, options, createOpenaiResponses());

const words = fc.constantFrom("a", "Let me look.", " é😀 \n", "data: 1\n\nevent: x", '{"output_index":0}', "");
const seen = fc.oneof(
  words.map(said),
  words.map(reasoned),
  words.map((query): JsonObject => ({ type: "web_search_call", id: "ws_?", status: "completed", action: { query } })),
);
const own = words.map((id) => recalls("call_?", { id }));
const client = words.map((id) => calls("call_?", "shell", { id }));
const output = (...kinds: readonly fc.Arbitrary<JsonObject>[]) => fc.array(fc.oneof(...kinds), { maxLength: 7 });
const usage = fc
  .tuple(fc.nat(99), fc.nat(99))
  .map(([input, out]) => ({ input_tokens: input, output_tokens: out, total_tokens: input + out }));
const inner = fc
  .tuple(output(seen, own), own, output(own, words.map(reasoned)))
  .map(([before, one, behind]) => [...before, one, ...behind]);
const last = fc.oneof(
  output(seen),
  output(seen, own, client).map((items) => [...items, calls("call_?")]),
);

/** Rounds in which Ebb's tools alone are called, and one that ends the response. Every id is another one. */
const anyRounds: fc.Arbitrary<readonly ResponsesRound[]> = fc
  .tuple(fc.array(fc.tuple(inner, usage), { maxLength: 3 }), fc.tuple(last, usage))
  .map(([before, end]) => {
    let count = 0;
    const numbered = (item: JsonObject): JsonObject =>
      JSON.parse(JSON.stringify(item).replaceAll("?", String(++count)));
    return [...before, end].map(([items, told], index) => ({
      id: `resp_${index}`,
      usage: told,
      output: items.map(numbered),
    }));
  });

/** The items as letters: calls of Ebb's, reasoning, others. */
function lettersOf({ output: items }: ResponsesRound): string {
  return items.map(({ type, name }) => (name === "ebb_recall" ? "E" : type === "reasoning" ? "R" : "O")).join("");
}

/** What goes back to the provider of a round that is answered: no reasoning that led to nothing. */
function keptOf(round: ResponsesRound): readonly JsonObject[] {
  return round.output.slice(0, lettersOf(round).replace(/R+$/, "").length);
}

/** What a client is to see of a round: no call of Ebb's, and no reasoning that led to nothing else. */
function visibleOf(round: ResponsesRound): readonly JsonObject[] {
  const letters = lettersOf(round);
  const isAnswered = letters.includes("E");
  const items = isAnswered ? keptOf(round) : round.output;
  const led = letters.slice(0, items.length).replaceAll(/R+E+(?=R|$)/g, (all) => "x".repeat(all.length));
  return items.filter((_, index) => led[index] === "O" || led[index] === "R");
}

describe("whatever a model says in however many rounds", () => {
  it("the client gets one response: what it may see, in order, placed and numbered without a gap", () => {
    const counts = { answered: 0, beside: 0 };
    fc.assert(
      fc.property(anyRounds, anyForm, (rounds, form) => {
        const told = play(rounds.map((round) => formed(responseStream(round), form)));
        const { items, response } = readResponse(told.sent);
        const visible = rounds.flatMap(visibleOf);
        expect(items).toEqual(visible);
        expect(response).toMatchObject({ id: "resp_0", output: visible, status: "completed" });
        expect(told.commands.at(-1)).toBe("end");
        expect(told.seen).toEqual(visible.flatMap((item) => markOfJson(JSON.stringify(item)) ?? []));
        const outputTokens = rounds.reduce((sum, round) => sum + Number(round.usage?.output_tokens), 0);
        const inputTokens = Number(rounds.at(-1)?.usage?.input_tokens);
        expect(response.usage).toEqual({
          input_tokens: inputTokens,
          output_tokens: outputTokens,
          total_tokens: inputTokens + outputTokens,
        });
        const asked = rounds.slice(0, told.rounds.length);
        expect(told.rounds.map(({ blocks }) => JSON.parse(`[${blocks.join(",")}]`))).toEqual(asked.map(keptOf));
        counts.answered += told.rounds.length;
        counts.beside += Number(told.rounds.at(-1)?.place === "beside");
      }),
      { numRuns: 300, seed: SEED },
    );
    expect(Math.min(counts.answered, counts.beside * 5)).toBeGreaterThan(150);
  });

  it("the same response comes without streaming", () => {
    fc.assert(
      fc.property(anyRounds, (rounds) => {
        const streamed = play(rounds.map(responseStream));
        const whole = play(rounds.map(wholeResponse), { isStreaming: false });
        expect(JSON.parse(whole.sent)).toEqual(readResponse(streamed.sent).response);
        const told = ({ rounds: all }: typeof whole) =>
          all.map(({ blocks, ...round }) => ({ ...round, blocks: blocks.map((json) => JSON.parse(`[${json}]`)) }));
        expect(told(whole)).toEqual(told(streamed));
        expect(whole.seen).toEqual(streamed.seen);
      }),
      { numRuns: 300, seed: SEED },
    );
  });

  it("a stream without calls of Ebb's passes byte for byte, with what stands between its events or breaks them", () => {
    const junk = fc.constantFrom("data: {\n\n", ": c\n\n", "event: x\ndata: 1\n\n", "id: 1\n\n");
    const withoutJunk = (stream: string) => stream.replaceAll(/(?:data: \{|: c|event: x\ndata: 1|id: 1)\n\n/g, "");
    fc.assert(
      fc.property(output(seen, client), fc.array(fc.tuple(fc.nat(40), junk), { maxLength: 3 }), (items, pieces) => {
        const events = [...eventsOfResponse({ output: items })];
        for (const [at, piece] of pieces) events.splice(at % (events.length + 1), 0, piece);
        const stream = events.join("");
        const { sent, commands } = play([stream]);
        expect(sent).toHaveLength(stream.length);
        expect(withoutJunk(sent)).toBe(withoutJunk(stream));
        expect(commands.at(-1)).toBe("end");
      }),
      { numRuns: 300, seed: SEED },
    );
  });
});
