import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyBody } from "../../../test/support/any-body.ts";
import { anyRounds, isBlank, visibleOf } from "../../../test/support/inline/any-rounds.ts";
import { type RoundMessage, recall, streamOf } from "../../../test/support/inline/messages.ts";
import { play } from "../../../test/support/inline/playbook.ts";
import type { InlineRound } from "../../model/aside.ts";
import type { JsonObject } from "../../model/json.ts";
import type { PlacedAside } from "../../model/ports.ts";
import { createAnthropicMessages } from "./index.ts";
import { INLINE } from "./inline.ts";

/** The same cases each time. */
const SEED = 20_261_130;

const wire = createAnthropicMessages();

function open(json: string) {
  const bytes = Buffer.from(json);
  const outcome = wire.read(bytes, new Map());
  if (!outcome.ok) throw new Error(outcome.words);
  return { bytes, source: outcome.source, items: outcome.source.transcript.items };
}

const result = (id: string) => INLINE.resultJson(id, { content: [{ type: "text", text: `r ${id}` }], failure: null });
const resultsOf = ({ calls }: InlineRound) => calls.map(({ id }) => result(id));
const answers = (rounds: readonly RoundMessage[]) =>
  (rounds.at(-1)?.blocks ?? []).flatMap(({ type, id, name }) =>
    type === "tool_use" && name !== "ebb_recall" ? [result(String(id))] : [],
  );

/** A client that trims texts, leaves blank ones out, and writes a lone text as a string. */
function echoOf(rounds: readonly RoundMessage[], isShort: boolean): JsonObject {
  const shown = visibleOf(rounds).filter((block) => !isBlank(block));
  const content = shown.map((block) => (block.type === "text" ? { ...block, text: String(block.text).trim() } : block));
  const [only] = content;
  const isString = isShort && content.length === 1 && only?.type === "text";
  return { role: "assistant", content: isString ? (only.text ?? "") : content };
}

/** Each round in its place, found by marks alone. */
function placed(rounds: readonly InlineRound[], marks: ReturnType<typeof INLINE.marksOf>, blockCount: number) {
  const at = (count: number) => marks[count]?.blockIndex ?? blockCount;
  return rounds.map(
    (round): PlacedAside => ({
      messageIndex: 1,
      calls: round.calls.map(({ blockIndex, seenBefore }) => ({
        blockIndex: at(seenBefore),
        json: round.blocks[blockIndex] ?? "",
      })),
      partedAt: round.place === "round" ? at(round.seen.length) : null,
      results: resultsOf(round),
    }),
  );
}

describe("a message that is sent back without its asides", () => {
  it("has the marks that were streamed, and is put together again as the provider knows it", () => {
    let parted = 0;
    fc.assert(
      fc.property(anyRounds, fc.boolean(), fc.constantFrom(undefined, 1), (rounds, isShort, indent) => {
        const { rounds: asked, seen } = play(rounds.map(streamOf));
        const echo = echoOf(rounds, isShort);
        const first = { role: "user", content: "go" };
        const own = answers(rounds);
        const next = {
          role: "user",
          content: [...own.map((json) => JSON.parse(json)), { type: "text", text: "and?" }],
        };
        const { bytes, source, items } = open(JSON.stringify({ messages: [first, echo, next] }, null, indent));
        const marks = INLINE.marksOf(source, 1);
        expect(marks.map(({ mark }) => mark)).toEqual(seen);

        const blockCount = typeof echo.content === "string" ? 1 : (echo.content as readonly unknown[]).length;
        const asides = placed(asked, marks, blockCount);
        const written = INLINE.insert(bytes, source, { tools: null, asides });
        const messages = JSON.parse(Buffer.from(written ?? "").toString()).messages;

        // What was really sent and answered, round by round.
        let body = JSON.stringify({ messages: [first] });
        for (const round of asked) {
          const before = open(body);
          body = Buffer.from(INLINE.append(before.bytes, before.source, round.blocks, resultsOf(round))).toString();
        }
        const told = JSON.parse(body).messages;
        const last = asked.at(-1)?.place === "beside" ? told.splice(-1) : [];
        const rest = rounds
          .slice(asked.length)
          .flatMap(({ blocks }) => blocks.filter((block) => block.name !== "ebb_recall"));
        const end = rest.filter((block) => !isBlank(block));
        const expected = [
          ...told,
          ...(end.length === 0 && asked.length > 0 ? [] : [{ role: "assistant", content: end }]),
          { ...next, content: [...next.content.slice(0, -1), ...(last[0]?.content ?? []), ...next.content.slice(-1)] },
        ];
        expect(trimmed(messages)).toEqual(trimmed(expected));
        parted += asides.filter(({ partedAt }) => partedAt !== null).length;

        const ids = new Set(asked.flatMap(({ calls }) => calls.map(({ id }) => id)));
        const left = open(Buffer.from(written ?? "").toString()).items.filter(
          (item) => !("callId" in item) || !ids.has(item.callId ?? ""),
        );
        const plain = ({ kind, role, digest }: (typeof items)[number]) => [kind, role, digest];
        expect(left.map(plain)).toEqual(items.map(plain));
      }),
      { numRuns: 600, seed: SEED },
    );
    expect(parted).toBeGreaterThan(300);
  });
});

/** Messages as a client that trims writes them; a string as the list it stands for. */
function trimmed(messages: readonly { role: string; content: string | JsonObject[] }[]) {
  return messages.map(({ role, content }) => ({
    role,
    content: (typeof content === "string" ? [{ type: "text", text: content }] : content).map((block: JsonObject) =>
      block.type === "text" ? { ...block, text: String(block.text).trim() } : block,
    ),
  }));
}

describe("whatever is put into whatever body", () => {
  const place = fc.nat(3);
  const asides = fc
    .array(fc.tuple(place, fc.array(place, { minLength: 1, maxLength: 2 }), fc.option(place)), { maxLength: 3 })
    .map((all) =>
      all.map(([messageIndex, calls, partedAt], index): PlacedAside => {
        const ids = calls.map((_, call) => `own_${index}_${call}`);
        return {
          messageIndex,
          calls: calls
            .toSorted()
            .map((blockIndex, call) => ({ blockIndex, json: JSON.stringify(recall(ids[call] ?? "")) })),
          partedAt,
          results: ids.map(result),
        };
      }),
    );

  it("is refused, or leaves every byte and item in its place and every call with its result", () => {
    const counts = { written: 0, refused: 0 };
    fc.assert(
      fc.property(anyBody, asides, fc.boolean(), (json, some, hasTools) => {
        const { bytes, source, items } = open(json);
        const tools = hasTools ? '{"name":"ebb_recall"}' : null;
        const models = source.transcript.messages.flatMap(({ role }, index) => (role === "assistant" ? [index] : []));
        const fitting = some.map((aside) => ({ ...aside, messageIndex: models[aside.messageIndex] ?? 0 }));
        const written = INLINE.insert(bytes, source, { tools, asides: models.length === 0 ? [] : fitting });
        if (written === null || written === bytes) {
          counts.refused += 1;
          return;
        }
        counts.written += 1;
        const text = Buffer.from(written).toString();
        expect(isWoven(json.replaceAll(/("content"\s*:\s*)""/g, "$1"), text)).toBe(true);
        const after = open(text).items;
        const isOwn = (item: (typeof after)[number]) => "callId" in item && item.callId?.startsWith("own_") === true;
        const plain = ({ kind, role, digest }: (typeof items)[number]) => [kind, role, digest];
        expect(after.filter((item) => !isOwn(item)).map(plain)).toEqual(items.map(plain));
        const own = (kind: string) =>
          after.flatMap((item) => (isOwn(item) && item.kind === kind && "callId" in item ? [item.callId] : []));
        expect(own("result").toSorted()).toEqual(own("call").toSorted());
      }),
      { numRuns: 2_000, seed: SEED },
    );
    expect(Math.min(counts.written, counts.refused)).toBeGreaterThan(200);
  });
});

/** True where the characters of one text stand in the other in their order. */
function isWoven(part: string, whole: string): boolean {
  let at = 0;
  for (const char of whole) if (char === part[at] || char === part.slice(at, at + 2)) at += char.length;
  return at === part.length;
}
