import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../model/json.ts";
import { CACHE_EDIT_SHAPE } from "./cache-edits.ts";
import { MEDIA_MAX, validate } from "./validate.ts";

const FIVE = { type: "ephemeral" };
const text = (words: string): JsonObject => ({ type: "text", text: words });
const marked = (block: JsonObject): JsonObject => ({ ...block, cache_control: FIVE });
const user = (...content: JsonObject[]): JsonObject => ({ role: "user", content });
const call = (...ids: string[]): JsonObject => ({
  role: "assistant",
  content: ids.map((id) => ({ type: "tool_use", id, name: "Read", input: {} })),
});
const result = (id: string): JsonObject => ({ type: "tool_result", tool_use_id: id, content: "text" });
const named = (id: string, reference: unknown = id): JsonObject => ({
  ...result(id),
  cache_reference: JSON.parse(JSON.stringify(reference)),
});
const edits = (...references: string[]): JsonObject => ({
  type: "cache_edits",
  edits: references.map((cache_reference) => ({ type: "delete", cache_reference })),
});
const ask = user(text("go"));
const end = marked(text("end"));

function wordsOf(messages: readonly JsonObject[], isOn = true, fields: JsonObject = {}): string | null {
  const body = { model: "m", max_tokens: 10, messages: [...messages], ...fields };
  const outcome = validate(body, "generate", {
    mediaMax: MEDIA_MAX,
    cacheEdits: { shape: CACHE_EDIT_SHAPE, isOn },
    traitsOf: () => ({ allowsSystemMessages: true, keepsThinking: true }),
  });
  return outcome.ok ? null : outcome.refusal.words;
}

const head = [ask, call("a"), user(named("a")), call("b")];

describe("deletions from the cached prefix are taken", () => {
  it.each<[string, JsonObject[], JsonObject]>([
    ["in the last user message", [...head, user(result("b"), edits("a"), end)], {}],
    ["as its last block, with the breakpoint on its result", [...head, user(marked(result("b")), edits("a"))], {}],
    ["with the automatic breakpoint", [...head, user(result("b"), edits("a"))], { cache_control: FIVE }],
    [
      "in several messages, several at a time",
      [
        ...head,
        user(named("b"), edits("a")),
        call("c", "d"),
        user(named("c"), named("d")),
        call("e"),
        user(result("e"), edits("b", "c"), edits("d"), end),
      ],
      {},
    ],
    ["not at all, with results named", [...head, user(result("b"), end)], {}],
  ])("%s", (_name, messages, fields) => {
    expect(wordsOf(messages, true, fields)).toBeNull();
  });
});

describe("deletions from the cached prefix are refused", () => {
  const last = "messages.4.content.1.cache_edits";
  it.each<[string, JsonObject[], string]>([
    [
      "of a result in the message of the last breakpoint",
      [...head, user(named("b"), edits("b"), end)],
      "messages.4.content.0.tool_result.cache_reference: b is not inside the cached prefix",
    ],
    [
      "of a result behind the last breakpoint",
      [
        ask,
        call("a"),
        user(marked(result("a"))),
        call("b"),
        user(named("b")),
        call("c"),
        user(result("c"), edits("b")),
      ],
      "messages.4.content.0.tool_result.cache_reference: b is not inside the cached prefix",
    ],
    [
      "without any breakpoint among the messages",
      [...head, user(result("b"), edits("a"))],
      "messages.2.content.0.tool_result.cache_reference: a is not inside the cached prefix",
    ],
    [
      "of nothing that is known",
      [...head, user(result("b"), edits("x"), end)],
      `${last}.edits.0: no \`tool_result\` carries`,
    ],
    [
      "of a result that carries no reference",
      [ask, call("a"), user(result("a")), call("b"), user(result("b"), edits("a"), end)],
      `${last}.edits.0: no \`tool_result\` carries cache_reference a`,
    ],
    [
      "twice in one block",
      [...head, user(result("b"), edits("a", "a"), end)],
      `${last}.edits.1: duplicate cache_reference`,
    ],
    [
      "twice in two blocks",
      [...head, user(named("b"), edits("a")), call("c"), user(result("c"), edits("a"), end)],
      "messages.6.content.1.cache_edits.edits.0: duplicate cache_reference",
    ],
    [
      "of a result that comes later",
      [...head, user(named("b"), edits("c")), call("c"), user(named("c")), call("d"), user(result("d"), end)],
      `${last}.edits.0: the \`tool_result\` of c does not stand in an earlier message`,
    ],
    [
      "before a result of the same message",
      [ask, call("a"), user(named("a")), call("b", "c"), user(result("b"), edits("a"), result("c"), end)],
      "messages.4.content.1: `cache_edits` blocks must come after all `tool_result` blocks",
    ],
    [
      "by the assistant",
      [ask, { role: "assistant", content: [edits("a")] }],
      "messages.1.content.0: `cache_edits` blocks can only be in",
    ],
    [
      "without edits",
      [...head, user(result("b"), { type: "cache_edits", edits: [] }, end)],
      `${last}.edits: Input should be a list`,
    ],
    [
      "by an edit of another type",
      [...head, user(result("b"), { type: "cache_edits", edits: [{ type: "keep", cache_reference: "a" }] }, end)],
      `${last}.edits.0.type: Input should be 'delete'`,
    ],
    [
      "by an edit that names nothing",
      [...head, user(result("b"), { type: "cache_edits", edits: [{ type: "delete" }] }, end)],
      `${last}.edits.0.cache_reference: Field required`,
    ],
    [
      "by an edit that says more",
      [
        ...head,
        user(result("b"), { type: "cache_edits", edits: [{ type: "delete", cache_reference: "a", x: 1 }] }, end),
      ],
      `${last}.edits.0.x: Extra inputs are not permitted`,
    ],
    [
      "with a breakpoint on the block",
      [...head, user(result("b"), marked(edits("a")))],
      `${last}.cache_control: Extra inputs are not permitted`,
    ],
    [
      "where two results share a reference",
      [ask, call("a", "b"), user(named("a", "r"), named("b", "r")), call("c"), user(result("c"), end)],
      "messages.2.content.1.tool_result.cache_reference: r names another result already",
    ],
    [
      "where a reference is no text",
      [ask, call("a"), user(named("a", 5)), call("c"), user(result("c"), end)],
      "messages.2.content.0.tool_result.cache_reference: Input should be a string",
    ],
  ])("%s", (_name, messages, words) => {
    expect(wordsOf(messages)).toContain(words);
  });
});

it("an automatic breakpoint is never on the block itself", () => {
  const messages = [...head, user(named("b")), user(edits("b"))];
  expect(wordsOf(messages, true, { cache_control: FIVE })).toContain("b is not inside the cached prefix");
});

describe("where deletions are not on", () => {
  it("their block is unknown, and a result may carry no reference", () => {
    expect(wordsOf([ask, call("a"), user(result("a"), edits("a"), end)], false)).toBe(
      "messages.2.content.1: Input tag 'cache_edits' found using 'type' does not match any of the expected tags",
    );
    expect(wordsOf([...head, user(result("b"), end)], false)).toBe(
      "messages.2.content.0.tool_result.cache_reference: Extra inputs are not permitted",
    );
  });
});
