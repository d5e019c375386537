import { describe, expect, it } from "vitest";
import type { JsonObject, JsonValue } from "../../../model/json.ts";
import { openaiErrorBody } from "../openai/errors.ts";
import { refuseChat, toChatBody } from "./validate.ts";

const user = { role: "user", content: "go" };
const call = (id: string, more: JsonObject = {}) => ({
  id,
  type: "function",
  function: { name: "read", arguments: "{}" },
  ...more,
});
const calling = (...calls: readonly JsonValue[]) => ({ role: "assistant", content: null, tool_calls: calls });
const answer = (id: string) => ({ role: "tool", tool_call_id: id, content: "x" });
const tool = (name: string) => ({ type: "function", function: { name } });

const refusalOf = (fields: JsonObject) => refuseChat({ model: "gpt-4.1", messages: [user], ...fields });
const errorOf = (fields: JsonObject) => {
  const refusal = refusalOf(fields);
  return refusal === null ? null : openaiErrorBody(refusal).error;
};

describe("a request is refused", () => {
  it.each<[string, JsonObject, string, string | null, string | null]>([
    ["without a model", { model: "" }, "you must provide a model parameter", null, null],
    ["without messages", { messages: [] }, "Invalid 'messages': empty array", "messages", "empty_array"],
    [
      "with messages that are none",
      { messages: "x" },
      "expected an array of objects, but got a string",
      "messages",
      "invalid_type",
    ],
    [
      "with a message that is none",
      { messages: [1] },
      "expected an object, but got an integer",
      "messages[0]",
      "invalid_type",
    ],
    [
      "without a role",
      { messages: [{ content: "x" }] },
      "Missing required parameter",
      "messages[0].role",
      "missing_required_parameter",
    ],
    [
      "with an unknown role",
      { messages: [{ role: "model", content: "x" }] },
      "'tool', and 'developer'",
      "messages[0].role",
      "invalid_value",
    ],
    [
      "without content",
      { messages: [{ role: "user", content: null }] },
      "expected a string, got null",
      "messages.[0].content",
      null,
    ],
    [
      "with an answer of nothing",
      { messages: [user, { role: "assistant", content: null }] },
      "expected a string, got null",
      "messages.[1].content",
      null,
    ],
    [
      "with a part of another API",
      { messages: [{ role: "user", content: [{ type: "input_text", text: "x" }] }] },
      "Invalid value: 'input_text'",
      "messages[0].content[0].type",
      "invalid_value",
    ],
    [
      "with a text part without text",
      { messages: [{ role: "user", content: [{ type: "text" }] }] },
      "Missing required",
      "messages[0].content[0].text",
      "missing_required_parameter",
    ],
    [
      "with empty content parts",
      { messages: [{ role: "user", content: [] }] },
      "empty array",
      "messages[0].content",
      "empty_array",
    ],
    [
      "with an image without a place",
      { messages: [{ role: "user", content: [{ type: "image_url", image_url: {} }] }] },
      "Missing required",
      "messages[0].content[0].image_url.url",
      "missing_required_parameter",
    ],
    [
      "with an image in an answer to a call",
      {
        messages: [
          user,
          calling(call("c")),
          { ...answer("c"), content: [{ type: "image_url", image_url: { url: "data:" } }] },
        ],
      },
      "Image URLs are only allowed for messages with role 'user'",
      "messages[2]",
      "invalid_value",
    ],
    [
      "with an empty list of calls",
      { messages: [user, calling()] },
      "empty array",
      "messages[1].tool_calls",
      "empty_array",
    ],
    [
      "with a call without id",
      { messages: [user, calling({ type: "function" })] },
      "Missing required",
      "messages[1].tool_calls[0].id",
      "missing_required_parameter",
    ],
    [
      "with a call's id that is too long",
      { messages: [user, calling(call("c".repeat(41)))] },
      "maximum length 40, but got a string with length 41",
      "messages[1].tool_calls[0].id",
      "string_above_max_length",
    ],
    [
      "with a call of an unknown type",
      { messages: [user, calling(call("c", { type: "tool" }))] },
      "'function' and 'custom'",
      "messages[1].tool_calls[0].type",
      "invalid_value",
    ],
    [
      "with arguments that are no text",
      { messages: [user, calling(call("c", { function: { name: "read", arguments: {} } }))] },
      "expected a string, but got an object",
      "messages[1].tool_calls[0].function.arguments",
      "invalid_type",
    ],
    [
      "with arguments that are missing",
      { messages: [user, calling(call("c", { function: { name: "read" } }))] },
      "Missing required",
      "messages[1].tool_calls[0].function.arguments",
      "missing_required_parameter",
    ],
    [
      "with an old call whose arguments are no text",
      { messages: [user, { role: "assistant", content: null, function_call: { name: "read", arguments: {} } }] },
      "expected a string",
      "messages[1].function_call.arguments",
      "invalid_type",
    ],
    [
      "with an old answer without a name",
      { messages: [user, { role: "function", content: "x" }] },
      "Missing required",
      "messages[1].name",
      "missing_required_parameter",
    ],
    [
      "with an answer without a call's id",
      { messages: [user, calling(call("c")), { role: "tool", content: "x" }] },
      "must have a 'tool_call_id'",
      "messages.[2].tool_call_id",
      null,
    ],
    [
      "with a choice among no tools",
      { tool_choice: "auto" },
      "only allowed when 'tools' are specified",
      "tool_choice",
      null,
    ],
    ["with an empty list of tools", { tools: [] }, "empty array", "tools", "empty_array"],
    [
      "with too many tools",
      { tools: Array.from({ length: 129 }, () => tool("a")) },
      "maximum length 128",
      "tools",
      "array_above_max_length",
    ],
    [
      "with a tool of another API",
      { tools: [{ type: "function", name: "read" }] },
      "Missing required",
      "tools[0].function",
      "missing_required_parameter",
    ],
    [
      "with a tool's name that is none",
      { tools: [tool("a b")] },
      "does not match pattern",
      "tools[0].function.name",
      "invalid_value",
    ],
    [
      "with options of a stream without one",
      { stream_options: { include_usage: true } },
      "only allowed when 'stream' is enabled",
      "stream_options",
      null,
    ],
  ])("%s", (_name, fields, words, param, code) => {
    expect(errorOf(fields)).toEqual({
      message: expect.stringContaining(words),
      type: "invalid_request_error",
      param,
      code,
    });
  });

  it("when it is no object, or nested too deeply", () => {
    expect(toChatBody([])).toMatchObject({ ok: false, refusal: { status: 400 } });
    expect(toChatBody(JSON.parse(`${"[".repeat(600)}${"]".repeat(600)}`))).toMatchObject({ ok: false });
  });
});

describe("each call is answered directly behind the message that made it", () => {
  it.each<[string, readonly JsonValue[]]>([
    ["one", [user, calling(call("a")), answer("a")]],
    ["several in any order", [user, calling(call("a"), call("b")), answer("b"), answer("a"), user]],
    ["again under the same id later", [user, calling(call("a")), answer("a"), calling(call("a")), answer("a")]],
    [
      "by a function of the old kind",
      [
        user,
        { role: "assistant", content: null, function_call: { name: "f", arguments: "" } },
        { role: "function", name: "f", content: null },
      ],
    ],
  ])("and taken: %s", (_name, messages) => {
    expect(refusalOf({ messages })).toBeNull();
  });

  it.each<[string, readonly JsonValue[], string, string]>([
    [
      "an answer is missing at the end",
      [user, calling(call("a"), call("b")), answer("a")],
      "did not have response messages: b",
      "messages.[3].role",
    ],
    [
      "someone speaks in between",
      [user, calling(call("a")), user, answer("a")],
      "did not have response messages: a",
      "messages.[2].role",
    ],
    [
      "an answer has no call",
      [user, answer("a")],
      "must be a response to a preceeding message with 'tool_calls'",
      "messages.[1].role",
    ],
    [
      "an answer comes twice at the end",
      [user, calling(call("a")), answer("a"), answer("a")],
      "must be a response to a preceeding message",
      "messages.[3].role",
    ],
    [
      "an answer comes twice before another",
      [user, calling(call("a"), call("b")), answer("a"), answer("a")],
      "Duplicate value for 'tool_call_id'",
      "messages.[3].tool_call_id",
    ],
    [
      "an answer is another call's",
      [user, calling(call("a")), answer("b")],
      "'tool_call_id' of 'b' not found in 'tool_calls' of previous message",
      "messages.[2].tool_call_id",
    ],
  ])("or it is refused: %s", (_name, messages, words, param) => {
    expect(errorOf({ messages })).toMatchObject({ message: expect.stringContaining(words), param });
  });
});
