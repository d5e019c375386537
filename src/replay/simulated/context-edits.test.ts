import { describe, expect, it } from "vitest";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import { contextEditsOf, refuseContextEdits } from "./context-edits.ts";

const asking = (...edits: JsonValue[]): JsonObject => ({
  thinking: { type: "adaptive" },
  context_management: { edits },
});
const uses = (fields: JsonObject = {}): JsonObject => ({ type: "clear_tool_uses_20250919", ...fields });
const thinking = (fields: JsonObject = {}): JsonObject => ({ type: "clear_thinking_20251015", ...fields });
const turns = (value: JsonValue) => thinking({ keep: { type: "thinking_turns", value } });
const on = { isOn: true, thinksUnasked: false };
const wordsOf = (request: JsonObject, rules = on) => refuseContextEdits(request, rules)?.words ?? null;

describe("context editing is taken", () => {
  it.each<[string, JsonObject]>([
    ["where nothing is asked", {}],
    ["where null is asked", { context_management: null }],
    ["with no edits", asking()],
    ["by its defaults", asking(thinking(), uses())],
    ["with all thinking kept", asking(thinking({ keep: "all" }))],
    ["with some thinking kept", asking(turns(1))],
    [
      "in full",
      asking(
        uses({
          trigger: { type: "tool_uses", value: 5 },
          keep: { type: "tool_uses", value: 0 },
          clear_at_least: { type: "input_tokens", value: 5_000 },
          exclude_tools: ["Read"],
          clear_tool_inputs: true,
        }),
      ),
    ],
    ["with the inputs of some tools", asking(uses({ clear_tool_inputs: ["Read"] }))],
  ])("%s", (_name, request) => {
    expect(wordsOf(request)).toBeNull();
  });

  it("for thinking that the model does unasked", () => {
    const request = { context_management: { edits: [thinking()] } };
    expect(wordsOf(request, { isOn: true, thinksUnasked: true })).toBeNull();
  });
});

describe("context editing is refused", () => {
  const AT = "context_management.edits.0";
  it.each<[string, JsonObject, string]>([
    ["as something else than an object", { context_management: "all" }, "context_management: Input should be"],
    ["with a field of its own", { context_management: { edit: [] } }, "context_management.edit: Extra inputs"],
    ["with edits that are no list", { context_management: { edits: {} } }, "context_management.edits: Input should be"],
    ["with an edit of another type", asking({ type: "clear_all" }), `${AT}.type: Input tag found using 'type'`],
    ["with an unknown field", asking(uses({ keep_tools: [] })), `${AT}.keep_tools: Extra inputs are not permitted`],
    ["with a trigger of another type", asking(uses({ trigger: { type: "turns", value: 1 } })), `${AT}.trigger`],
    [
      "with a trigger that is no number",
      asking(uses({ trigger: { type: "input_tokens", value: "1" } })),
      `${AT}.trigger.value: Input should be a valid integer`,
    ],
    [
      "with a negative keep",
      asking(uses({ keep: { type: "tool_uses", value: -1 } })),
      `${AT}.keep.value: Input should be`,
    ],
    [
      "with a list of tools that is none",
      asking(uses({ exclude_tools: "Read" })),
      `${AT}.exclude_tools: Input should be`,
    ],
    ["with no turn of thinking kept", asking(turns(0)), `${AT}.keep.value: Input should be greater than or equal to 1`],
    [
      "with thinking behind other edits",
      asking(uses(), thinking()),
      "`clear_thinking_20251015` must be the first edit",
    ],
    [
      "with thinking where thinking is off",
      { ...asking(thinking()), thinking: { type: "disabled" } },
      "`clear_thinking_20251015` strategy requires `thinking` to be enabled or adaptive",
    ],
    [
      "with thinking where none is asked for",
      { context_management: { edits: [thinking()] } },
      "`clear_thinking_20251015` strategy requires `thinking` to be enabled or adaptive",
    ],
  ])("%s", (_name, request, words) => {
    expect(wordsOf(request)).toContain(words);
  });

  it("without its header", () => {
    expect(wordsOf(asking(uses()), { ...on, isOn: false })).toBe("context_management: Extra inputs are not permitted");
  });
});

describe("what is asked for", () => {
  it("has the documented defaults", () => {
    expect(contextEditsOf(asking(thinking(), uses()))).toEqual([
      { kind: "thinking" },
      {
        kind: "tool-uses",
        trigger: { of: "tokens", over: 100_000 },
        keepUses: 3,
        clearTokensMin: 0,
        exceptTools: [],
        inputsOf: "none",
      },
    ]);
  });

  it("is read as it stands, and not at all where it cannot be read", () => {
    const full = uses({
      trigger: { type: "tool_uses", value: 5 },
      keep: { type: "tool_uses", value: 2 },
      clear_at_least: { type: "input_tokens", value: 7 },
      exclude_tools: ["Read"],
      clear_tool_inputs: ["Bash"],
    });
    expect(contextEditsOf(asking(turns(2), full))).toEqual([
      { kind: "thinking", keepTurns: 2 },
      {
        kind: "tool-uses",
        trigger: { of: "uses", over: 5 },
        keepUses: 2,
        clearTokensMin: 7,
        exceptTools: ["Read"],
        inputsOf: ["Bash"],
      },
    ]);
    expect(contextEditsOf(asking(thinking({ keep: "all" }), uses({ clear_tool_inputs: true })))).toMatchObject([
      { keepTurns: null },
      { inputsOf: "all" },
    ]);
    expect(contextEditsOf(asking({ type: "clear_all" }))).toEqual([]);
    expect(contextEditsOf({})).toEqual([]);
  });
});
