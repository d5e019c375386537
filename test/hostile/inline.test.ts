import { describe, expect, test } from "vitest";
import { inlineDefinitions } from "../../src/mcp/inline-definitions.ts";
import { createMemoryStore } from "../../src/stores/memory.ts";
import { type Block, bodyOf, EMPTY_TALK, result, results, type Talk, user } from "../support/conversation.ts";
import { type AskOptions, ask, textOf } from "../support/inline/keeper-client.ts";
import { call, type RoundMessage, recall, text } from "../support/inline/messages.ts";
import { createTestKeeper, prepare, type TestKeeperOptions, wire } from "../support/keeper.ts";

const OFFERED = '{"name":"ebb_recall","description"';
const inlineTools = { definitions: inlineDefinitions("recall"), onSubscription: false };

let atMs = 1_000_000;

function open(options: TestKeeperOptions = {}) {
  return createTestKeeper({ inlineTools, ...options });
}

type Opened = ReturnType<typeof open>;

async function says(keeper: Opened, talk: Talk, rounds: readonly RoundMessage[], options: AskOptions = {}) {
  const { content } = await ask(keeper, bodyOf(talk), rounds, { atMs: ++atMs, ...options });
  return answeredBy(talk, content ?? []);
}

function answeredBy(talk: Talk, content: readonly Block[]): Talk {
  return { messages: [...talk.messages, { role: "assistant", content }] };
}

async function sent(keeper: Opened, talk: Talk, tools?: readonly string[]): Promise<string> {
  return textOf(await prepare(keeper, bodyOf(talk, tools === undefined ? {} : { tools }), { atMs: ++atMs }));
}

const RECALLED = [{ blocks: [text("Let me look."), recall("r1")] }, { blocks: [text("It is in line 40.")] }];

describe("two processes on one store", () => {
  test("put back what the other pinned behind a place that both have asked about", async () => {
    const store = createMemoryStore({});
    const [one, two] = [open({ store, idPrefix: "one" }), open({ store, idPrefix: "two" })];
    const asked = user(EMPTY_TALK, "go");
    const first = await says(one, asked, [{ blocks: [text("I would not know.")] }]);
    await says(one, user(first, "look again"), [{ blocks: [text("No.")] }]);
    const again = user(await says(two, asked, RECALLED), "thanks");
    const [byTwo, byOne] = [await sent(two, again), await sent(one, again)];
    expect(byTwo).toContain("answer of r1");
    expect(byOne).toBe(byTwo);
    expect(await sent(one, user(first, "look again"))).not.toContain("answer of r1");
    expect(await sent(one, again)).toBe(byTwo);
  });

  test("ask the store once for a message that holds none", async () => {
    const inner = createMemoryStore({});
    const asked: string[][] = [];
    const findAnchored: typeof inner.findAnchored = (tenant, anchors) => {
      asked.push([...anchors]);
      return inner.findAnchored(tenant, anchors);
    };
    const keeper = open({ store: { ...inner, findAnchored } });
    let talk = user(EMPTY_TALK, "go");
    for (let turn = 0; turn < 6; turn++)
      talk = user(await says(keeper, talk, [{ blocks: [text(`Well ${turn}.`)] }]), "go on");
    await sent(keeper, talk);
    expect(asked.map(({ length }) => length)).toEqual([1, 2, 2, 2, 2, 2, 2]);
  });
});

describe("a request without any tool", () => {
  test("gets no call put back that its provider would refuse", async () => {
    const keeper = open();
    const talk = user(await says(keeper, user(EMPTY_TALK, "go"), RECALLED), "sum up");
    expect(await sent(keeper, talk, [])).toBe(Buffer.from(bodyOf(talk, { tools: [] })).toString());
    expect(await sent(keeper, talk)).toContain("answer of r1");
    expect(keeper.errors).toEqual([]);
  });

  test("keeps what stands beside calls of its own", async () => {
    const keeper = open();
    const beside = [{ blocks: [text("Both."), recall("r1"), call("c1")] }];
    const talk = results(await says(keeper, user(EMPTY_TALK, "go"), beside), result("c1", "output"));
    expect(await sent(keeper, talk, [])).toContain("answer of r1");
  });
});

describe("a provider that numbers the calls of each answer anew", () => {
  test("loses what is put back twice, and neither the tool nor the rest", async () => {
    const keeper = open();
    const twice = (turn: number) => [
      { blocks: [text(`Look ${turn}.`), recall("call_0")] },
      { blocks: [text(`Answer ${turn}.`)] },
    ];
    let talk = user(EMPTY_TALK, "go");
    for (let turn = 0; turn < 3; turn++) talk = user(await says(keeper, talk, twice(turn)), "go on");
    const body = await sent(keeper, talk);
    expect(body).toContain(OFFERED);
    expect(body.split("answer of call_0")).toHaveLength(2);
    expect(keeper.errors).toEqual([expect.stringContaining("another call has its id")]);
    expect(keeper.stats().law_violations).toBe(0);
  });

  test("loses what repeats a call of the client's own", async () => {
    const keeper = open();
    let talk = user(EMPTY_TALK, "go");
    talk = results(await says(keeper, talk, [{ blocks: [call("call_0")] }]), result("call_0", "output"));
    talk = user(await says(keeper, talk, [{ blocks: [recall("call_0")] }, { blocks: [text("Done.")] }]), "thanks");
    const body = await sent(keeper, talk);
    expect(body).toContain(OFFERED);
    expect(body).not.toContain("answer of call_0");
    expect(keeper.stats().law_violations).toBe(0);
  });
});

test("an aside without a place is looked for by halves, and the others stand", async () => {
  const inline = wire.inline;
  if (inline === null) throw new Error("the wire has no inline part");
  let written = 0;
  const insert: typeof inline.insert = (body, source, insertions) => {
    written++;
    const hasNone = insertions.asides.some(({ results: own }) => own.join().includes("answer of r7"));
    return hasNone ? null : inline.insert(body, source, insertions);
  };
  const odd = { ...wire, inline: { ...inline, insert } };
  const keeper = open();
  let talk = user(EMPTY_TALK, "go");
  for (let turn = 0; turn < 32; turn++) {
    const rounds = [{ blocks: [recall(`r${turn}`)] }, { blocks: [text(`Answer ${turn}.`)] }];
    talk = user(await says(keeper, talk, rounds), "go on");
  }
  const body = textOf(await prepare(keeper, bodyOf(talk), { atMs: ++atMs, wire: odd }));
  expect(body).toContain(OFFERED);
  expect(body.match(/answer of r\d+/g)).toHaveLength(31);
  expect(body).not.toContain("answer of r7");
  expect(written).toBeLessThan(16);
});
