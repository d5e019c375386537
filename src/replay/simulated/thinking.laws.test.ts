import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../model/json.ts";
import { signThinking } from "./signature.ts";
import { type ThinkingRules, verifyThinking } from "./thinking.ts";

const rules: ThinkingRules = { binding: "prefix", onMismatch: "error", hasControls: false, cacheEdits: null };

const anyResult = fc.string({ minLength: 1, maxLength: 40 });

/** A conversation of tool rounds with thinking before each call; `form` is what the client sends of each result. */
function converse(results: readonly string[], form: (text: string, index: number) => string): JsonObject {
  const messages: JsonObject[] = [{ role: "user", content: "go" }];
  for (const [index, text] of results.entries()) {
    const verified = verifyThinking({ model: "m", messages }, rules);
    if (!verified.ok) throw new Error(verified.refusal.words);
    const thinking = `thought ${index}`;
    messages.push(
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking, signature: signThinking(verified.next, thinking) },
          { type: "tool_use", id: `t${index}`, name: "Read", input: {} },
        ],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: `t${index}`, content: form(text, index) }] },
    );
  }
  return { model: "m", messages };
}

function rewrite(request: JsonObject, index: number, text: string): JsonObject {
  const messages: JsonObject[] = JSON.parse(JSON.stringify(request.messages));
  messages[index * 2 + 2] = {
    role: "user",
    content: [{ type: "tool_result", tool_use_id: `t${index}`, content: text }],
  };
  return { ...request, messages };
}

describe("laws of bound thinking", () => {
  it("results rewritten at first send and repeated ever after are never refused", () => {
    fc.assert(
      fc.property(fc.array(anyResult, { maxLength: 6 }), fc.nat(), (results, which) => {
        const request = converse(results, (text, index) => ((which >> index) & 1 ? `[left ${text.length}]` : text));
        expect(verifyThinking(request, rules).ok).toBe(true);
      }),
    );
  });

  it("a result rewritten after a later thinking block was made is refused exactly there", () => {
    fc.assert(
      fc.property(fc.array(anyResult, { minLength: 2, maxLength: 6 }), fc.nat(), anyResult, (results, pick, text) => {
        const index = pick % (results.length - 1);
        fc.pre(results[index] !== text);
        const verified = verifyThinking(
          rewrite(
            converse(results, (one) => one),
            index,
            text,
          ),
          rules,
        );
        expect(verified.ok ? "ok" : verified.refusal.words).toContain(`messages.${index * 2 + 3}.content.0: Invalid`);
      }),
    );
  });

  it("the newest result, with no thinking after it, may be rewritten", () => {
    fc.assert(
      fc.property(fc.array(anyResult, { minLength: 1, maxLength: 6 }), anyResult, (results, text) => {
        const request = rewrite(
          converse(results, (one) => one),
          results.length - 1,
          text,
        );
        expect(verifyThinking(request, rules).ok).toBe(true);
      }),
    );
  });

  it("thinking may be kept in one unbroken run, and in no other way", () => {
    const request = converse(["one", "two", "three", "four", "five", "six"], (text) => text);
    fc.assert(
      fc.property(fc.array(fc.boolean(), { minLength: 6, maxLength: 6 }), (kept) => {
        const isUnbroken = /^0*1*0*$/.test(kept.map(Number).join(""));
        expect(verifyThinking(keepingThinking(request, kept), rules).ok).toBe(isUnbroken);
      }),
    );
  });

  it("thinking put back in front of what was made without it is refused, whatever was left out", () => {
    const whole = converse(["one", "two", "three", "four"], (text) => text);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 4 }), fc.boolean(), (count, isFromStart) => {
        const kept = [0, 1, 2, 3].map((index) => (isFromStart ? index >= count : index < 4 - count));
        const without = keepingThinking(whole, kept);
        const verified = verifyThinking(without, rules);
        if (!verified.ok) throw new Error(verified.refusal.words);
        const made = { type: "thinking", thinking: "new", signature: signThinking(verified.next, "new") };
        const answer = { role: "assistant", content: [made] };
        expect(verifyThinking(withMessage(without, answer), rules).ok).toBe(true);
        expect(verifyThinking(withMessage(whole, answer), rules).ok).toBe(false);
      }),
    );
  });

  it("dropping never refuses, and leaves thinking only before the first change", () => {
    fc.assert(
      fc.property(fc.array(anyResult, { minLength: 2, maxLength: 6 }), fc.nat(), anyResult, (results, pick, text) => {
        const index = pick % results.length;
        fc.pre(results[index] !== text);
        const changed = rewrite(
          converse(results, (one) => one),
          index,
          text,
        );
        const verified = verifyThinking(changed, { ...rules, onMismatch: "drop" });
        const behind = results.flatMap((_, place) => (place > index ? [`${place * 2 + 1}.0`] : []));
        expect(verified.ok && [...verified.dropped]).toEqual(behind);
        expect(verified.ok && verified.transformations.length).toBe(behind.length);
      }),
    );
  });
});

function keepingThinking(request: JsonObject, kept: readonly boolean[]): JsonObject {
  const messages: { role: string; content: { type: string }[] | string }[] = JSON.parse(
    JSON.stringify(request.messages),
  );
  const left = messages.map(({ role, content }, index) => ({
    role,
    content:
      typeof content === "string" || kept[(index - 1) / 2] !== false
        ? content
        : content.filter(({ type }) => type !== "thinking"),
  }));
  return { ...request, messages: left };
}

function withMessage(request: JsonObject, added: JsonObject): JsonObject {
  const messages: JsonObject[] = JSON.parse(JSON.stringify(request.messages));
  return { ...request, messages: [...messages, added] };
}
