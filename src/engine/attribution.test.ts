import { describe, expect, it } from "vitest";
import { type AttributionInput, verdictOf } from "./attribution.ts";

const MINUTE = 60_000;
const PARTS = { tools: "t", system: "s", thinking: null, effort: null, toolChoice: null };
const previous = { model: "m", parts: PARTS, turn: 3, mediaCount: 1 };
const request = {
  ...previous,
  hasLostThinking: false,
  hasSentThinking: false,
  isHistoryEdited: false,
  isChangedByEbb: false,
  age: { sinceMs: MINUTE, ttlMs: 5 * MINUTE },
  lapsed: null as AttributionInput["request"]["lapsed"],
};
const prediction = { place: "entry", readTokens: 50_000, writtenTokens: 900, isExact: true } as const;

function usageOf(cacheReadTokens: number, cacheWriteTokens = 1_000, inputTokens = 3) {
  return { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens: 10 };
}

const input: AttributionInput = { previous, request, prediction, usage: usageOf(20_000), cacheTokensMin: 1_024 };

function verdict(change: Partial<typeof request>, rest: Partial<AttributionInput> = {}): string {
  return verdictOf({ ...input, request: { ...request, ...change }, ...rest });
}

describe("a read that was predicted", () => {
  it("holds whatever else happened", () => {
    expect(verdict({ model: "other", isChangedByEbb: true }, { usage: usageOf(50_100) })).toBe("held");
  });

  it("is not judged without a usage, or where nothing certain was predicted", () => {
    expect(verdict({}, { usage: null })).toBe("unjudged");
    const unknown = { place: "unknown", readTokens: null, writtenTokens: null, isExact: false } as const;
    expect(verdict({}, { prediction: unknown })).toBe("unjudged");
  });
});

describe("less than predicted", () => {
  it.each([
    [{ model: "n" }, "model"],
    [{ parts: { ...PARTS, tools: "u" } }, "tools"],
    [{ parts: { ...PARTS, toolChoice: "any" } }, "tools"],
    [{ parts: { ...PARTS, system: "u" } }, "system"],
    [{ parts: { ...PARTS, thinking: "4000" } }, "thinking changed"],
    [{ parts: { ...PARTS, effort: "low" } }, "thinking changed"],
    [{ hasLostThinking: true }, "thinking changed"],
    [{ turn: 4, hasSentThinking: true }, "thinking changed"],
    [{ isHistoryEdited: true }, "client edited history"],
    [{ mediaCount: 0 }, "client edited history"],
    [{ mediaCount: 2 }, "client edited history"],
    [{ age: { sinceMs: 4 * MINUTE + 1, ttlMs: 5 * MINUTE } }, "ttl"],
    [{ isChangedByEbb: true }, "ours"],
    [{}, "unknown"],
    [{ turn: 4 }, "unknown"],
    [{ hasSentThinking: true }, "unknown"],
    [{ age: { sinceMs: 4 * MINUTE, ttlMs: 5 * MINUTE } }, "unknown"],
    [{ age: { sinceMs: -9 * MINUTE, ttlMs: 5 * MINUTE } }, "unknown"],
    [{ age: null }, "unknown"],
  ] as const)("when %j is %s", (change, cause) => expect(verdict(change as Partial<typeof request>)).toBe(cause));

  it("is Ebb's own before a guess at what the provider forgot", () => {
    expect(verdict({ isChangedByEbb: true, turn: 4, hasSentThinking: true })).toBe("ours");
  });

  it("has no cause of the client's where the request before is not known", () => {
    expect(verdict({ model: "n", turn: 9, mediaCount: 9, hasSentThinking: true }, { previous: null })).toBe("unknown");
    expect(verdict({ isChangedByEbb: true }, { previous: null })).toBe("ours");
  });
});

describe("more than predicted", () => {
  const more = { usage: usageOf(90_000) };

  it("is a hidden request: no change of the client's makes the provider hold more", () => {
    expect(verdict({}, more)).toBe("hidden request");
    expect(verdict({ model: "n", isHistoryEdited: true, hasLostThinking: true }, more)).toBe("hidden request");
  });

  it("is the clock about the end of a lifetime, and Ebb's own where Ebb changed something", () => {
    expect(verdict({ lapsed: { sinceMs: 6 * MINUTE - 1, ttlMs: 5 * MINUTE } }, more)).toBe("ttl");
    expect(verdict({ lapsed: { sinceMs: 6 * MINUTE, ttlMs: 5 * MINUTE } }, more)).toBe("hidden request");
    expect(verdict({ isChangedByEbb: true }, more)).toBe("ours");
  });
});

describe("a provider that tells nothing of its cache", () => {
  const silent = usageOf(0, 0, 60_000);
  const head = { place: "head", readTokens: 9_000, writtenTokens: 900, isExact: false } as const;

  it("is recognised, and its predictions are not judged", () => {
    expect(verdict({}, { usage: silent, prediction: head })).toBe("none reported");
    expect(verdict({}, { usage: silent, prediction: { ...prediction, isExact: false } })).toBe("none reported");
  });

  it("is not one that counted before, one that had nothing to cache, or one with too short a prompt", () => {
    expect(verdict({}, { usage: silent })).toBe("unknown");
    const nothing = { place: "nothing", readTokens: 0, writtenTokens: 0, isExact: true } as const;
    expect(verdict({}, { usage: silent, prediction: nothing })).toBe("unjudged");
    expect(verdict({}, { usage: usageOf(0, 0, 1_023), prediction: head })).toBe("unjudged");
    expect(verdict({}, { usage: usageOf(0, 0, 1_024), prediction: head })).toBe("none reported");
  });
});
