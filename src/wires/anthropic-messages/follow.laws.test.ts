import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyForm, anyRounds, formed, isBlank, visibleOf } from "../../../test/support/inline/any-rounds.ts";
import { readStream } from "../../../test/support/inline/client-stream.ts";
import { eventsOfRound, streamOf, wholeOf } from "../../../test/support/inline/messages.ts";
import { OPTIONS, play } from "../../../test/support/inline/playbook.ts";
import type { InlineEvent } from "../../model/ports.ts";
import { followResponse } from "./follow.ts";
import { markOfJson } from "./marks.ts";

/** The same cases each time. */
const SEED = 20_261_130;

describe("whatever a model says in however many rounds", () => {
  it("the client gets one message: what it may see, in order, numbered without a gap", () => {
    const counts = { answered: 0, beside: 0 };
    fc.assert(
      fc.property(anyRounds, anyForm, (rounds, form) => {
        const told = play(rounds.map((round) => formed(streamOf(round), form)));
        const message = readStream(told.sent);
        const visible = visibleOf(rounds);
        expect(message.content).toEqual(visible);
        expect([message.id, told.commands.at(-1)]).toEqual(["msg_0", "end"]);
        const last = rounds.at(-1);
        expect(message.usage).toEqual({
          ...last?.usage,
          output_tokens: rounds.reduce((sum, { usage }) => sum + Number(usage?.output_tokens), 0),
        });
        expect(told.seen).toEqual(visible.flatMap((block) => markOfJson(JSON.stringify(block)) ?? []));
        const asked = rounds.slice(0, told.rounds.length);
        expect(told.rounds.map(({ blocks }) => blocks.map((json) => JSON.parse(json)))).toEqual(
          asked.map(({ blocks }) => blocks.filter((block) => !isBlank(block))),
        );
        counts.answered += told.rounds.length;
        counts.beside += Number(told.rounds.at(-1)?.place === "beside");
      }),
      { numRuns: 600, seed: SEED },
    );
    expect(Math.min(counts.answered, counts.beside * 5)).toBeGreaterThan(300);
  });

  it("the same message comes without streaming", () => {
    fc.assert(
      fc.property(anyRounds, (rounds) => {
        const streamed = play(rounds.map(streamOf));
        const whole = play(rounds.map(wholeOf), { isStreaming: false });
        const { id, content, stop_reason, usage, model } = JSON.parse(whole.sent);
        expect({ id, content, stop_reason, usage, model }).toEqual(readStream(streamed.sent));
        expect(
          whole.rounds.map(({ blocks, ...round }) => ({ ...round, blocks: blocks.map((json) => JSON.parse(json)) })),
        ).toEqual(
          streamed.rounds.map(({ blocks, ...round }) => ({ ...round, blocks: blocks.map((json) => JSON.parse(json)) })),
        );
        expect(whole.seen).toEqual(streamed.seen);
      }),
      { numRuns: 500, seed: SEED },
    );
  });

  it("where the chunks are cut changes nothing of what is sent", () => {
    fc.assert(
      fc.property(anyRounds, anyForm, (rounds, form) => {
        const uncut = { ...form, cuts: [] };
        expect(play(rounds.map((round) => formed(streamOf(round), form)))).toEqual(
          play(rounds.map((round) => formed(streamOf(round), uncut))),
        );
      }),
      { numRuns: 150, seed: SEED },
    );
  });
});

describe("a stream that holds no call of Ebb's", () => {
  it("passes byte for byte, whatever else it holds", () => {
    const junk = fc.constantFrom(
      "data: {\n\n",
      ": c\n\n",
      "event: x\r\ndata: 1\r\n\r\n",
      "\r",
      "data",
      "\ufeff",
      "id: 1\n",
    );
    fc.assert(
      fc.property(
        anyRounds,
        fc.array(fc.tuple(fc.nat(20), junk), { maxLength: 4 }),
        anyForm,
        (rounds, pieces, form) => {
          const blocks = visibleOf(rounds);
          const events = [...eventsOfRound({ blocks })];
          for (const [at, piece] of pieces) events.splice(at % (events.length + 1), 0, piece);
          const chunks = formed(events.join("").replaceAll("data: {\n\n", "data: ?\n\n"), {
            ...form,
            isInLines: false,
          });
          const { sent, rounds: asked } = play([chunks]);
          expect(sent).toBe(Buffer.concat(chunks).toString());
          expect(asked).toEqual([]);
        },
      ),
      { numRuns: 500, seed: SEED },
    );
  });
});

describe("whatever happens to a response", () => {
  const part = fc.oneof(
    fc.constantFrom<unknown>(null, 7, -1, "x", [], {}, { type: "tool_use", id: "t", name: "ebb_recall", input: {} }),
    fc.constantFrom<unknown>({ type: "text_delta", text: "a" }, { type: "x", text: ["a"], __proto__: null }),
    fc.json({ maxDepth: 2 }).map((json) => JSON.parse(json)),
  );
  const type = fc.constantFrom(
    ...["message_start", "content_block_start", "content_block_delta", "content_block_stop"],
    ...["message_delta", "message_stop", "ping", "error", "message", ""],
  );
  const members = fc.record(
    { index: fc.oneof(fc.nat(2), part), content_block: part, delta: part, usage: part, message: part },
    { requiredKeys: [] },
  );
  const event: fc.Arbitrary<InlineEvent> = fc.oneof(
    {
      weight: 9,
      arbitrary: fc.tuple(type, members).map(([name, rest]) => told(name, JSON.stringify({ type: name, ...rest }))),
    },
    fc.tuple(type, fc.string()).map(([name, data]) => told(name, data)),
    fc.string().map((body): InlineEvent => ({ kind: "whole", body: Buffer.from(body) })),
    members.map(
      (rest): InlineEvent => ({ kind: "whole", body: Buffer.from(JSON.stringify({ content: [rest.delta], ...rest })) }),
    ),
    fc.constantFrom<InlineEvent>({ kind: "answered" }, { kind: "ended" }, { kind: "failed", error: Buffer.from("{") }),
  );
  const told = (name: string, data: string): InlineEvent => ({
    kind: "event",
    name,
    data,
    raw: Buffer.from(`data: ${data}\n\n`),
  });

  it("following it never throws, and says once at most how it ended, and nothing behind that", () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 12 }), fc.boolean(), (events, isStreaming) => {
        let machine = followResponse({ ...OPTIONS, isStreaming });
        const kinds: string[] = [];
        for (const one of [
          ...events,
          { kind: "ended" } as const,
          { kind: "answered" } as const,
          { kind: "ended" } as const,
        ]) {
          const [next, commands] = machine.step(one);
          machine = next;
          kinds.push(...commands.map(({ kind }) => kind));
        }
        const ends = kinds.flatMap((kind, at) => (kind === "end" || kind === "cut" ? [at] : []));
        expect(ends).toEqual([kinds.length - 1]);
      }),
      { numRuns: 3_000, seed: SEED },
    );
  });
});
