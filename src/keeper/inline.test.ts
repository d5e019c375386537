import { describe, expect, test } from "vitest";
import {
  type Block,
  bodyOf,
  call,
  EMPTY_TALK,
  read,
  result,
  results,
  type Talk,
  text,
  thinking,
  user,
} from "../../test/support/conversation.ts";
import { type Answered, type AskOptions, answerOf, ask } from "../../test/support/inline/keeper-client.ts";
import { recall } from "../../test/support/inline/messages.ts";
import { createTestKeeper, resultIn, type TestKeeperOptions } from "../../test/support/keeper.ts";
import { inlineDefinitions } from "../mcp/inline-definitions.ts";
import type { Store } from "../model/store.ts";
import { createMemoryStore } from "../stores/memory.ts";

const inlineTools = { definitions: inlineDefinitions("recall"), onSubscription: false };
const asked = user(EMPTY_TALK, "go");

function open(options: TestKeeperOptions = {}) {
  return createTestKeeper({ inlineTools, ...options });
}

interface Sent {
  readonly tools: readonly { readonly name: string }[];
  readonly messages: readonly { readonly role: string; readonly content: readonly Block[] }[];
}

function parsed(body: string): Sent {
  return JSON.parse(body);
}

function messagesIn(body: string | undefined): readonly string[] {
  return parsed(body ?? "{}").messages.map(({ role, content }) => `${role}: ${content.map(wordsOf).join(", ")}`);
}

function wordsOf(block: Block): string {
  return String(block.text ?? block.thinking ?? block.id ?? `=${block.tool_use_id}`);
}

function toolsIn(body: string | undefined): readonly string[] {
  return parsed(body ?? "{}").tools.map(({ name }) => name);
}

function addressIn(body: string | undefined): string {
  return /\[ebb (\w{12})\]/.exec(body ?? "")?.[1] ?? "no marker";
}

/** The talk with the message as the client has it. */
function echoed(talk: Talk, { content }: Answered, keep: (block: Block) => boolean = () => true): Talk {
  return { messages: [...talk.messages, { role: "assistant", content: (content ?? []).filter(keep) }] };
}

/** A message with one round of recall: `think`, `look`, then `found`. */
const RECALLED = [{ blocks: [thinking("think"), text("look"), recall("c1")] }, { blocks: [text("found")] }] as never;
const PUT_BACK = ["user: go", "assistant: think, look, c1", "user: =c1", "assistant: found"];

function more(talk: Talk, words = "more"): Talk {
  return user(talk, words);
}

async function recalled(store: Store, options: AskOptions = {}) {
  return ask(open({ store }), bodyOf(asked), RECALLED, options);
}

function sendMore(store: Store, talk: Talk, options: TestKeeperOptions & AskOptions = {}) {
  return ask(
    open({ store, idPrefix: "later", ...options }),
    bodyOf(talk),
    [{ blocks: [text("ok")] as never }],
    options,
  );
}

describe("a round that the client never saw", () => {
  test("is answered before the client sees it, and the provider is asked again", async () => {
    const keeper = open();
    const { sent, content } = await ask(keeper, bodyOf(asked), RECALLED);
    expect(content?.map((block) => wordsOf(block))).toEqual(["think", "look", "found"]);
    expect(messagesIn(sent[0])).toEqual(["user: go"]);
    expect(messagesIn(sent[1])).toEqual(["user: go", "assistant: think, look, c1", "user: =c1"]);
    expect(keeper.stats()).toMatchObject({ requests: 2, inline: { offered: 1, asides: 1, rounds: 1 } });
    expect(keeper.errors).toEqual([]);
  });

  test.each([
    ["in the same process", false],
    ["after a restart", true],
  ])("stands in every later request, byte for byte, %s", async (_, isRestarted) => {
    const store = createMemoryStore();
    const keeper = open({ store });
    const answered = await ask(keeper, bodyOf(asked), RECALLED);
    const talk = more(echoed(asked, answered));
    const later = isRestarted ? open({ store, idPrefix: "later" }) : keeper;
    const { sent } = await ask(later, bodyOf(talk), [{ blocks: [text("ok")] as never }]);
    expect(messagesIn(sent[0])).toEqual([...PUT_BACK, "user: more"]);
    const round = (answered.sent[1] ?? "").replaceAll(/,"cache_control":\{[^}]*\}/g, "");
    const withoutEnd = round.slice(0, round.lastIndexOf("]"));
    expect((sent[0] ?? "").replaceAll(/,"cache_control":\{[^}]*\}/g, "").startsWith(withoutEnd)).toBe(true);
    expect(await store.listLineages("local", 9)).toHaveLength(1);
  });

  test("stands at the same place where the client drops thinking", async () => {
    const store = createMemoryStore();
    const answered = await recalled(store);
    const { sent } = await sendMore(store, more(echoed(asked, answered, ({ type }) => type !== "thinking")));
    expect(messagesIn(sent[0])).toEqual([
      "user: go",
      "assistant: look, c1",
      "user: =c1",
      "assistant: found",
      "user: more",
    ]);
  });

  test("beside calls of the client's answers with their results", async () => {
    const store = createMemoryStore();
    const blocks = [text("look"), recall("c1"), call("t1", "Read", { file_path: "/w/a" })] as never;
    const answered = await ask(open({ store }), bodyOf(asked), [{ blocks }]);
    expect(answered.sent).toHaveLength(1);
    expect(answered.content?.map(wordsOf)).toEqual(["look", "t1"]);
    const talk = results(echoed(asked, answered), result("t1", "text"));
    const { sent } = await sendMore(store, talk);
    expect(messagesIn(sent[0])?.slice(1)).toEqual(["assistant: look, c1, t1", expect.stringMatching(/^user: .*=c1/)]);
    expect(
      parsed(sent[0] ?? "")
        .messages[2]?.content.map(({ tool_use_id }) => tool_use_id)
        .sort(),
    ).toEqual(["c1", "t1"]);
  });

  test("is followed by others in one message, and each stands in its place", async () => {
    const store = createMemoryStore();
    const rounds = [[recall("c1")], [text("one"), recall("c2"), recall("c3")], [text("two")]];
    const answered = await ask(open({ store }), bodyOf(asked), rounds.map((blocks) => ({ blocks })) as never);
    expect(answered.sent).toHaveLength(3);
    const { sent } = await sendMore(store, more(echoed(asked, answered)));
    const between = ["assistant: c1", "user: =c1", "assistant: one, c2, c3", "user: =c2, =c3", "assistant: two"];
    expect(messagesIn(sent[0])).toEqual(["user: go", ...between, "user: more"]);
  });

  test("counts no step", async () => {
    const store = createMemoryStore();
    const answered = await recalled(store);
    const { prepared } = await sendMore(store, more(echoed(asked, answered)));
    expect(prepared[0]?.plan).toMatchObject({ step: 1, turn: 2 });
  });

  test("is found by a fork, and by a session that resumes under another name, which keeps it alive", async () => {
    const store = createMemoryStore();
    const answered = await recalled(store);
    const talk = more(echoed(asked, answered), "other");
    const { sent } = await sendMore(store, talk, { sessionId: "other", atMs: 5_000_000 });
    expect(messagesIn(sent[0])).toEqual([...PUT_BACK, "user: other"]);
    expect((await store.sweep(4_000_000, 6_000_000)).originals).toBe(0);
    await store.purge("local", { kind: "session", sessionId: "session" }, 6_000_000);
    const again = await sendMore(store, talk, { sessionId: "other", atMs: 6_000_000 });
    expect(messagesIn(again.sent[0])).toEqual([...PUT_BACK, "user: other"]);
  });

  test("is left behind by who goes back before its message", async () => {
    const store = createMemoryStore();
    await recalled(store);
    const retried = await ask(open({ store, idPrefix: "r" }), bodyOf(asked), [{ blocks: [text("else")] as never }], {
      atMs: 1_100_000,
    });
    expect(messagesIn(retried.sent[0])).toEqual(["user: go"]);
    const { sent } = await sendMore(store, more(echoed(asked, retried)));
    expect(messagesIn(sent[0])).toEqual(["user: go", "assistant: else", "user: more"]);
  });

  test("of an attempt that never ended is put back by what was seen, and not into the answer of a retry", async () => {
    const store = createMemoryStore();
    const cut = await ask(
      open({ store }),
      bodyOf(asked),
      [{ blocks: [recall("c1")] }, { blocks: [text("found")] }] as never,
      {
        isCut: true,
      },
    );
    const interrupted = await sendMore(store, more(echoed(asked, cut)));
    expect(messagesIn(interrupted.sent[0])).toEqual([
      "user: go",
      "assistant: c1",
      "user: =c1",
      "assistant: found",
      "user: more",
    ]);
    const retried = await ask(open({ store, idPrefix: "r" }), bodyOf(asked), [{ blocks: [text("else")] as never }], {
      atMs: 1_100_000,
      isCut: true,
    });
    const { sent } = await sendMore(store, more(echoed(asked, retried)));
    expect(messagesIn(sent[0])).toEqual(["user: go", "assistant: else", "user: more"]);
  });

  test("whose original is gone is left out, with one error for all requests", async () => {
    const store = createMemoryStore();
    const answered = await recalled(store);
    await store.purge("local", { kind: "all" }, 2_000_000);
    const keeper = open({ store, idPrefix: "later" });
    const talk = more(echoed(asked, answered));
    for (const _ of [1, 2]) {
      const { sent } = await ask(keeper, bodyOf(talk), [{ blocks: [text("ok")] as never }]);
      expect(messagesIn(sent[0])).toEqual(["user: go", "assistant: think, look, found", "user: more"]);
    }
    expect(keeper.errors).toEqual([expect.stringContaining("aside_lost: ")]);
  });

  test("is put back where tokens are counted, and nothing is recorded for that", async () => {
    const store = createMemoryStore();
    const answered = await recalled(store);
    const before = await store.size();
    const { sent } = await sendMore(store, more(echoed(asked, answered)), { kind: "count" });
    expect(messagesIn(sent[0])).toEqual([...PUT_BACK, "user: more"]);
    expect(toolsIn(sent[0]).at(-1)).toBe("ebb_recall");
    expect(await store.size()).toEqual(before);
  });
});

describe("the answers of a round", () => {
  test("that the store does not keep are not told to anybody", async () => {
    const store = createMemoryStore({ bytesMax: 10 });
    await expect(ask(open({ store }), bodyOf(asked), RECALLED)).rejects.toThrow("could not record");
  });

  test("count as recalled text, and stay where other text of the size would leave", async () => {
    const keeper = open({ bound: { lines: 50, bytes: 262_144 } });
    const file = Array.from({ length: 300 }, (_, line) => `line ${line}`).join("\n");
    const talk = read(asked, "r1", "/w/a.ts", file);
    await ask(keeper, bodyOf(asked), []);
    const marked = await ask(keeper, bodyOf(talk), []);
    const address = addressIn(marked.sent[0]);
    const { sent, prepared } = await ask(keeper, bodyOf(talk), RECALLED, {
      answer: () => answerOf(`[ebb ${address}] Read /w/a.ts\n\n${file}`),
    });
    const plan = prepared[1]?.plan;
    const item = plan?.transcript.items.find((one) => one.kind === "result" && one.callId === "c1");
    expect(item === undefined ? null : plan?.labelOf(item.key)).toMatchObject({ tool: "ebb_recall", command: address });
    expect(resultIn(sent[1] ?? "", "r1")).toMatch(/^\[ebb /);
    expect(JSON.stringify(resultIn(sent[1] ?? "", "c1"))).toContain("line 299");
  });
});
