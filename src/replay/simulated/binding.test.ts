import { describe, expect, it } from "vitest";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import { mismatchAnswerOf, refuseBinding } from "./binding.ts";

const asking = (behaviour: JsonValue, type = "adaptive"): JsonObject => ({
  thinking: { type, block_binding: { prefix_mismatch_behavior: behaviour } },
});
const older = { signatures: true, enforces: false };
const newer = { signatures: true, enforces: true };

describe("what happens to thinking that no longer fits", () => {
  it.each<[string, JsonObject, { signatures: boolean; enforces: boolean }, string]>([
    ["an error on an account that enforces", {}, newer, "error"],
    ["let through on one that does not", {}, older, "allow"],
    ["an error wherever one is asked for", asking("error"), older, "error"],
    ["dropped where that is asked for, on a newer account", asking("drop_block"), newer, "drop"],
    ["dropped where that is asked for, on an older account", asking("drop_block"), older, "drop"],
    ["an account's own answer where null is asked for", asking(null), older, "allow"],
    ["nothing where signatures are off", asking("error"), { signatures: false, enforces: true }, "unchecked"],
  ])("%s", (_name, request, account, answer) => {
    expect(mismatchAnswerOf(request, account)).toBe(answer);
  });
});

describe("the choice", () => {
  it.each<[string, JsonObject]>([
    ["adaptive thinking", asking("drop_block")],
    ["enabled thinking", asking("error", "enabled")],
    ["no choice", { thinking: { type: "adaptive", block_binding: {} } }],
    ["no thinking", {}],
  ])("is taken with %s", (_name, request) => {
    expect(refuseBinding(request, true)).toBeNull();
  });

  it.each<[string, JsonObject, boolean, string]>([
    ["without its header", asking("error"), false, "thinking.adaptive.block_binding: Extra inputs are not permitted"],
    ["with thinking off", asking("error", "disabled"), true, "thinking.disabled.block_binding: Extra inputs"],
    ["of another word", asking("drop"), true, "prefix_mismatch_behavior: Input should be 'error' or 'drop_block'"],
    ["that is no object", { thinking: { type: "adaptive", block_binding: "error" } }, true, "a valid dictionary"],
    [
      "with another field",
      { thinking: { type: "adaptive", block_binding: { other: 1 } } },
      true,
      "thinking.adaptive.block_binding.other: Extra inputs are not permitted",
    ],
  ])("is refused %s", (_name, request, isOn, words) => {
    expect(refuseBinding(request, isOn)?.words).toContain(words);
  });
});
