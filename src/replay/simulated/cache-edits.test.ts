import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../model/json.ts";
import { emptyCache, type InputBill, type PromptCache, serve } from "./cache.ts";
import { CACHE_EDIT_SHAPE } from "./cache-edits.ts";
import { byteCounter, promptOf } from "./prompt.ts";

const FIVE = { type: "ephemeral" };
const text = (words: string): JsonObject => ({ type: "text", text: words });
const marked = (block: JsonObject): JsonObject => ({ ...block, cache_control: FIVE });
const user = (...content: JsonObject[]): JsonObject => ({ role: "user", content });
const call = (id: string): JsonObject => ({
  role: "assistant",
  content: [{ type: "tool_use", id, name: "Read", input: { path: `/${id}` } }],
});
const result = (id: string, isNamed = false): JsonObject => ({
  type: "tool_result",
  tool_use_id: id,
  content: `${id} ${"x".repeat(4_000)}`,
  ...(isNamed ? { cache_reference: id } : {}),
});
const edits = (...ids: string[]): JsonObject => ({
  type: "cache_edits",
  edits: ids.map((id) => ({ type: "delete", cache_reference: id })),
});
const request = (...messages: JsonObject[]): JsonObject => ({
  model: "m",
  system: [marked(text("s".repeat(4_000)))],
  messages,
});

const measure = (body: JsonObject) =>
  promptOf(body, {
    traits: { allowsSystemMessages: true, keepsThinking: true },
    counter: byteCounter,
    cacheEdits: CACHE_EDIT_SHAPE,
    isDropped: () => false,
  });

/** Bills of requests served one after the other from an empty cache. */
function bills(...bodies: readonly JsonObject[]): InputBill[] {
  let cache: PromptCache = emptyCache;
  return bodies.map((body) => {
    const served = serve(cache, measure(body), { atMs: 0, tokensMin: 100 });
    cache = served.cache;
    return served.bill;
  });
}

const ask = user(text("go"));
/** Two rounds; the second result is the newest block. */
const before = request(ask, call("a"), user(result("a")), call("b"), user(marked(result("b"))));
/** The round after: `a` leaves. */
const rounds = (edit: JsonObject | null, ...more: JsonObject[]): JsonObject =>
  request(
    ask,
    call("a"),
    user(result("a", true)),
    call("b"),
    user(result("b", true)),
    call("c"),
    user(
      result("c", more.length > 0),
      ...(edit === null ? [] : [edit]),
      more.length > 0 ? text("now") : marked(text("now")),
    ),
    ...more,
  );
const resultTokens = measure(before).tokens - measure(request(ask, call("a"), user(result("b")), call("b"))).tokens;

describe("a result deleted from the cached prefix", () => {
  it("is no part of the prompt and of what is read, and nothing is written again", () => {
    const deleting = rounds(edits("a"));
    const [, plain] = bills(before, rounds(null));
    const [, bill] = bills(before, deleting);
    const { deletedTokens } = measure(deleting);
    expect(deletedTokens).toBe(resultTokens);
    expect(bill).toEqual({ ...plain, cacheReadTokens: (plain?.cacheReadTokens ?? 0) - deletedTokens });
    expect(measure(deleting).tokens).toBe(measure(rounds(null)).tokens - deletedTokens);
  });

  it("stays deleted without a new write as long as the edit stands in its place", () => {
    const next = rounds(edits("a"), call("d"), user(marked(result("d"))));
    const [, second, third] = bills(before, rounds(edits("a")), next);
    expect(third?.cacheReadTokens).toBe((second?.cacheReadTokens ?? 0) + (second?.cacheWrite5mTokens ?? 0));
    expect(measure(next).deletedTokens).toBe(resultTokens);
  });

  it("adds up with later deletions over the conversation", () => {
    const next = rounds(edits("a"), call("d"), user(result("d"), edits("b", "c"), marked(text("on"))));
    const { deletedTokens, tokens } = measure(next);
    const undone = rounds(null, call("d"), user(result("d"), marked(text("on"))));
    expect(deletedTokens).toBe(3 * resultTokens);
    expect(tokens + deletedTokens).toBe(measure(undone).tokens);
    const [, second, third] = bills(before, rounds(edits("a")), next);
    const known = (second?.cacheReadTokens ?? 0) + (second?.cacheWrite5mTokens ?? 0);
    expect(third?.cacheReadTokens).toBe(known - 2 * resultTokens);
  });

  const tail = [call("d"), user(marked(result("d")))];
  it.each<[string, JsonObject]>([
    ["disappears", rounds(null, ...tail)],
    ["names another result", rounds(edits("b"), ...tail)],
    ["changes the order of its members", rounds({ edits: edits("a").edits ?? null, type: "cache_edits" }, ...tail)],
    ["moves to another message", rounds(null, call("d"), user(result("d"), edits("a"), marked(text("on"))))],
    ["is joined by another", rounds(edits("a", "b"), ...tail)],
  ])("when its edit %s, what stands behind its place is written again", (_name, later) => {
    const [, , third] = bills(before, rounds(edits("a")), later);
    const { positions, tokens } = measure(later);
    const readable = positions[measure(before).positions.length - 1]?.tokens ?? 0;
    expect(third).toMatchObject({ cacheReadTokens: readable, cacheWrite5mTokens: tokens - readable });
    expect(readable).toBeGreaterThan(measure(request()).tokens);
  });

  it("comes back when its edit disappears", () => {
    const later = rounds(null, ...tail);
    expect(measure(later).deletedTokens).toBe(0);
    const [, , third] = bills(before, rounds(edits("a")), later);
    expect((third?.cacheReadTokens ?? 0) + (third?.cacheWrite5mTokens ?? 0)).toBe(measure(later).tokens);
  });

  it("is left out of a prompt that is written anew", () => {
    const [bill] = bills(rounds(edits("a")));
    expect(bill?.cacheReadTokens).toBe(0);
    expect(bill?.cacheWrite5mTokens).toBe(measure(rounds(edits("a"))).tokens);
  });
});

describe("references and edits", () => {
  it("change nothing of the prefix by being on a result", () => {
    const [, named] = bills(before, request(...messagesOf(rounds(null))));
    expect(named?.cacheReadTokens).toBe(measure(before).tokens);
  });

  it("are blocks like any other to a provider that does not know them", () => {
    const rules = {
      traits: { allowsSystemMessages: true, keepsThinking: true },
      counter: byteCounter,
      isDropped: () => false,
    };
    expect(promptOf(rounds(edits("a")), rules)).toMatchObject({ deletedTokens: 0 });
    expect(promptOf(rounds(edits("a")), rules).tokens).toBeGreaterThan(promptOf(rounds(null), rules).tokens);
  });

  it("never carry the automatic breakpoint, and are no words of a person", () => {
    const thinking = { type: "thinking", thinking: "t".repeat(400), signature: "s" };
    const body = {
      model: "m",
      cache_control: FIVE,
      messages: [
        ask,
        { role: "assistant", content: [thinking, ...blocksIn(call("a"))] },
        user(result("a", true)),
        call("b"),
        user(result("b"), edits("a")),
      ],
    };
    const forgetting = promptOf(body, {
      traits: { allowsSystemMessages: true, keepsThinking: false },
      counter: byteCounter,
      cacheEdits: CACHE_EDIT_SHAPE,
      isDropped: () => false,
    });
    expect(forgetting.positions.map(({ lifetimeMs }) => lifetimeMs !== null)).toEqual([
      false,
      false,
      false,
      false,
      false,
      true,
      false,
    ]);
  });

  it("may go by other names", () => {
    const shape = {
      blockType: "cuts",
      editsMember: "list",
      deleteType: "cut",
      referenceMember: "ref",
      needsTextBehind: false,
      betaHeader: "cuts-1",
    };
    const body = request(
      ask,
      call("a"),
      user({ type: "tool_result", tool_use_id: "a", content: "x".repeat(400), ref: "a" }),
      call("b"),
      user(result("b"), { type: "cuts", list: [{ type: "cut", ref: "a" }] }, marked(text("on"))),
    );
    const prompt = promptOf(body, {
      traits: { allowsSystemMessages: true, keepsThinking: true },
      counter: byteCounter,
      cacheEdits: shape,
      isDropped: () => false,
    });
    expect(prompt.deletedTokens).toBeGreaterThan(100);
    expect(measure(body).deletedTokens).toBe(0);
  });
});

function messagesOf(body: JsonObject): JsonObject[] {
  return JSON.parse(JSON.stringify(body.messages));
}

function blocksIn(message: JsonObject): JsonObject[] {
  return JSON.parse(JSON.stringify(message.content));
}
