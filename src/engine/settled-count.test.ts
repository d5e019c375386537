import { describe, expect, it } from "vitest";
import { type PartsMessage, sourceOf } from "../../test/support/source.ts";
import { settledCount } from "./settled-count.ts";

const says = (text: string): PartsMessage => ({ role: "user", parts: [{ kind: "text", text }] });
const answers: PartsMessage = { role: "assistant", parts: [{ kind: "text", text: "Done." }] };
const calls = (id: string): PartsMessage => ({
  role: "assistant",
  parts: [{ kind: "call", id, name: "Read", input: {} }],
});
const brings = (id: string, text: string | null = null): PartsMessage => ({
  role: "user",
  parts: [{ kind: "result", id, text: "ok" }, ...(text === null ? [] : [{ kind: "text" as const, text }])],
});

/** A person's messages begin with a capital. */
function countOf(...messages: readonly PartsMessage[]): number {
  const source = sourceOf(messages);
  return settledCount(source.transcript, ({ role, itemStart, itemEnd }) => {
    const texts = source.transcript.items.slice(itemStart, itemEnd).filter(({ kind }) => kind === "text");
    return role === "user" && texts.some((item) => /^[A-Z]/.test(source.textOf(item)));
  });
}

describe("what stands in front of the round the model is in", () => {
  it("is all of it where a person spoke last", () => {
    expect(countOf(says("Go"))).toBe(1);
    expect(countOf(says("Go"), calls("a"), brings("a"), answers, says("On"))).toBe(5);
    expect(countOf(says("Go"), answers, says("On"), says("a reminder"))).toBe(4);
  });

  it("is what stands before the last word of a person while results come back", () => {
    expect(countOf(says("Go"), calls("a"), brings("a"))).toBe(0);
    expect(countOf(says("Go"), answers, says("On"), calls("a"), brings("a"), calls("b"), brings("b"))).toBe(2);
  });

  it("does not grow by what a person says beside a result, nor by a reminder", () => {
    expect(countOf(says("Go"), answers, says("On"), calls("a"), brings("a", "Wait"))).toBe(2);
    expect(countOf(says("Go"), answers, says("On"), calls("a"), brings("a"), says("Wait"))).toBe(2);
    expect(countOf(says("Go"), answers, says("On"), calls("a"), brings("a", "Wait"), calls("b"), brings("b"))).toBe(2);
    expect(countOf(says("Go"), answers, says("a reminder"))).toBe(0);
  });
});
