import { describe, expect, it } from "vitest";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import { CACHE_EDIT_SHAPE } from "./cache-edits.ts";
import { MEDIA_MAX, NESTING_MAX, validate } from "./validate.ts";

const noEdits = { shape: CACHE_EDIT_SHAPE, isOn: false };
const modern = () => ({ allowsSystemMessages: true, keepsThinking: true });
const older = () => ({ allowsSystemMessages: false, keepsThinking: true });
const text = (words: string): JsonObject => ({ type: "text", text: words });
const call = (id: string): JsonObject => ({ type: "tool_use", id, name: "Read", input: {} });
const result = (id: string, content: JsonValue = "ok"): JsonObject => ({
  type: "tool_result",
  tool_use_id: id,
  content,
});
const user = (...content: JsonValue[]): JsonObject => ({ role: "user", content });
const assistant = (...content: JsonValue[]): JsonObject => ({ role: "assistant", content });
const ask = user(text("go"));
const cached = (ttl?: string): JsonObject => ({
  ...text("x"),
  cache_control: { type: "ephemeral", ...(ttl === undefined ? {} : { ttl }) },
});

function wordsOf(fields: JsonObject, traits = modern): string | null {
  const outcome = validate({ model: "m", max_tokens: 10, messages: [ask], ...fields }, "generate", {
    mediaMax: MEDIA_MAX,
    cacheEdits: noEdits,
    traitsOf: traits,
  });
  return outcome.ok ? null : outcome.refusal.words;
}
const wordsFor = (...messages: JsonObject[]): string | null => wordsOf({ messages });

describe("a request that is in order", () => {
  it.each<[string, JsonObject]>([
    ["string content", { messages: [{ role: "user", content: "go" }] }],
    [
      "results in another order than their calls",
      {
        messages: [ask, assistant(call("a"), call("b")), user(result("b"), result("a"), text("and"))],
      },
    ],
    [
      "results split over two user messages",
      {
        messages: [ask, assistant(call("a"), call("b")), user(result("a")), user(result("b"))],
      },
    ],
    [
      "a result without content",
      { messages: [ask, assistant(call("a")), user({ type: "tool_result", tool_use_id: "a" })] },
    ],
    ["an empty result", { messages: [ask, assistant(call("a")), user(result("a", ""))] }],
    ["an empty last assistant message", { messages: [ask, assistant()] }],
    ["an empty system message", { messages: [ask, { role: "system", content: [] }] }],
    ["four breakpoints", { messages: [user(cached(), cached(), cached(), cached())] }],
    ["an hour before five minutes", { messages: [user(cached("1h"), cached("5m"))] }],
    [
      "an automatic breakpoint where the last block has the same",
      {
        cache_control: { type: "ephemeral" },
        messages: [user(cached())],
      },
    ],
  ])("passes with %s", (_name, fields) => {
    expect(wordsOf(fields)).toBeNull();
  });

  it("needs no max_tokens when it is only counted", () => {
    expect(
      validate({ model: "m", messages: [ask] }, "count", { mediaMax: MEDIA_MAX, cacheEdits: noEdits, traitsOf: modern })
        .ok,
    ).toBe(true);
  });
});

describe("a request that is refused", () => {
  it.each<[string, JsonObject, string]>([
    ["no model", { model: "" }, "model: Field required"],
    ["no max_tokens", { max_tokens: null }, "max_tokens: Input should be"],
    ["no messages", { messages: [] }, "messages: at least one message is required"],
    ["messages that are no list", { messages: "hi" }, "messages: Input should be a valid list"],
    [
      "an unknown role",
      { messages: [ask, { role: "tool", content: "x" }] },
      "messages.1.role: Input should be 'user' or 'assistant'",
    ],
    ["the assistant first", { messages: [assistant(text("hi"))] }, 'first message must use the "user" role'],
    ["no content", { messages: [{ role: "user" }] }, "messages.0.content: Input should be a valid string or a list"],
    ["empty content", { messages: [user()] }, "all messages must have non-empty content"],
    ["an empty string", { messages: [{ role: "user", content: "" }] }, "all messages must have non-empty content"],
    ["empty text", { messages: [user(text(""))] }, "messages.0.content.0.text: text content blocks must be non-empty"],
    ["blank text", { messages: [user(text(" \n"))] }, "text content blocks must contain non-whitespace text"],
    [
      "empty text in a result",
      { messages: [ask, assistant(call("a")), user(result("a", [text("")]))] },
      "messages.2.content.0.tool_result.content.0.text: text content blocks must be non-empty",
    ],
    ["an empty system text", { system: [text("")] }, "system.0.text: text content blocks must be non-empty"],
    ["an unknown block", { messages: [user({ type: "video" })] }, "Input tag 'video' found using 'type'"],
    ["a call by the user", { messages: [user(call("a"))] }, "`tool_use` blocks can only be in `assistant` messages"],
    [
      "a result by the assistant",
      { messages: [ask, assistant(result("a"))] },
      "`tool_result` blocks can only be in `user` messages",
    ],
    [
      "a call without input",
      { messages: [ask, assistant({ type: "tool_use", id: "a", name: "R" })] },
      "tool_use.input: Input should be a valid dictionary",
    ],
    ["two tools of one name", { tools: [{ name: "A" }, { name: "A" }] }, "tools: Tool names must be unique."],
    [
      "a breakpoint on empty text",
      { messages: [user({ ...cached(), text: "" })] },
      "cache_control cannot be set for empty text blocks",
    ],
    [
      "a breakpoint on thinking",
      { messages: [ask, assistant({ type: "thinking", cache_control: { type: "ephemeral" } })] },
      "thinking.cache_control",
    ],
    ["another lifetime", { messages: [user(cached("2h"))] }, "cache_control.ttl: Input should be '5m' or '1h'"],
    [
      "a fifth breakpoint",
      { system: [cached()], messages: [user(cached(), cached(), cached(), cached())] },
      "A maximum of 4 blocks with cache_control may be provided. Found 5.",
    ],
    [
      "an automatic fifth breakpoint",
      { cache_control: { type: "ephemeral" }, messages: [user(cached(), cached(), cached(), cached(), text("x"))] },
      "no breakpoint is left",
    ],
    [
      "an automatic breakpoint of another lifetime",
      { cache_control: { type: "ephemeral", ttl: "1h" }, messages: [user(cached())] },
      "the last block carries a cache_control with another ttl",
    ],
    [
      "an hour after five minutes",
      { system: [cached()], messages: [user(cached("1h"))] },
      "a ttl='1h' cache_control block must not come after a ttl='5m'",
    ],
  ])("for %s", (_name, fields, words) => {
    expect(wordsOf(fields)).toContain(words);
  });

  it("for system messages on a model that does not take them", () => {
    const fields = { messages: [ask, { role: "system", content: "note" }] };
    expect(wordsOf(fields)).toBeNull();
    expect(wordsOf(fields, older)).toContain("messages.1.role: role 'system' is not supported");
  });

  it("for more images than a request may hold, those in results included", () => {
    const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "AA" } };
    const images = (count: number) => Array.from({ length: count }, () => image);
    const withImages = (count: number) =>
      wordsFor(ask, assistant(call("a")), user(result("a", images(50)), ...images(count - 50)));
    expect(withImages(MEDIA_MAX)).toBeNull();
    expect(withImages(MEDIA_MAX + 1)).toContain("at most 100 images");
  });

  it("for a body nested without end, whatever its depth", () => {
    let deep: JsonValue = [];
    for (let depth = 0; depth < 100_000; depth += 1) deep = [deep];
    expect(wordsOf({ tools: deep })).toContain("nested too deeply");
    expect(NESTING_MAX).toBeLessThan(1_000);
  });
});

describe("calls and results", () => {
  const open = "`tool_use` ids were found without `tool_result` blocks immediately after";
  const orphan = "unexpected `tool_use_id` found in `tool_result` blocks";

  it.each<[string, JsonObject[], string]>([
    ["a call at the end", [ask, assistant(call("a"))], `messages.1: ${open}: a`],
    ["a call answered by text", [ask, assistant(call("a")), ask], `messages.1: ${open}: a`],
    ["text before the result", [ask, assistant(call("a")), user(text("x"), result("a"))], `messages.1: ${open}: a`],
    ["one of two results missing", [ask, assistant(call("a"), call("b")), user(result("a"))], `${open}: b`],
    [
      "a system message in between",
      [ask, assistant(call("a")), { role: "system", content: "s" }, user(result("a"))],
      open,
    ],
    [
      "a result of a call two turns ago",
      [ask, assistant(call("a")), user(result("a")), assistant(text("x")), user(result("a"))],
      `messages.4.content.0: ${orphan}: a`,
    ],
    ["a result in the first message", [user(result("a"))], `messages.0.content.0: ${orphan}: a`],
    [
      "two results of one call",
      [ask, assistant(call("a")), user(result("a"), result("a"))],
      "Found multiple `tool_result` blocks: a",
    ],
    [
      "one id for two calls",
      [ask, assistant(call("a")), user(result("a")), assistant(call("a")), user(result("a"))],
      "messages.3.content.0: `tool_use` ids must be unique: a",
    ],
  ])("refuses %s", (_name, messages, words) => {
    expect(wordsFor(...messages)).toContain(words);
  });
});
