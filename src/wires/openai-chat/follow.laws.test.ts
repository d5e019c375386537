import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ChatRound, chunksOfRound, readChatStream } from "../../../test/support/inline/chat-stream.ts";
import { OPTIONS, type Play, play as playWith, type Response } from "../../../test/support/inline/playbook.ts";
import { createOpenaiChat } from "./index.ts";
import { INLINE } from "./inline.ts";

const wire = createOpenaiChat();
const play = (responses: readonly Response[]): Play => playWith(responses, {}, wire);

const words = fc.array(fc.constantFrom("a", " b", "é", "😀", "\n", '"', "\\"), { minLength: 1, maxLength: 4 });
const texts = fc.array(
  words.map((all) => all.join("")),
  { maxLength: 3 },
);
const json = fc.constantFrom("{}", '{"id":"é"}', '{"n":[1,2,{"a":"\\n"}]}', '{"broken"', "");

interface Asked {
  readonly texts: readonly string[];
  readonly thoughts: readonly string[];
  readonly args: readonly string[];
}

const asked: fc.Arbitrary<Asked> = fc.record({
  texts,
  thoughts: texts,
  args: fc.array(json, { minLength: 1, maxLength: 3 }),
});
/** Which calls of the last round are the client's own. */
const last = fc.record({ texts, thoughts: texts, own: fc.array(fc.boolean(), { maxLength: 3 }) });

function roundsOf(
  askedRounds: readonly Asked[],
  end: { texts: string[]; thoughts: string[]; own: boolean[] },
): readonly ChatRound[] {
  const asking = askedRounds.map((one, index) => ({
    id: `chatcmpl-${index}`,
    texts: one.texts,
    thoughts: one.thoughts,
    calls: one.args.map((args, at) => ({ id: `r${index}-${at}`, name: "ebb_recall", arguments: args })),
  }));
  const calls = end.own.map((isOwn, at) => ({
    id: `e${at}`,
    name: isOwn ? "read" : "ebb_recall",
    arguments: '{"p":1}',
  }));
  return [
    ...asking,
    { id: "chatcmpl-end", texts: end.texts, thoughts: end.thoughts, calls: end.own.includes(true) ? calls : [] },
  ];
}

const streamOf = (round: ChatRound) => chunksOfRound(round).join("");

describe("following a stream of Chat Completions", () => {
  it("gives the client one message of all that was said, without the calls of Ebb's", () => {
    fc.assert(
      fc.property(fc.array(asked, { maxLength: OPTIONS.roundsMax }), last, (askedRounds, end) => {
        const rounds = roundsOf(askedRounds, end);
        const { sent, seen } = play(rounds.map(streamOf));
        const told = readChatStream(sent);
        expect(told).toMatchObject({
          id: rounds[0]?.id,
          role: "assistant",
          content: rounds.flatMap((round) => round.texts ?? []).join(""),
          reasoning_content: rounds.flatMap((round) => round.thoughts ?? []).join(""),
          dones: 1,
          errors: [],
        });
        expect(told.usage).toMatchObject({ completion_tokens: 5 * rounds.length, prompt_tokens: 100 });
        const own = (rounds.at(-1)?.calls ?? []).filter(({ name }) => name === "read" || askedRounds.length >= 5);
        expect(told.tool_calls.map(({ id, arguments: args }) => [id, args])).toEqual(
          own.map((one) => [one.id, one.arguments]),
        );
        expect(seen).not.toBeNull();
      }),
      { numRuns: 150 },
    );
  });

  it("says and asks the same wherever the bytes are cut", () => {
    fc.assert(
      fc.property(
        fc.array(asked, { minLength: 1, maxLength: 2 }),
        last,
        fc.array(fc.nat(), { maxLength: 8 }),
        (all, end, cuts) => {
          const streams = roundsOf(all, end).map(streamOf);
          const whole = play(streams);
          const pieces = streams.map((stream) => {
            const bytes = Buffer.from(stream);
            const ends = cuts.map((cut) => cut % (bytes.length + 1)).sort((one, other) => one - other);
            return [...ends, bytes.length].map((to, index) => bytes.subarray(ends[index - 1] ?? 0, to));
          });
          expect(play(pieces)).toEqual(whole);
        },
      ),
      { numRuns: 100 },
    );
  });

  it("tells what is put back where it stood, in whatever form the message comes back", () => {
    fc.assert(
      fc.property(fc.array(asked, { minLength: 1, maxLength: 4 }), last, fc.boolean(), (askedRounds, end, isPart) => {
        const { sent, rounds, seen } = play(roundsOf(askedRounds, end).map(streamOf));
        const told = readChatStream(sent);
        const content = isPart && told.content !== "" ? [{ type: "text", text: told.content }] : told.content;
        const message = {
          role: "assistant",
          content,
          ...(told.tool_calls.length === 0
            ? {}
            : {
                tool_calls: told.tool_calls.map(({ id, name, arguments: args }) => ({
                  id,
                  type: "function",
                  function: { name, arguments: args },
                })),
              }),
        };
        const bytes = Buffer.from(JSON.stringify({ messages: [message] }));
        const outcome = wire.read(bytes, new Map());
        if (!outcome.ok || seen === null) throw new Error("the message is not read");
        const marks = INLINE.marksOf(outcome.source, 0, [seen]);
        expect(marks.map(({ mark }) => mark)).toEqual(seen);
        for (const { seen: before, blocks } of rounds) {
          const at = (marks[before.length - 1]?.blockIndex ?? -1) + 1;
          const spoken = told.content.slice(0, at).trim();
          const rest = JSON.parse(blocks[0] ?? "{}").content ?? "";
          expect(spoken.endsWith(rest.trim()) || rest.trim() === "").toBe(true);
        }
      }),
      { numRuns: 200 },
    );
  });
});
