import { describe, expect, it } from "vitest";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import { emptyCache, type PromptCache, serve } from "./cache.ts";
import { CACHE_EDIT_SHAPE } from "./cache-edits.ts";
import { CLEARED_RESULT } from "./clearing.ts";
import { byteCounter, promptOf } from "./prompt.ts";

const FIVE = { type: "ephemeral" };
const text = (words: string): JsonObject => ({ type: "text", text: words });
const user = (...content: JsonObject[]): JsonObject => ({ role: "user", content });
const result = (id: string, content: JsonValue): JsonObject => ({ type: "tool_result", tool_use_id: id, content });
const thought = (id: string): JsonObject => ({
  type: "thinking",
  thinking: `${id} ${"t".repeat(400)}`,
  signature: id,
});
const call = (id: string, name = "Read"): JsonObject => ({
  type: "tool_use",
  id,
  name,
  input: { path: "p".repeat(400) },
});
const long = (id: string): string => `${id} ${"x".repeat(4_000)}`;

/** Rounds of one call each, named by letter; the breakpoint is on the newest result. */
function rounds(ids: string, edits: readonly JsonObject[] | null, form: (id: string) => JsonValue = long): JsonObject {
  const last = ids.at(-1);
  const messages = [...ids].flatMap((id) => [
    { role: "assistant", content: [call(id, id === "b" ? "Bash" : "Read")] },
    user({ ...result(id, form(id)), ...(id === last ? { cache_control: FIVE } : {}) }),
  ]);
  return {
    model: "m",
    messages: [user(text("go")), ...messages],
    ...(edits === null ? {} : { context_management: { edits: [...edits] } }),
  };
}
const clearing = (fields: JsonObject = {}): JsonObject => ({
  type: "clear_tool_uses_20250919",
  trigger: { type: "input_tokens", value: 3_000 },
  keep: { type: "tool_uses", value: 2 },
  ...fields,
});
const measure = (body: JsonObject, keepsThinking = true) =>
  promptOf(body, {
    traits: { allowsSystemMessages: true, keepsThinking },
    counter: byteCounter,
    cacheEdits: CACHE_EDIT_SHAPE,
    isDropped: () => false,
  });

describe("clearing tool uses", () => {
  const whole = measure(rounds("abcd", null));

  it("puts a placeholder in place of all but the newest results", () => {
    const prompt = measure(rounds("abcd", [clearing()]));
    const expected = measure(rounds("abcd", null, (id) => (id < "c" ? CLEARED_RESULT : long(id))));
    expect(prompt.positions).toEqual(expected.positions);
    expect(prompt.originalTokens).toBe(whole.tokens);
    expect(prompt.clearings).toEqual([{ kind: "tool-uses", uses: 2, tokens: whole.tokens - expected.tokens }]);
  });

  it.each<[string, JsonObject, number]>([
    ["waits for its trigger in tokens", { trigger: { type: "input_tokens", value: whole.tokens } }, 0],
    ["acts one token above it", { trigger: { type: "input_tokens", value: whole.tokens - 1 } }, 2],
    ["waits for its trigger in tool uses", { trigger: { type: "tool_uses", value: 4 } }, 0],
    ["acts one use above it", { trigger: { type: "tool_uses", value: 3 } }, 2],
    ["keeps as many uses as asked", { keep: { type: "tool_uses", value: 3 } }, 1],
    ["keeps none where none is asked", { keep: { type: "tool_uses", value: 0 } }, 4],
    ["keeps all where there are fewer", { keep: { type: "tool_uses", value: 9 } }, 0],
    ["spares the tools that are named", { exclude_tools: ["Bash"] }, 1],
    ["clears as much as it must", { clear_at_least: { type: "input_tokens", value: 1_900 } }, 2],
    ["clears nothing where it cannot clear that much", { clear_at_least: { type: "input_tokens", value: 2_100 } }, 0],
  ])("%s", (_name, fields, uses) => {
    const { clearings, tokens, originalTokens } = measure(rounds("abcd", [clearing(fields)]));
    expect(clearings.map((one) => one.kind === "tool-uses" && one.uses)).toEqual(uses === 0 ? [] : [uses]);
    expect(originalTokens - tokens).toBe(clearings.reduce((sum, one) => sum + one.tokens, 0));
  });

  it("waits for 100,000 tokens and keeps three uses unless told otherwise", () => {
    const huge = (id: string) => `${id} ${"x".repeat(100_000)}`;
    const unasked = [{ type: "clear_tool_uses_20250919" }];
    expect(measure(rounds("abcd", unasked)).clearings).toEqual([]);
    expect(measure(rounds("abcde", unasked, huge)).clearings).toMatchObject([{ uses: 2 }]);
  });

  it.each<[string, JsonValue, readonly number[]]>([
    ["the arguments of all", true, [2, 2]],
    ["the arguments of named tools", ["Bash"], [2, 1]],
    ["no arguments", false, [2, 0]],
  ])("clears %s", (_name, inputs, [uses = 0, emptied = 0]) => {
    const plain = measure(rounds("abcd", [clearing()]));
    const prompt = measure(rounds("abcd", [clearing({ clear_tool_inputs: inputs })]));
    const perInput =
      byteCounter.count(JSON.stringify(call("a"))) - byteCounter.count(JSON.stringify({ ...call("a"), input: {} }));
    expect(prompt.clearings).toMatchObject([{ uses }]);
    expect(plain.tokens - prompt.tokens).toBe(emptied * perInput);
  });

  it("leaves a result that the placeholder would not make shorter", () => {
    const prompt = measure(rounds("abcd", [clearing({ trigger: { type: "tool_uses", value: 1 } })], () => "ok"));
    expect(prompt.clearings).toEqual([]);
    expect(prompt.tokens).toBe(prompt.originalTokens);
  });

  it("does not count a result that is deleted from the cached prefix", () => {
    const body = rounds("abcd", [clearing()]);
    const messages: { role: string; content: JsonObject[] }[] = JSON.parse(JSON.stringify(body.messages));
    const named = messages.map((message, index) =>
      index === 2 ? { ...message, content: [{ ...message.content[0], cache_reference: "a" }] } : message,
    );
    const edit = { type: "cache_edits", edits: [{ type: "delete", cache_reference: "a" }] };
    const deleting = named.map((message, index) =>
      index === 8 ? { ...message, content: [...message.content, edit] } : message,
    );
    const prompt = measure({ ...body, messages: deleting });
    expect(prompt.clearings).toMatchObject([{ uses: 1 }]);
    expect(prompt.deletedTokens).toBeGreaterThan(1_000);
  });

  it("loses the cache from where it clears, and keeps what stands before", () => {
    const serveAll = (...bodies: JsonObject[]) => {
      let cache: PromptCache = emptyCache;
      return bodies.map((body) => {
        const served = serve(cache, measure(body), { atMs: 0, tokensMin: 10 });
        cache = served.cache;
        return served.bill;
      });
    };
    const late = clearing({ trigger: { type: "tool_uses", value: 3 } });
    const [, , cleared] = serveAll(rounds("a", [late]), rounds("abc", [late]), rounds("abcd", [late]));
    expect(cleared?.cacheReadTokens).toBe(0);
    const spared = clearing({ trigger: { type: "tool_uses", value: 3 }, exclude_tools: ["Read"] });
    const [, , kept] = serveAll(rounds("a", [spared]), rounds("abc", [spared]), rounds("abcd", [spared]));
    expect(kept?.cacheReadTokens).toBe(measure(rounds("a", null)).tokens);
  });
});

describe("clearing thinking", () => {
  const assistant = (...content: JsonObject[]): JsonObject => ({ role: "assistant", content });
  /** Three turns: two rounds with thinking, none, one. */
  const body = (edits: readonly JsonObject[] | null): JsonObject => ({
    model: "m",
    messages: [
      user(text("one")),
      assistant(thought("1"), call("a")),
      user(result("a", "ok")),
      assistant(thought("2"), text("done")),
      user(text("two")),
      assistant(text("done")),
      user(text("three")),
      assistant(thought("3"), text("done")),
      user(text("four")),
    ],
    ...(edits === null ? {} : { context_management: { edits: [...edits] } }),
  });
  const keeping = (keep: JsonValue): JsonObject => ({ type: "clear_thinking_20251015", keep });
  const turns = (value: number) => keeping({ type: "thinking_turns", value });
  const whole = measure(body(null)).tokens;

  it.each<[string, JsonObject, boolean, number]>([
    ["one turn of thinking", turns(1), true, 1],
    ["more turns than there are", turns(2), true, 0],
    ["all thinking", keeping("all"), true, 0],
    ["all thinking on a model that would forget it", keeping("all"), false, 0],
    ["what the model keeps unasked: all", { type: "clear_thinking_20251015" }, true, 0],
    ["what the model keeps unasked: the last", { type: "clear_thinking_20251015" }, false, 1],
  ])("keeps %s", (_name, edit, keepsThinking, cleared) => {
    const prompt = measure(body([edit]), keepsThinking);
    expect(prompt.clearings.map((one) => one.kind === "thinking" && one.turns)).toEqual(cleared === 0 ? [] : [cleared]);
    expect(prompt.originalTokens).toBe(whole);
    expect(prompt.originalTokens - prompt.tokens).toBe(prompt.clearings[0]?.tokens ?? 0);
  });

  it("takes the thinking of a whole turn, and the cache from there", () => {
    const prompt = measure(body([turns(1)]));
    expect(prompt.positions).toHaveLength(measure(body(null)).positions.length - 2);
    expect(prompt.positions[1]?.key).not.toBe(measure(body(null)).positions[1]?.key);
  });

  it("goes before clearing tool uses, whose trigger counts what is left", () => {
    const after = measure(body([turns(1)])).tokens;
    const uses = (value: number) =>
      measure(
        body([turns(1), clearing({ trigger: { type: "input_tokens", value }, keep: { type: "tool_uses", value: 0 } })]),
      );
    expect(uses(after).clearings).toHaveLength(1);
    expect(whole).toBeGreaterThan(after);
  });
});
