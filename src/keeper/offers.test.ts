import { describe, expect, test } from "vitest";
import {
  assistant,
  type BodyOptions,
  bodyOf,
  CLAUDE_TOOLS,
  EMPTY_TALK,
  idle,
  type Talk,
  text,
  thinking,
  user,
} from "../../test/support/conversation.ts";
import { ask } from "../../test/support/inline/keeper-client.ts";
import {
  createTestKeeper,
  prepare,
  type SendOptions,
  type TestKeeperOptions,
  wire,
} from "../../test/support/keeper.ts";
import { inlineDefinitions } from "../mcp/inline-definitions.ts";
import { createMemoryStore } from "../stores/memory.ts";

const MINUTE = 60_000;
const inlineTools = { definitions: inlineDefinitions("recall"), onSubscription: false };
const asked = user(EMPTY_TALK, "go");
const later = idle(asked, "i", 2);
const BINDING = "claude-opus-5-5";

type Options = SendOptions & { readonly body?: BodyOptions };

/** Whether a request left with the tool last among those of its client, and nothing else about them. */
async function isOffered(keeper: ReturnType<typeof createTestKeeper>, talk: Talk, options: Options = {}) {
  const body = bodyOf(talk, options.body);
  const { tools: came = [] }: { tools?: readonly object[] } = JSON.parse(Buffer.from(body).toString());
  const { sent } = await ask(keeper, body, [{ blocks: [] }], options);
  const { tools = [] }: { tools?: readonly object[] } = JSON.parse(sent[0] ?? "{}");
  expect(tools.slice(0, came.length)).toEqual(came);
  const [added, ...more] = tools.slice(came.length);
  expect(more).toEqual([]);
  if (added !== undefined) expect(added).toMatchObject({ name: "ebb_recall" });
  return added !== undefined;
}

function open(options: TestKeeperOptions = {}) {
  return createTestKeeper({ inlineTools, ...options });
}

describe("a conversation that begins behind Ebb", () => {
  test("offers the tool from its first request on, also after the option was changed", async () => {
    const store = createMemoryStore();
    const keeper = open({ store });
    expect(await isOffered(keeper, asked)).toBe(true);
    expect(await isOffered(keeper, later)).toBe(true);
    const off = createTestKeeper({ store, idPrefix: "off" });
    expect(await isOffered(off, idle(later, "j", 1))).toBe(true);
    expect(await isOffered(off, user(EMPTY_TALK, "another"))).toBe(false);
    expect(keeper.stats().inline.offered).toBe(1);
  });

  test("is none that another one of its session began with, once the option is off", async () => {
    const store = createMemoryStore();
    const opening = user(user(EMPTY_TALK, "the same reminder"), "one task");
    expect(await isOffered(open({ store }), opening)).toBe(true);
    const off = createTestKeeper({ store, idPrefix: "off" });
    expect(await isOffered(off, opening)).toBe(true);
    expect(await isOffered(off, user(user(EMPTY_TALK, "the same reminder"), "another task"))).toBe(false);
  });

  test("offers the very same bytes in every request and process", async () => {
    const store = createMemoryStore();
    const toolsOf = async (keeper: ReturnType<typeof open>, talk: Talk) => {
      const { sent } = await ask(keeper, bodyOf(talk), []);
      return /"tools":\[.*\],"messages"/.exec(sent[0] ?? "")?.[0];
    };
    const first = await toolsOf(open({ store }), asked);
    expect(first).toContain("ebb_recall");
    const all = { definitions: inlineDefinitions("all"), onSubscription: false };
    expect(await toolsOf(open({ store, idPrefix: "b", inlineTools: all }), later)).toBe(first);
  });

  test("offers it in forks and under the name of a session that resumes it", async () => {
    const store = createMemoryStore();
    await isOffered(open({ store }), asked);
    await isOffered(open({ store, idPrefix: "b" }), later);
    const off = createTestKeeper({ store, idPrefix: "off" });
    expect(await isOffered(off, user(assistant(asked, text("fork")), "on"))).toBe(true);
    expect(await isOffered(off, idle(later, "k", 1), { sessionId: "resumed" })).toBe(true);
    expect(await isOffered(off, idle(later, "k", 2), { sessionId: "resumed" })).toBe(true);
  });

  test("begins anew in another session, whatever began like it before", async () => {
    const store = createMemoryStore();
    await isOffered(open({ store }), asked);
    const off = createTestKeeper({ store, idPrefix: "off" });
    expect(await isOffered(off, asked, { sessionId: "another" })).toBe(false);
    expect(await isOffered(off, asked)).toBe(true);
  });

  test.each([
    ["of a client that offers a tool of Ebb's by itself", { body: { tools: [...CLAUDE_TOOLS, "mcp__ebb__recall"] } }],
    ["of a client that offers one of the same name", { body: { tools: ["ebb_recall"] } }],
    ["without tools", { body: { tools: [] } }],
    ["paid by a subscription", { isSubscription: true }],
  ])("offers none in a request %s", async (_, options) => {
    expect(await isOffered(open(), asked, options)).toBe(false);
  });

  test("offers none in one request that may not, and goes on with it in the next", async () => {
    const keeper = open();
    expect(await isOffered(keeper, asked)).toBe(true);
    expect(await isOffered(keeper, later, { body: { tools: [] } })).toBe(false);
    expect(await isOffered(keeper, idle(later, "j", 1))).toBe(true);
  });

  test("offers one on a subscription where the option says so", async () => {
    const keeper = open({ inlineTools: { ...inlineTools, onSubscription: true } });
    expect(await isOffered(keeper, asked, { isSubscription: true })).toBe(true);
  });

  test.each(["observe", "off"] as const)("offers nothing new in %s, and what was offered again", async (mode) => {
    const store = createMemoryStore();
    expect(await isOffered(open({ mode, store }), asked)).toBe(false);
    expect(await isOffered(open({ store, idPrefix: "b" }), asked)).toBe(true);
    expect(await isOffered(open({ mode, store, idPrefix: "c" }), later)).toBe(true);
  });

  test("offers nothing new in a pause", async () => {
    let isPaused = true;
    const keeper = open({ isPaused: () => isPaused });
    expect(await isOffered(keeper, asked)).toBe(false);
    isPaused = false;
    expect(await isOffered(keeper, user(EMPTY_TALK, "another"))).toBe(true);
    isPaused = true;
    expect(await isOffered(keeper, user(assistant(user(EMPTY_TALK, "another"), text("x")), "on"))).toBe(true);
  });
});

describe("a conversation that was under way", () => {
  const begin = async (options: TestKeeperOptions & { readonly body?: BodyOptions } = {}) => {
    const store = createMemoryStore();
    const off = createTestKeeper({ store, ...options });
    for (const [steps, talk] of [asked, idle(asked, "i", 1), later].entries()) {
      await isOffered(off, talk, { atMs: steps * (MINUTE / 2), body: options.body ?? {} });
    }
    return open({ store, idPrefix: "on", ...options });
  };
  const next = idle(later, "j", 1);

  test("offers nothing while the provider may hold any of it", async () => {
    expect(await isOffered(await begin(), next, { atMs: 2 * MINUTE })).toBe(false);
  });

  test("offers the tool where the cache is cold, and goes on", async () => {
    const keeper = await begin();
    expect(await isOffered(keeper, next, { atMs: 20 * MINUTE })).toBe(true);
    expect(await isOffered(keeper, idle(next, "k", 1), { atMs: 21 * MINUTE })).toBe(true);
    const [{ lineage } = { lineage: "" }] = await keeper.store.listLineages("local", 1);
    const records = await keeper.store.loadLineage("local", lineage);
    const moments = records.flatMap(({ entry }) => (entry.type === "tools-offered" ? [entry.moment] : []));
    expect(moments).toEqual(["cold"]);
  });

  test("offers it where the client's own tools changed", async () => {
    const keeper = await begin();
    const body = { tools: [...CLAUDE_TOOLS, "Other"] };
    expect(await isOffered(keeper, next, { atMs: 2 * MINUTE, body })).toBe(true);
  });

  test("offers nothing of which nobody knows what was sent", async () => {
    expect(await isOffered(open(), next, { atMs: 20 * MINUTE })).toBe(false);
  });

  test("offers nothing where others sent for some of it meanwhile", async () => {
    const keeper = await begin();
    expect(await isOffered(keeper, idle(next, "k", 3), { atMs: 20 * MINUTE })).toBe(false);
  });

  test("offers nothing behind signed thinking", async () => {
    const signed = user(assistant(later, thinking("t"), text("x")), "on");
    const thought = { model: BINDING, thinking: { type: "enabled", budget_tokens: 1_024 } };
    const keeper = await begin({ body: thought });
    expect(await isOffered(keeper, signed, { atMs: 20 * MINUTE, body: thought })).toBe(false);
    const unsigned = user(assistant(later, text("x")), "on");
    expect(await isOffered(await begin({ body: thought }), unsigned, { atMs: 20 * MINUTE, body: thought })).toBe(true);
  });
});

test("a wire that cannot answer inside the stream is offered nothing", async () => {
  const prepared = await prepare(open(), bodyOf(asked), { wire: { ...wire, inline: null } });
  expect(prepared).toMatchObject({ kind: "forward", isEdited: false, inline: null });
});
