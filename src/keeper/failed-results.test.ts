import { describe, expect, it } from "vitest";
import { createTestKeeper, providerFor } from "../../test/support/keeper.ts";
import { chatWriter } from "../../test/support/wires/chat-writer.ts";
import { PLAIN_WRITING, writeTalk } from "../../test/support/wires/hand.ts";
import { WIRE_SYSTEM } from "../../test/support/wires/talk.ts";
import { createOpenaiChat } from "../wires/openai-chat/index.ts";

const wire = createOpenaiChat();
const LINES = Array.from({ length: 40 }, (_, index) => `line ${index} of a long output`).join("\n");

function bodyOf(text: string): Uint8Array {
  const call = { id: "call_1", name: "bash", input: [["command", "npm test"]] as const };
  const result = { callId: "call_1", name: "bash", text, picture: null, isError: false };
  const messages = [
    { role: "user", text: "go", picture: null },
    { role: "assistant", text: null, thought: null, calls: [call] },
    { role: "results", results: [result] },
  ] as const;
  return writeTalk(chatWriter, { system: WIRE_SYSTEM, messages }, PLAIN_WRITING);
}

describe("a failure in a format without a flag for it", () => {
  it.each([
    [true, `${LINES}\n\nCommand exited with code 1`],
    [false, LINES],
  ])("keeps its end in view and on record where its words tell of it: %s", async (isFailed, text) => {
    const keeper = createTestKeeper({ bound: { lines: 20, bytes: 100_000 } });
    const prepared = await keeper.prepare({
      wire,
      route: { kind: "generate", model: null },
      provider: providerFor(keeper, wire),
      body: bodyOf(text),
      hints: { tenant: "local", sessionId: "session", agentId: null, parentAgentId: null },
      userAgent: "pi-coding-agent/0.80",
      atMs: 1_000_000,
    });
    const [decision] = prepared.kind === "forward" ? (prepared.plan?.fresh ?? []) : [];
    expect(decision?.reason).toBe("over_bound");
    expect(decision?.marker.includes("Command exited with code 1")).toBe(isFailed);
    const [found] = await keeper.store.findItems("local", "call_1");
    expect(found?.item.isError).toBe(isFailed);
    await keeper.close();
  });
});
