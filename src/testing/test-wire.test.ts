import { describe, expect, it } from "vitest";
import { createAnthropicMessages } from "../wires/anthropic-messages/index.ts";
import { testWire } from "./test-wire.ts";

const bytes = Buffer.from('{"messages":[{"role":"user","content":[{"type":"text","text":"go"}]}]}');
const wire = createAnthropicMessages();

const kinds = (one: typeof wire) =>
  testWire({ wire: one, bodies: [{ name: "it", bytes }], reshapes: [] }).find(({ name }) => name.includes("kinds"))
    ?.run;

describe("the check of edits that a wire does not take", () => {
  it("passes a wire that takes what it writes", () => expect(kinds(wire)).not.toThrow());

  it("fails one that writes what it does not take", () => {
    expect(kinds({ ...wire, takes: new Set(["replace", "breakpoint"]) })).toThrow();
  });

  it("fails one that promises what it does not take", () => {
    const silent = { ...wire, takes: new Set(["replace"] as const), write: (body: Uint8Array) => [body] };
    expect(kinds(silent)).toThrow("a breakpoint is promised");
  });
});
