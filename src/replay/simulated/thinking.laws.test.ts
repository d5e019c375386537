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
});
