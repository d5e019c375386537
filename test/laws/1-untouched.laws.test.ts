import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createDice } from "./client/dice.ts";
import { type JsonNode, writeJson } from "./client/json-text.ts";
import { judgeBytes } from "./judges/byte-judge.ts";
import { expectLaw, RUNS, SEED, TIMEOUT_MS } from "./property.ts";
import { keeperSettings, realWorld } from "./world.ts";

const SETTING = {
  staleAtDepth: true,
  quietSteps: 0,
  pays: false,
  markerMode: "full",
  ttl: null,
  model: 0,
  isTabbed: false,
  hasShell: true,
} as const;

const NUMBERS = ["-0", "0.10", "1E+400", "1e-7", "123456789012345678901234567890", "-1.50e3", "2.0"] as const;
const TEXTS = ['"\\uD83D"', '"\\udE00\\ud83d"', '"\\/\\u0000\\u00e9"', '"\u2028é😀\u007f"', '""'] as const;
const NAMES = [
  "messages",
  "role",
  "content",
  "type",
  "text",
  "tool_result",
  "tool_use_id",
  "__proto__",
  "",
  "a",
] as const;

/** JSON of any shape, with the names a Messages body uses, names that come twice, and numbers no double holds. */
const anyJson = fc.letrec<{ node: JsonNode }>((tie) => ({
  node: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom<JsonNode>(null, true, false),
    fc.constantFrom(...NUMBERS, ...TEXTS).map((verbatim): JsonNode => ({ verbatim })),
    fc.constantFrom<JsonNode>(...NAMES, "user", "assistant"),
    fc.string({ unit: "binary", maxLength: 12 }),
    fc.array(tie("node"), { maxLength: 5 }),
    fc
      .array(fc.tuple(fc.constantFrom(...NAMES), tie("node")), { maxLength: 6 })
      .map((members): JsonNode => ({ members })),
  ),
})).node;

const body = fc.oneof(
  anyJson,
  fc.array(anyJson, { maxLength: 4 }).map((messages): JsonNode => ({ members: [["messages", messages]] })),
);

describe("untouched is untouched", () => {
  test("bytes outside replaced results are the bytes that came, in every session", {
    timeout: TIMEOUT_MS,
  }, async () => {
    await expectLaw(realWorld, () => [judgeBytes(["untouched"])]);
  });

  test("any JSON at all passes unchanged", { timeout: TIMEOUT_MS }, async () => {
    const store = realWorld.createStore();
    const keeper = realWorld.createKeeper(keeperSettings(SETTING, store, realWorld));
    let count = 0;
    const passes = async (bytes: Uint8Array): Promise<void> => {
      const hints = { tenant: "local", sessionId: `s${++count}`, agentId: null, parentAgentId: null };
      const prepared = await keeper.prepare({
        wire: realWorld.wire,
        provider: realWorld.provider,
        route: { kind: "generate", model: null },
        body: bytes,
        hints,
        userAgent: null,
        atMs: count,
      });
      expect(prepared.kind).toBe("forward");
      if (prepared.kind === "forward") expect(Buffer.concat(prepared.body).equals(bytes)).toBe(true);
    };
    await fc.assert(
      fc.asyncProperty(body, fc.nat(), fc.constantFrom(0, 20, 60), async (node, seed, spaces) => {
        await passes(Buffer.from(writeJson(node, { spaces, escapes: spaces }, createDice(seed))));
      }),
      { numRuns: RUNS, seed: SEED },
    );
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 60 }), async (bytes) => await passes(bytes)),
      { numRuns: RUNS, seed: SEED },
    );
    await keeper.close();
  });
});
