import { expect, it } from "vitest";
import { bodyOf, EMPTY_TALK, read, user } from "../../test/support/conversation.ts";
import { createTestKeeper, resultIn, wire } from "../../test/support/keeper.ts";
import type { Wire, WireRoute } from "../model/ports.ts";

const FILE = Array.from({ length: 120 }, (_, line) => `const value${line} = compute(${line}, "some text");`).join("\n");
const BODY = bodyOf(read(user(EMPTY_TALK, "go"), "r1", "/w/a.ts", FILE));
const hints = { tenant: "local", sessionId: "session", agentId: null, parentAgentId: null };

it("a wire hears at every reading, also of what was written, what it learned of the path", async () => {
  const route: WireRoute = { kind: "generate", model: "named-by-the-path" };
  const heard: (WireRoute | null | undefined)[] = [];
  const byPath: Wire = {
    ...wire,
    read(body, memo, given) {
      heard.push(given);
      const outcome = wire.read(body, memo);
      if (!outcome.ok) return outcome;
      const { transcript } = outcome.source;
      const header = { ...transcript.header, model: given?.model ?? null };
      return { ok: true, source: { ...outcome.source, transcript: { ...transcript, header } } };
    },
  };
  const keeper = createTestKeeper({ bound: { lines: 50, bytes: 262_144 } });
  const prepared = await keeper.prepare({
    wire: byPath,
    provider: keeper.provider,
    route,
    body: BODY,
    hints,
    userAgent: null,
    atMs: 1,
  });
  if (prepared.kind === "refuse") throw new Error(prepared.words);
  expect(resultIn(Buffer.concat(prepared.body).toString(), "r1")).toContain("[ebb ");
  expect(prepared.plan?.transcript.header.model).toBe("named-by-the-path");
  expect(new Set(heard)).toEqual(new Set([route]));
  expect(heard.length).toBeGreaterThan(1);
});
