import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../model/json.ts";
import { emptyCache, type InputBill, type PromptCache, serve } from "./cache.ts";
import { byteCounter, type ModelTraits, promptOf } from "./prompt.ts";

const MIN = 100;
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const keeps: ModelTraits = { allowsSystemMessages: true, keepsThinking: true };
const forgets: ModelTraits = { allowsSystemMessages: false, keepsThinking: false };
const FIVE = { type: "ephemeral" };
const ONE_HOUR = { type: "ephemeral", ttl: "1h" };

/** A text of about that many tokens, its own for each name. */
function text(name: string, tokens = 200): JsonObject {
  return { type: "text", text: `${name} ${"x".repeat(tokens * 4)}` };
}
const marked = (block: JsonObject, control: JsonObject = FIVE): JsonObject => ({ ...block, cache_control: control });
const user = (...content: JsonObject[]): JsonObject => ({ role: "user", content });
const assistant = (...content: JsonObject[]): JsonObject => ({ role: "assistant", content });
const request = (fields: JsonObject): JsonObject => ({ model: "m", max_tokens: 10, ...fields });

function measure(body: JsonObject, traits: ModelTraits = keeps) {
  return promptOf(body, { traits, counter: byteCounter, isDropped: () => false });
}

interface Timed {
  readonly body: JsonObject;
  readonly atMs?: number;
  readonly traits?: ModelTraits;
}

/** Bills of requests served one after the other from an empty cache. */
function bills(...requests: readonly Timed[]): InputBill[] {
  let cache: PromptCache = emptyCache;
  return requests.map(({ body, atMs, traits }) => {
    const served = serve(cache, measure(body, traits), { atMs: atMs ?? 0, tokensMin: MIN });
    cache = served.cache;
    return served.bill;
  });
}

const tokensUpTo = (body: JsonObject, index: number) => measure(body).positions[index]?.tokens ?? 0;

describe("prompt cache", () => {
  const first = request({ messages: [user(marked(text("a")))] });

  it("writes at a breakpoint and reads the same prefix back", () => {
    const total = measure(first).tokens;
    expect(bills({ body: first }, { body: first })).toEqual([
      { inputTokens: 0, cacheReadTokens: 0, cacheWrite5mTokens: total, cacheWrite1hTokens: 0 },
      { inputTokens: 0, cacheReadTokens: total, cacheWrite5mTokens: 0, cacheWrite1hTokens: 0 },
    ]);
  });

  it("tells the place it read up to, and that there is none", () => {
    const grown = request({ messages: [user(text("a")), assistant(text("b")), user(marked(text("c")))] });
    const when = { atMs: 0, tokensMin: MIN };
    const written = serve(emptyCache, measure(first), when);
    expect(written.readUpTo).toBeNull();
    expect(serve(written.cache, measure(grown), when).readUpTo).toBe(0);
  });

  it("writes nothing without a breakpoint", () => {
    const bare = request({ messages: [user(text("a"))] });
    const total = measure(bare).tokens;
    const fresh = { inputTokens: total, cacheReadTokens: 0, cacheWrite5mTokens: 0, cacheWrite1hTokens: 0 };
    expect(bills({ body: bare }, { body: bare })).toEqual([fresh, fresh]);
  });

  it("writes nothing at a place between breakpoints", () => {
    const both = request({ messages: [user(text("a"), marked(text("b")))] });
    const head = request({ messages: [user(marked(text("a")), text("c"))] });
    expect(bills({ body: both }, { body: head })[1]?.cacheReadTokens).toBe(0);
  });

  it("counts what follows the last breakpoint as plain input", () => {
    const body = request({ messages: [user(marked(text("a")), text("tail"))] });
    const [bill] = bills({ body });
    expect(bill?.inputTokens).toBe(measure(body).tokens - tokensUpTo(body, 0));
  });

  it.each([
    [19, true],
    [20, false],
  ])("finds an entry %i places back: %s", (back, isFound) => {
    const grown = request({
      messages: [
        user(text("a")),
        ...Array.from({ length: back }, (_, index) =>
          (index % 2 === 0 ? assistant : user)(index === back - 1 ? marked(text(`t${index}`)) : text(`t${index}`)),
        ),
      ],
    });
    expect((bills({ body: first }, { body: grown })[1]?.cacheReadTokens ?? 0) > 0).toBe(isFound);
  });

  it("loses the messages to an edit at depth, and keeps what a breakpoint before it holds", () => {
    const history = (middle: string, spare: boolean) =>
      request({
        system: [marked(text("system"))],
        messages: [user(spare ? marked(text("a")) : text("a")), assistant(text(middle)), user(marked(text("c")))],
      });
    const without = bills({ body: history("b", false) }, { body: history("edited", false) });
    expect(without[1]?.cacheReadTokens).toBe(tokensUpTo(history("b", false), 0));
    const withSpare = bills({ body: history("b", true) }, { body: history("edited", true) });
    expect(withSpare[1]?.cacheReadTokens).toBe(tokensUpTo(history("b", true), 1));
  });

  it("lives from the start of the request that last used it", () => {
    const [, hit, late, gone] = bills(
      { body: first, atMs: 0 },
      { body: first, atMs: 5 * MINUTE - 1 },
      { body: first, atMs: 10 * MINUTE - 2 },
      { body: first, atMs: 15 * MINUTE - 2 },
    );
    expect([hit, late, gone].map((bill) => (bill?.cacheReadTokens ?? 0) > 0)).toEqual([true, true, false]);
  });

  it("keeps a one-hour entry for an hour and no longer", () => {
    const body = request({ messages: [user(marked(text("a"), ONE_HOUR))] });
    const reads = bills({ body }, { body, atMs: HOUR - 1 }, { body, atMs: 2 * HOUR - 1 });
    expect(reads.map((bill) => bill.cacheReadTokens > 0)).toEqual([false, true, false]);
  });

  it("bills one-hour and five-minute writes by the places of their breakpoints", () => {
    const body = request({
      system: [marked(text("system"), ONE_HOUR)],
      messages: [user(marked(text("a")), text("tail"))],
    });
    const [whole] = bills({ body });
    expect(whole).toEqual({
      inputTokens: measure(body).tokens - tokensUpTo(body, 1),
      cacheReadTokens: 0,
      cacheWrite5mTokens: tokensUpTo(body, 1) - tokensUpTo(body, 0),
      cacheWrite1hTokens: tokensUpTo(body, 0),
    });
    const [, , later] = bills({ body }, { body }, { body, atMs: 6 * MINUTE });
    expect(later?.cacheReadTokens).toBe(tokensUpTo(body, 0));
    expect(later?.cacheWrite5mTokens).toBe(tokensUpTo(body, 1) - tokensUpTo(body, 0));
  });

  it("silently caches nothing under the minimum length", () => {
    const short = request({ messages: [user(marked(text("a", 50)))] });
    expect(bills({ body: short }, { body: short })[1]).toEqual({
      inputTokens: measure(short).tokens,
      cacheReadTokens: 0,
      cacheWrite5mTokens: 0,
      cacheWrite1hTokens: 0,
    });
  });

  it("puts an automatic breakpoint on the last block that can carry one", () => {
    const thinking = { type: "thinking", thinking: "hm", signature: "s" };
    const body = request({ cache_control: FIVE, messages: [user(text("a")), assistant(thinking)] });
    expect(measure(body).positions.map((position) => position.lifetimeMs)).toEqual([5 * MINUTE, null]);
  });

  it("does not take a moved breakpoint or a reshaped text as a change", () => {
    const plain = request({ messages: [{ role: "user", content: "x".repeat(800) }, user(marked(text("b")))] });
    const blocks = request({
      messages: [user(marked({ text: "x".repeat(800), type: "text" })), user(marked(text("b")))],
    });
    expect(bills({ body: plain }, { body: blocks })[1]?.cacheReadTokens).toBe(measure(plain).tokens);
  });

  it("takes the order of keys in call arguments as content", () => {
    const call = (input: JsonObject) =>
      request({ messages: [user(text("a")), assistant(marked({ type: "tool_use", id: "t", name: "Read", input }))] });
    const [, reordered] = bills({ body: call({ a: 1, b: 2 }) }, { body: call({ b: 2, a: 1 }) });
    expect(reordered?.cacheReadTokens).toBe(0);
  });
});

describe("what a change loses of the cache", () => {
  const tool = { name: "Read", input_schema: { type: "object" }, description: "d".repeat(800) };
  const base = {
    tools: [marked(tool)],
    system: [marked(text("system"))],
    messages: [user(marked(text("a")))],
  };
  const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } };
  const after = {
    tools: tokensUpTo(request(base), 0),
    system: tokensUpTo(request(base), 1),
    messages: tokensUpTo(request(base), 2),
  };

  it.each<[string, JsonObject, number]>([
    ["nothing", {}, after.messages],
    ["other sampling", { temperature: 0.5, max_tokens: 99, metadata: { user_id: "u" } }, after.messages],
    ["the default effort", { output_config: { effort: "high" } }, after.messages],
    ["thinking switched off in so many words", { thinking: { type: "disabled" } }, after.messages],
    ["a deferred tool", { tools: [marked(tool), { name: "Later", defer_loading: true }] }, after.messages],
    ["a tool", { tools: [marked({ ...tool, description: "e".repeat(800) })] }, 0],
    ["the model", { model: "other" }, 0],
    ["speed", { speed: "fast" }, after.tools],
    ["web search", { tools: [marked(tool), { type: "web_search_20250305", name: "web_search" }] }, after.tools],
    ["the system prompt", { system: [marked(text("other"))] }, after.tools],
    ["tool choice", { tool_choice: { type: "any" } }, after.system],
    ["thinking parameters", { thinking: { type: "enabled", budget_tokens: 1024 } }, after.system],
    ["effort", { output_config: { effort: "low" } }, after.system],
    ["an image at the end", { messages: [user(marked(text("a")), image)] }, after.system],
    [
      "a system message at the end",
      { messages: [user(marked(text("a"))), { role: "system", content: "s" }] },
      after.messages,
    ],
  ])("%s", (_name, change, kept) => {
    const [, bill] = bills({ body: request(base) }, { body: request({ ...base, ...change }) });
    expect(bill?.cacheReadTokens).toBe(kept);
  });

  it("keeps a prompt whose attribution text in first place changes", () => {
    const attributed = (fingerprint: string) =>
      request({
        ...base,
        system: [{ type: "text", text: `x-anthropic-billing-header: ${fingerprint}` }, ...base.system],
      });
    const [, bill] = bills({ body: attributed("1") }, { body: attributed("2") });
    expect(bill?.cacheReadTokens).toBe(after.messages);
  });

  it("loses old thinking when the user speaks again only on models that forget it", () => {
    const thinking = { type: "thinking", thinking: "t".repeat(800), signature: "s" };
    const turn = [user(text("a")), assistant(thinking, marked(text("b")))];
    const next = [...turn, user(marked(text("c")))];
    const reads = (traits: ModelTraits) =>
      bills({ body: request({ messages: turn }), traits }, { body: request({ messages: next }), traits })[1]
        ?.cacheReadTokens;
    expect(reads(keeps)).toBe(tokensUpTo(request({ messages: turn }), 2));
    expect(reads(forgets)).toBe(0);
  });

  it("neither counts nor hashes thinking that the model drops", () => {
    const thinking = { type: "thinking", thinking: "t".repeat(800), signature: "s" };
    const rules = {
      traits: keeps,
      counter: byteCounter,
      isDropped: (message: number, block: number) => message === 1 && block === 0,
    };
    const withThinking = request({ messages: [user(text("a")), assistant(thinking, text("b"))] });
    const without = request({ messages: [user(text("a")), assistant(text("b"))] });
    expect(promptOf(withThinking, rules)).toEqual(measure(without));
  });
});
