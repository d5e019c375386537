import { describe, expect, it } from "vitest";
import type { ThinkingBinding } from "../../model/cache.ts";
import type { JsonObject } from "../../model/json.ts";
import type { MismatchAnswer } from "./binding.ts";
import { signThinking } from "./signature.ts";
import { type ThinkingRules, verifyThinking } from "./thinking.ts";

type Change = (request: JsonObject) => JsonObject;

const rules = (onMismatch: MismatchAnswer, binding: ThinkingBinding = "prefix"): ThinkingRules => ({
  binding,
  onMismatch,
  hasControls: true,
  cacheEdits: null,
});

const text = (words: string): JsonObject => ({ type: "text", text: words });
const message = (role: string, ...content: JsonObject[]): JsonObject => ({ role, content });
const result = (id: string, words: string): JsonObject => ({ type: "tool_result", tool_use_id: id, content: words });

/** What a client sends after three thinking answers, each signed over what stood before it. */
function recorded(binding: ThinkingBinding): JsonObject {
  let request: JsonObject = {
    model: "claude-opus-5-5",
    tools: [{ name: "Read", description: "reads", input_schema: { type: "object" } }],
    system: [text("You code.")],
    messages: [message("user", text("fix it"))],
  };
  for (const step of [1, 2, 3]) {
    request = append(
      request,
      message("assistant", thinkingAfter(request, binding, `thought ${step}`), {
        type: "tool_use",
        id: `t${step}`,
        name: "Read",
        input: { path: `/f${step}`, limit: step },
      }),
    );
    request = append(request, message("user", result(`t${step}`, `content ${step}`)));
  }
  return request;
}

function thinkingAfter(request: JsonObject, binding: ThinkingBinding, thinking: string): JsonObject {
  const verified = verifyThinking(request, rules("error", binding));
  if (!verified.ok) throw new Error(verified.refusal.words);
  return { type: "thinking", thinking, signature: signThinking(verified.next, thinking) };
}

const BOUND =
  'Invalid `signature` in `thinking` block. The block is bound to a different conversation. Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block".';
const listOf = (request: JsonObject): JsonObject[] => JSON.parse(JSON.stringify(request.messages));
const append = (request: JsonObject, added: JsonObject): JsonObject => ({
  ...request,
  messages: [...listOf(request), added],
});
/** Replaces one block; null removes it. */
function put(at: number, index: number, block: JsonObject | null): Change {
  return (request) => {
    const messages = listOf(request).map((one, position) => {
      if (position !== at || !Array.isArray(one.content)) return one;
      const content = one.content.flatMap((old, place) => (place !== index ? [old] : block === null ? [] : [block]));
      return { ...one, content };
    });
    return { ...request, messages };
  };
}
const both =
  (...changes: Change[]): Change =>
  (request) =>
    changes.reduce((changed, change) => change(changed), request);
const verdict = (request: JsonObject, binding: ThinkingBinding = "prefix") => {
  const verified = verifyThinking(request, rules("error", binding));
  return verified.ok ? "ok" : verified.refusal.words;
};

describe("bound thinking stays valid", () => {
  it.each<[string, Change]>([
    ["unchanged", (request) => request],
    ["after an append", (request) => append(request, message("assistant", text("done")))],
    ["when cache_control moves", put(2, 0, { ...result("t1", "content 1"), cache_control: { type: "ephemeral" } })],
    [
      "when a text becomes a string",
      (request) => ({
        ...request,
        system: "You code.",
        messages: [{ role: "user", content: "fix it" }, ...listOf(request).slice(1)],
      }),
    ],
    [
      "when a result's string becomes a block",
      put(2, 0, {
        ...result("t1", ""),
        content: [text("content 1")],
      }),
    ],
    [
      "when keys change their order",
      put(1, 1, {
        name: "Read",
        input: { limit: 1, path: "/f1" },
        id: "t1",
        type: "tool_use",
      }),
    ],
    [
      "under other parameters",
      (request) => ({
        ...request,
        max_tokens: 5,
        tool_choice: { type: "none" },
        metadata: { user_id: "u" },
        output_config: { effort: "low" },
      }),
    ],
    ["when thinking leaves from the start", put(1, 0, null)],
    ["when thinking leaves from the end", put(5, 0, null)],
    ["when all thinking leaves", both(put(1, 0, null), put(3, 0, null), put(5, 0, null))],
    [
      "when a deferred tool comes",
      (request) => ({
        ...request,
        tools: [
          { name: "Read", description: "reads", input_schema: { type: "object" } },
          { name: "L", defer_loading: true },
        ],
      }),
    ],
  ])("%s", (_name, change) => {
    expect(verdict(change(recorded("prefix")))).toBe("ok");
  });
});

describe("bound thinking is refused", () => {
  it.each<[string, Change, string]>([
    ["an earlier result is shortened", put(2, 0, result("t1", "[released]")), "messages.3.content.0"],
    ["an earlier result is one character longer", put(2, 0, result("t1", "content 1 ")), "messages.3.content.0"],
    [
      "call arguments change",
      put(1, 1, { type: "tool_use", id: "t1", name: "Read", input: {} }),
      "messages.3.content.0",
    ],
    ["the system prompt changes", (request) => ({ ...request, system: "You write." }), "messages.1.content.0"],
    ["the tools change", (request) => ({ ...request, tools: [] }), "messages.1.content.0"],
    [
      "a text joins an earlier user message",
      (request) => put(0, 0, text("fix it now"))(request),
      "messages.1.content.0",
    ],
    [
      "an earlier message leaves",
      (request) => ({ ...request, messages: listOf(request).slice(2) }),
      "messages.1.content.0",
    ],
    ["thinking leaves from the middle", put(3, 0, null), "messages.5.content.0"],
  ])("when %s", (_name, change, place) => {
    expect(verdict(change(recorded("prefix")))).toBe(`${place}: ${BOUND}`);
  });

  it.each<[string, JsonObject]>([
    ["the thinking itself changes", { thinking: "other" }],
    ["a signature is not ours", { signature: "b3RoZXI=" }],
    ["one character of a signature changes", { signature: flipped(blockOf(recorded("prefix"), 1, 0)) }],
  ])("when %s, whatever the request asks for", (_name, fields) => {
    const request = recorded("prefix");
    const changed = put(1, 0, { ...blockOf(request, 1, 0), ...fields })(request);
    for (const answer of ["error", "drop", "allow"] as const) {
      const verified = verifyThinking(changed, rules(answer));
      expect(verified.ok || verified.refusal.words).toBe(
        "messages.1.content.0: Invalid `signature` in `thinking` block",
      );
    }
  });

  it("with a word about the header where the request did not send it", () => {
    const request = put(2, 0, result("t1", "[released]"))(recorded("prefix"));
    const verified = verifyThinking(request, { ...rules("error"), hasControls: false });
    expect(verified.ok || verified.refusal.words).toBe(
      `messages.3.content.0: ${BOUND} That setting requires the \`thinking-binding-controls-2026-08-01\` value in the \`anthropic-beta\` header.`,
    );
  });

  it("when removed thinking is put back", () => {
    const whole = recorded("prefix");
    const without = put(1, 0, null)(both(put(3, 0, null), put(5, 0, null))(whole));
    const next = append(without, message("assistant", thinkingAfter(without, "prefix", "thought 4"), text("done")));
    expect(verdict(next)).toBe("ok");
    const putBack = put(5, 0, blockOf(whole, 5, 0))(withRoomAt(next, 5));
    expect(verdict(putBack)).toBe(`messages.7.content.0: ${BOUND}`);
  });

  it("when thinking that left from the start is put back", () => {
    const whole = recorded("prefix");
    const without = put(1, 0, null)(whole);
    const next = append(without, message("assistant", thinkingAfter(without, "prefix", "thought 4"), text("done")));
    expect(verdict(next)).toBe("ok");
    const putBack = { ...next, messages: [...listOf(whole), ...listOf(next).slice(-1)] };
    expect(verdict(putBack)).toBe(`messages.7.content.0: ${BOUND}`);
  });

  it("when thinking that left from the end is put back", () => {
    const whole = recorded("prefix");
    const without = put(5, 0, null)(whole);
    const next = append(without, message("assistant", thinkingAfter(without, "prefix", "thought 4"), text("done")));
    expect(verdict(next)).toBe("ok");
    const putBack = { ...next, messages: [...listOf(whole), ...listOf(next).slice(-1)] };
    expect(verdict(putBack)).toBe(`messages.7.content.0: ${BOUND}`);
  });

  it("when an edit that was first sent edited is undone", () => {
    const edited = put(6, 0, result("t3", "[released]"))(recorded("prefix"));
    const next = append(edited, message("assistant", thinkingAfter(edited, "prefix", "thought 4"), text("done")));
    expect(verdict(next)).toBe("ok");
    expect(verdict(put(6, 0, result("t3", "content 3"))(next))).toMatch(/^messages\.7\.content\.0/);
  });
});

describe("thinking that no longer fits", () => {
  const changed = put(2, 0, result("t1", "[released]"))(recorded("prefix"));

  it("is dropped with all thinking behind it where the request asks for that", () => {
    const verified = verifyThinking(changed, rules("drop"));
    expect(verified.ok && [...verified.dropped]).toEqual(["3.0", "5.0"]);
    expect(verified.ok && verified.transformations).toEqual([
      { type: "thinking_dropped", path: "messages.3.content.0", reason: "prefix_binding_mismatch" },
      { type: "thinking_dropped", path: "messages.5.content.0", reason: "prefix_binding_mismatch" },
    ]);
  });

  it("is dropped again on the next request, and so is what was made in between", () => {
    const verified = verifyThinking(changed, rules("drop"));
    if (!verified.ok) throw new Error(verified.refusal.words);
    const made = { type: "thinking", thinking: "new", signature: signThinking(verified.next, "new") };
    const next = append(changed, message("assistant", made, text("done")));
    const again = verifyThinking(next, rules("drop"));
    expect(again.ok && [...again.dropped]).toEqual(["3.0", "5.0", "7.0"]);
    const left = both(put(3, 0, null), put(5, 0, null))(next);
    expect(verdict(left)).toBe("ok");
  });

  it("is dropped from where it was taken from the middle", () => {
    const verified = verifyThinking(put(3, 0, null)(recorded("prefix")), rules("drop"));
    expect(verified.ok && [...verified.dropped]).toEqual(["5.0"]);
  });

  it("is let through and told on an account that does not enforce, each block judged by itself", () => {
    const allowed = verifyThinking(changed, rules("allow"));
    expect(allowed.ok && allowed.dropped.size).toBe(0);
    expect(allowed.ok && allowed.transformations).toEqual([
      { type: "thinking_mismatch_allowed", path: "messages.3.content.0", reason: "prefix_binding_mismatch" },
      { type: "thinking_mismatch_allowed", path: "messages.5.content.0", reason: "prefix_binding_mismatch" },
    ]);
    const whole = recorded("prefix");
    const longer = append(whole, message("assistant", thinkingAfter(whole, "prefix", "thought 4"), text("done")));
    const gap = verifyThinking(put(3, 0, null)(longer), rules("allow"));
    expect(gap.ok && gap.transformations.map(({ path }) => path)).toEqual(["messages.5.content.0"]);
  });

  it("is told of nowhere while nothing has changed", () => {
    for (const answer of ["error", "drop", "allow", "unchecked"] as const) {
      expect(verifyThinking(recorded("prefix"), rules(answer))).toMatchObject({ ok: true, transformations: [] });
    }
  });
});

describe("other thinking", () => {
  it.each(["none", "block"] as const)("of binding %s survives changes before it, not of itself", (binding) => {
    const request = recorded(binding);
    expect(verdict(put(2, 0, result("t1", "[released]"))(request), binding)).toBe("ok");
    expect(verdict(put(3, 0, null)(request), binding)).toBe("ok");
    const block = blockOf(request, 1, 0);
    expect(verdict(put(1, 0, { ...block, thinking: "other" })(request), binding)).toMatch(/^messages\.1\.content\.0/);
    expect(verdict(put(1, 0, { ...block, signature: "made elsewhere" })(request), binding)).toMatch(
      /Invalid `signature` in `thinking` block$/,
    );
  });

  it("of another model is dropped, not refused", () => {
    const verified = verifyThinking({ ...recorded("prefix"), model: "claude-sonnet-5-5" }, rules("error"));
    expect(verified.ok && [...verified.dropped]).toEqual(["1.0", "3.0", "5.0"]);
    expect(verified.ok && verified.transformations[2]).toEqual({
      type: "thinking_dropped",
      path: "messages.5.content.0",
      reason: "model_binding_mismatch",
    });
  });

  it("is taken as it comes where signatures are not enforced", () => {
    const request = put(1, 0, { type: "thinking", thinking: "x", signature: "y" })(recorded("prefix"));
    expect(verifyThinking(request, rules("unchecked")).ok).toBe(true);
  });
});

/** The block's signature with one character of its mark changed. */
function flipped(block: JsonObject): string {
  const parts: string[] = JSON.parse(Buffer.from(String(block.signature), "base64").toString("utf8"));
  const mark = parts[5] ?? "";
  const changed = parts.with(5, `${mark.startsWith("A") ? "B" : "A"}${mark.slice(1)}`);
  return Buffer.from(JSON.stringify(changed)).toString("base64");
}

function blockOf(request: JsonObject, at: number, index: number): JsonObject {
  const content = listOf(request)[at]?.content;
  const block: unknown = Array.isArray(content) ? content[index] : null;
  return JSON.parse(JSON.stringify(block));
}

function withRoomAt(request: JsonObject, at: number): JsonObject {
  const messages = listOf(request).map((one, index) =>
    index === at && Array.isArray(one.content) ? { ...one, content: [text("room"), ...one.content] } : one,
  );
  return { ...request, messages };
}
