import { describe, expect, it } from "vitest";
import type { JsonObject, JsonValue } from "../../../model/json.ts";
import { emptyState } from "../api.ts";
import { openaiErrorBody } from "../openai/errors.ts";
import type { Refusal } from "../refusal.ts";
import { historyOf } from "./history.ts";
import { refuseItemPairing } from "./pairing.ts";
import { sealContent } from "./seal.ts";
import { refuseResponses, toResponsesBody } from "./validate.ts";

const HEX = "0123456789abcdef01234567";
const user = { role: "user", content: "go" };
const call = (id: string, more: JsonObject = {}) => ({
  type: "function_call",
  call_id: id,
  name: "read",
  arguments: "{}",
  ...more,
});
const output = (id: string, more: JsonObject = {}) => ({
  type: "function_call_output",
  call_id: id,
  output: "x",
  ...more,
});
const reasoning = (more: JsonObject = {}) => ({
  id: `rs_${HEX}`,
  type: "reasoning",
  summary: [],
  encrypted_content: sealContent(`rs_${HEX}`, "Hm."),
  ...more,
});
const message = (more: JsonObject = {}) => ({
  type: "message",
  role: "assistant",
  content: [{ type: "output_text", text: "x" }],
  ...more,
});

function refusalOf(fields: JsonObject, checksContent = true): Refusal | null {
  const body = { model: "gpt-5.4", input: [user], ...fields };
  const refusal = refuseResponses(body);
  if (refusal !== null) return refusal;
  const history = historyOf(body, emptyState);
  return history.ok ? refuseItemPairing(history.items, checksContent) : history.refusal;
}
const errorOf = (fields: JsonObject) => {
  const refusal = refusalOf(fields);
  return refusal === null ? null : openaiErrorBody(refusal).error;
};
const input = (...items: readonly JsonValue[]) => ({ input: items });

describe("a request is refused", () => {
  it.each<[string, JsonObject, string, string, string | null]>([
    ["without a model", { model: 1 }, "Missing required", "model", "missing_required_parameter"],
    [
      "with instructions that are none",
      { instructions: [] },
      "expected a string, but got an array",
      "instructions",
      "invalid_type",
    ],
    ["with input that is none", { input: 1 }, "one of a string or array of objects", "input", "invalid_type"],
    ["with an item of no type", input({ id: "x" }), "Missing required", "input[0].type", "missing_required_parameter"],
    [
      "with an item of another API",
      input({ type: "tool_use" }),
      "Invalid value: 'tool_use'",
      "input[0]",
      "invalid_value",
    ],
    [
      "with an unknown role",
      input({ role: "tool", content: "x" }),
      "'developer', and 'user'",
      "input[0].role",
      "invalid_value",
    ],
    [
      "with a message of nothing",
      input({ role: "user" }),
      "Missing required",
      "input[0].content",
      "missing_required_parameter",
    ],
    [
      "with what the user cannot say",
      input({ role: "user", content: [{ type: "output_text", text: "x" }] }),
      "Invalid value: 'output_text'",
      "input[0].content[0]",
      "invalid_value",
    ],
    [
      "with what the model cannot say",
      input({ role: "assistant", content: [{ type: "input_text", text: "x" }] }),
      "'output_text' and 'refusal'",
      "input[0].content[0]",
      "invalid_value",
    ],
    [
      "with a text part without text",
      input({ role: "user", content: [{ type: "input_text" }] }),
      "Missing required",
      "input[0].content[0].text",
      "missing_required_parameter",
    ],
    [
      "with an id of another kind",
      input(user, call("c", { id: "call_1" }), output("c")),
      "Expected an ID that begins with 'fc'",
      "input[1].id",
      "invalid_value",
    ],
    [
      "with a call's id that is too long",
      input(user, call("c".repeat(65))),
      "maximum length 64",
      "input[1].call_id",
      "string_above_max_length",
    ],
    [
      "with an item's id that is too long",
      input(user, call("c", { id: `fc_${"1".repeat(64)}` })),
      "maximum length 64",
      "input[1].id",
      "string_above_max_length",
    ],
    [
      "with arguments that are no text",
      input(user, call("c", { arguments: {} })),
      "expected a string, but got an object",
      "input[1].arguments",
      "invalid_type",
    ],
    [
      "with a call without a name",
      input(user, { type: "function_call", call_id: "c", arguments: "" }),
      "Missing required",
      "input[1].name",
      "missing_required_parameter",
    ],
    [
      "with an output without a call's id",
      input(user, { type: "function_call_output", output: "" }),
      "Missing required",
      "input[1].call_id",
      "missing_required_parameter",
    ],
    [
      "with an output of nothing",
      input(user, call("c"), { type: "function_call_output", call_id: "c" }),
      "Missing required",
      "input[2].output",
      "missing_required_parameter",
    ],
    [
      "with an output of another form",
      input(user, call("c"), output("c", { output: { text: "x" } })),
      "one of a string or array of objects",
      "input[2].output",
      "invalid_type",
    ],
    [
      "with an output's part of another form",
      input(user, call("c"), output("c", { output: [{ type: "text", text: "x" }] })),
      "Invalid value: 'text'",
      "input[2].output[0]",
      "invalid_value",
    ],
    [
      "with reasoning without a summary",
      input(user, { type: "reasoning", id: "rs_1" }),
      "Missing required",
      "input[1].summary",
      "missing_required_parameter",
    ],
    [
      "with one id twice",
      input(user, call("a", { id: "fc_1" }), call("b", { id: "fc_1" })),
      "Duplicate item found with id fc_1",
      "input",
      null,
    ],
    [
      "with a tool of no type",
      { tools: [{ name: "read" }] },
      "Missing required",
      "tools[0].type",
      "missing_required_parameter",
    ],
    [
      "with a tool of an unknown type",
      { tools: [{ type: "tool" }] },
      "Invalid value: 'tool'",
      "tools[0].type",
      "invalid_value",
    ],
    [
      "with a tool without a name",
      { tools: [{ type: "function", function: { name: "read" } }] },
      "Missing required",
      "tools[0].name",
      "missing_required_parameter",
    ],
    ["with tools that are none", { tools: {} }, "expected an array of objects", "tools", "invalid_type"],
  ])("%s", (_name, fields, words, param, code) => {
    expect(errorOf(fields)).toEqual({
      message: expect.stringContaining(words),
      type: "invalid_request_error",
      param,
      code,
    });
  });

  it("without input, or when it is no object", () => {
    expect(refusalOf({ input: [] })).toBeNull();
    const { input: _input, ...without } = { model: "gpt-5.4", input: [] };
    expect(historyOf(without, emptyState)).toMatchObject({ ok: false, refusal: { param: "input" } });
    expect(toResponsesBody(null)).toMatchObject({ ok: false });
    expect(toResponsesBody(JSON.parse(`${"[".repeat(600)}${"]".repeat(600)}`))).toMatchObject({ ok: false });
  });
});

describe("each call has its output behind it", () => {
  const shell = { type: "local_shell_call", call_id: "c", action: {} };
  const custom = { type: "custom_tool_call", call_id: "c", name: "patch", input: "" };

  it.each<[string, readonly JsonValue[]]>([
    ["one", [user, call("a"), output("a")]],
    [
      "several in any order, with other items between",
      [user, call("a"), call("b"), message(), output("b"), user, output("a")],
    ],
    [
      "of a custom tool",
      [user, custom, { type: "custom_tool_call_output", call_id: "c", output: [{ type: "input_text", text: "x" }] }],
    ],
    ["of the shell, by either id", [user, shell, { type: "local_shell_call_output", id: "c", output: "x" }]],
  ])("and is taken: %s", (_name, items) => {
    expect(refusalOf(input(...items))).toBeNull();
  });

  it.each<[string, readonly JsonValue[], string]>([
    ["without an output", [user, call("a"), call("b"), output("a")], "No tool output found for function call b."],
    ["of a custom tool without one", [user, custom, user], "No tool output found for custom tool call c."],
    ["of the shell without one", [user, shell], "No tool output found for local shell call c."],
    [
      "with an output of another kind",
      [user, custom, output("c")],
      "No tool call found for function call output with call_id c.",
    ],
    [
      "that comes after its output",
      [user, output("a"), call("a")],
      "No tool call found for function call output with call_id a.",
    ],
    [
      "with two outputs",
      [user, call("a"), output("a"), output("a")],
      "No tool call found for function call output with call_id a.",
    ],
  ])("or is refused: %s", (_name, items, message) => {
    expect(errorOf(input(...items))).toEqual({ message, type: "invalid_request_error", param: "input", code: null });
  });
});

describe("reasoning", () => {
  const made = { id: `msg_${HEX}r` };

  it.each<[string, readonly JsonValue[]]>([
    ["before the item it led to", [user, reasoning(), message(made)]],
    ["before an item without an id", [user, reasoning(), message()]],
    [
      "before more reasoning",
      [user, reasoning({ id: "rs_1", encrypted_content: sealContent("rs_1", "") }), reasoning(), message(made)],
    ],
    [
      "without an id of its own",
      [user, { type: "reasoning", summary: [], encrypted_content: sealContent("rs_1", "") }, message()],
    ],
    ["left out with the item's id", [user, message()]],
  ])("is taken %s", (_name, items) => {
    expect(refusalOf(input(...items))).toBeNull();
  });

  it.each<[string, readonly JsonValue[], string]>([
    [
      "at the end",
      [user, reasoning()],
      `Item 'rs_${HEX}' of type 'reasoning' was provided without its required following item.`,
    ],
    ["before the user", [user, reasoning(), user], "without its required following item."],
    ["before another item", [user, reasoning(), message({ id: "msg_1" })], "without its required following item."],
    [
      "missing before the item it led to",
      [user, message(made)],
      `Item 'msg_${HEX}r' of type 'message' was provided without its required 'reasoning' item: 'rs_${HEX}'.`,
    ],
  ])("is refused %s", (_name, items, words) => {
    expect(errorOf(input(...items))).toMatchObject({ message: expect.stringContaining(words), param: "input" });
  });

  it.each<[string, JsonObject]>([
    ["that was changed", { encrypted_content: sealContent(`rs_${HEX}`, "Hm.").replace(/.{6}$/, "AAAA==") }],
    ["that was made elsewhere", { encrypted_content: Buffer.from("mock").toString("base64") }],
    ["of another item", { encrypted_content: sealContent("rs_1", "Hm.") }],
    ["with something behind it", { encrypted_content: `${sealContent(`rs_${HEX}`, "Hm.")}\n` }],
  ])("is refused with content %s, unless nothing is checked", (_name, more) => {
    const items = input(user, reasoning(more), message(made));
    expect(errorOf(items)).toMatchObject({ code: "invalid_encrypted_content", param: null });
    expect(refusalOf(items, false)).toBeNull();
  });
});
