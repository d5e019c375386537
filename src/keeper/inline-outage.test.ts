import { describe, expect, test } from "vitest";
import { bodyOf, EMPTY_TALK, type Talk, user } from "../../test/support/conversation.ts";
import { ask, textOf } from "../../test/support/inline/keeper-client.ts";
import { type RoundMessage, recall } from "../../test/support/inline/messages.ts";
import { createTestKeeper, prepare, wire } from "../../test/support/keeper.ts";
import { EbbError } from "../lib/ebb-error.ts";
import { inlineDefinitions } from "../mcp/inline-definitions.ts";
import type { Wire } from "../model/ports.ts";
import type { Store } from "../model/store.ts";
import { createMemoryStore } from "../stores/memory.ts";

const inlineTools = { definitions: inlineDefinitions("recall"), onSubscription: false };
const asked = user(EMPTY_TALK, "go");
const found = { type: "text", text: "found" };
const RECALLED: readonly RoundMessage[] = [{ blocks: [recall("c1")] }, { blocks: [found] }];
const talk: Talk = user({ messages: [...asked.messages, { role: "assistant", content: [found] }] }, "more");

/** A store that answers nothing while it is broken. */
function breakable() {
  const inner = createMemoryStore();
  const state = { isBroken: false };
  const store = Object.fromEntries(
    Object.entries(inner).map(([name, method]) => [
      name,
      typeof method === "function"
        ? (...given: unknown[]) =>
            state.isBroken ? Promise.reject(new EbbError("store_failed", "fails")) : Reflect.apply(method, inner, given)
        : method,
    ]),
  );
  return { store: { ...inner, ...store } satisfies Store, state };
}

function open(store: Store, idPrefix = "id") {
  return createTestKeeper({ store, idPrefix, inlineTools });
}

describe("while the store does not answer", () => {
  test("a conversation that was carried here goes on, its asides and its tool in place", async () => {
    const { store, state } = breakable();
    const keeper = open(store);
    await ask(keeper, bodyOf(asked), RECALLED);
    state.isBroken = true;
    const { sent } = await ask(keeper, bodyOf(talk), []);
    expect(sent[0]).toContain('"id":"c1"');
    expect(sent[0]).toContain('"name":"ebb_recall"');
  });

  test("one whose asides nobody here can tell is refused", async () => {
    const { store, state } = breakable();
    await ask(open(store), bodyOf(asked), RECALLED);
    state.isBroken = true;
    const prepared = await prepare(open(store, "later"), bodyOf(talk));
    expect(prepared).toMatchObject({ kind: "refuse", words: expect.stringContaining("cannot tell what it sent") });
  });

  test("one that begins goes out as it came, without a tool that nobody could record", async () => {
    const { store, state } = breakable();
    state.isBroken = true;
    expect(await prepare(open(store), bodyOf(asked))).toMatchObject({ kind: "forward", isEdited: false, inline: null });
  });

  test("calls of Ebb's tools are not answered, and the conversation goes on without them", async () => {
    const { store, state } = breakable();
    const keeper = open(store);
    const first = await prepare(keeper, bodyOf(asked));
    state.isBroken = true;
    const round = {
      place: "round",
      blocks: [JSON.stringify(recall("c1"))],
      calls: [{ blockIndex: 0, id: "c1", name: "ebb_recall", input: {}, seenBefore: 0 }],
      seen: [],
      seenStart: 0,
    } as const;
    const answers = [{ content: [{ type: "text", text: "x" }], failure: null }] as const;
    const pinned = first.kind === "forward" ? await first.inline?.pin(round, answers, 1_000_000) : undefined;
    expect(pinned).toMatchObject({ ok: false, words: expect.stringContaining("fails") });
    if (first.kind === "forward") await first.inline?.close([], 1_000_000);
    state.isBroken = false;
    const again = await ask(keeper, bodyOf(asked), RECALLED, { atMs: 1_100_000 });
    expect(again.sent).toHaveLength(2);
  });

  test("what was recalled once it answers again stands behind all that it did not take", async () => {
    const { store, state } = breakable();
    const keeper = open(store);
    await ask(keeper, bodyOf(asked), [{ blocks: [found] }]);
    state.isBroken = true;
    const prepared = await prepare(keeper, bodyOf(talk));
    state.isBroken = false;
    if (prepared.kind === "refuse" || prepared.inline === null) throw new Error("nothing is offered");
    const round = {
      place: "beside",
      blocks: [JSON.stringify(recall("c1")), JSON.stringify({ type: "tool_use", id: "t1", name: "Read", input: {} })],
      calls: [{ blockIndex: 0, id: "c1", name: "ebb_recall", input: {}, seenBefore: 0 }],
      seen: ["tool_use:t1"],
      seenStart: 0,
    } as const;
    const answers = [{ content: [{ type: "text", text: "x" }], failure: null }] as const;
    expect(await prepared.inline.pin(round, answers, 1_000_000)).toEqual({ ok: true, next: null });
    const [{ lineage } = { lineage: "" }] = await store.listLineages("local", 1);
    const types = (await store.loadLineage("local", lineage)).map(({ entry }) => entry.type);
    expect(types.slice(-2)).toEqual(["request-sent", "aside-pinned"]);
  });
});

describe("a wire that puts in something else", () => {
  const talkOf = async (change: (put: string) => string) => {
    const { inline } = wire;
    if (inline === null) throw new Error("the wire has no inline part");
    const broken: Wire = {
      ...wire,
      inline: {
        ...inline,
        insert: (...given) => {
          const put = inline.insert(...given);
          return put === null ? null : Buffer.from(change(Buffer.from(put).toString()));
        },
      },
    };
    const store = createMemoryStore();
    await ask(open(store), bodyOf(asked), RECALLED);
    const keeper = open(store, "later");
    const prepared = await prepare(keeper, bodyOf(talk), { wire: broken });
    return { keeper, prepared };
  };

  test.each<[string, (put: string) => string, RegExp]>([
    [
      "a block less",
      (put) => put.replace('{"type":"text","text":"go"}', '{"type":"text","text":"no"}'),
      /another than came/,
    ],
    ["other tools", (put) => put.replace('"name":"Grep"', '"name":"Other"'), /the tools are not/],
    [
      "another model",
      (put) => put.replace("claude-sonnet-4-5-20250929", "claude-haiku-4-5-20251001"),
      /other parameters/,
    ],
    [
      "a call without its result",
      (put) => put.replace(/,\{"role":"user","content":\[\{"type":"tool_result".*?\}\]\}/, ""),
      /has no result|items stand/,
    ],
    [
      "more than was meant",
      (put) => put.replace('"stream"', `"other":"${"x".repeat(5_000)}","stream"`),
      /bytes were put in/,
    ],
    ["no body", () => "{", /cannot be read/],
  ])("has Ebb leave it out: %s", async (_, change, words) => {
    const { keeper, prepared } = await talkOf(change);
    expect(textOf(prepared)).not.toContain('"c1"');
    expect(textOf(prepared)).toContain('"model":"claude-sonnet-4-5-20250929"');
    expect(keeper.stats().law_violations).toBeGreaterThan(0);
    expect(keeper.errors.join("\n")).toMatch(words);
  });
});
