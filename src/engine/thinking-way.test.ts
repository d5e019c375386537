import { describe, expect, it } from "vitest";
import {
  assistant,
  type BodyOptions,
  bodyOf,
  call,
  EMPTY_TALK,
  result,
  results,
  type Talk,
  text,
  thinking,
  user,
} from "../../test/support/conversation.ts";
import { wire } from "../../test/support/keeper.ts";
import type { Decision } from "../model/decision.ts";
import type { ItemKey } from "../model/item.ts";
import type { WireSource } from "../model/ports.ts";
import { THINKING_AS_IT_CAME, type ThinkingStanding } from "./thinking-standing.ts";
import { type BoundThinking, goneThinking, pinnedThinking, thinkingWayOf, type WayGround } from "./thinking-way.ts";

const worked = assistant(
  results(assistant(user(EMPTY_TALK, "go"), thinking("t1"), call("r1", "Read", {})), result("r1", "text")),
  thinking("t2"),
  text("Done."),
);
const spoken = user(worked, "and now?");

function sourceOf(talk: Talk, options: BodyOptions = {}): WireSource {
  const read = wire.read(bodyOf(talk, options), { get: () => undefined, set: () => undefined });
  if (!read.ok) throw new Error(read.words);
  return read.source;
}

function groundOf(option: BoundThinking, talk = spoken, options: BodyOptions = {}): WayGround {
  const source = sourceOf(talk, options);
  return {
    option,
    source,
    settledCount: source.transcript.items.length,
    standing: THINKING_AS_IT_CAME,
    model: { thinkingBinding: "prefix" },
    cache: { heldCount: 0, isKnown: true },
    isCold: false,
  };
}

const keysOf = ({ transcript }: Pick<WireSource, "transcript">) =>
  transcript.items.flatMap(({ kind, key }) => (kind === "thinking" ? [key] : []));
const CLOCK = { turn: 1, step: 1 };
const left = (...keys: readonly ItemKey[]): ThinkingStanding => ({
  ...THINKING_AS_IT_CAME,
  stripped: new Map(keys.map((key) => [key, CLOCK])),
});

describe("thinking that may leave", () => {
  it("is all that stands there, at a new turn, and is free where the provider holds none of it", () => {
    const ground = groundOf("strip");
    expect(thinkingWayOf(ground)).toEqual({ kind: "strip", keys: keysOf(ground.source), isFree: true });
    const warm = { ...ground, cache: { heldCount: 3, isKnown: true } };
    expect(thinkingWayOf(warm)).toMatchObject({ isFree: false });
    expect(thinkingWayOf({ ...warm, isCold: true })).toMatchObject({ isFree: true });
    expect(thinkingWayOf({ ...ground, cache: { heldCount: 0, isKnown: false } })).toMatchObject({ isFree: false });
    expect(thinkingWayOf({ ...warm, option: "strip_at_turn" })).toBeNull();
  });

  it("is what did not leave before, and nothing where all did", () => {
    const ground = groundOf("strip_at_turn");
    const [first = "", second = ""] = keysOf(ground.source);
    expect(thinkingWayOf({ ...ground, standing: left(first) })).toMatchObject({ keys: [second] });
    expect(thinkingWayOf({ ...ground, standing: left(first, second) })).toBeNull();
  });

  it.each<[string, (ground: WayGround) => WayGround]>([
    ["the model is in a round", (ground) => ({ ...ground, settledCount: 3 })],
    [
      "the model does not sign over what stands before",
      (ground) => ({ ...ground, model: { thinkingBinding: "block" } }),
    ],
    [
      "the provider refused thinking here",
      (ground) => ({ ...ground, standing: { ...ground.standing, isRefused: true } }),
    ],
    ["the request has no tools", (ground) => ({ ...ground, source: sourceOf(spoken, { tools: [] }) })],
    [
      "a message holds nothing else",
      (ground) => {
        const source = sourceOf(user(assistant(user(worked, "more"), thinking("t3")), "and now?"));
        return { ...ground, source, settledCount: source.transcript.items.length };
      },
    ],
  ])("is none where %s", (_, change) => {
    for (const option of ["strip", "strip_at_turn"] as const) {
      expect(thinkingWayOf(groundOf(option))).not.toBeNull();
      expect(thinkingWayOf(change(groundOf(option)))).toBeNull();
    }
  });

  it("is dropped by the provider only where the request asks for thinking", () => {
    expect(thinkingWayOf(groundOf("drop"))).toBeNull();
    expect(thinkingWayOf(groundOf("drop", spoken, { thinking: { type: "adaptive" } }))).toEqual({
      kind: "drop",
      isOn: false,
    });
  });
});

describe("thinking that is no part of the prompt", () => {
  const source = sourceOf(spoken);
  const [first = "", second = ""] = keysOf(source);
  const goneIn = (standing: ThinkingStanding, behind: ItemKey | null, moment: Decision["moment"] = "cold") => {
    const isGone = goneThinking(source, standing, [{ thinkingBehind: behind, moment } as Decision]);
    return source.transcript.items.filter(isGone).map(({ key }) => key);
  };

  it("is what left, and what the provider drops: from the first that does not fit on", () => {
    const dropping = { ...THINKING_AS_IT_CAME, isDropping: true };
    expect(goneIn(left(first), second)).toEqual([first]);
    expect(goneIn(dropping, first)).toEqual([first, second]);
    expect(goneIn(dropping, second)).toEqual([second]);
    expect([goneIn(dropping, null), goneIn(dropping, first, "first-send")]).toEqual([[], []]);
    expect(goneIn({ ...left(first), isDropping: true }, first)).toEqual([first]);
  });
});

describe("what is repeated of thinking that left", () => {
  const ask = { thinking: { type: "adaptive" } };
  const repeated = (
    standing: ThinkingStanding,
    options: BodyOptions = {},
    settledCount = 99,
    binding: "none" | "prefix" = "prefix",
  ) => pinnedThinking(sourceOf(spoken, options), standing, { model: { thinkingBinding: binding }, settledCount });

  it("is every block that left, whatever the model", () => {
    const [first = ""] = keysOf(sourceOf(spoken));
    for (const binding of ["none", "prefix"] as const) {
      expect(repeated(left(first), {}, 99, binding)).toEqual([{ kind: "omit", itemKey: first }]);
    }
    expect(repeated(THINKING_AS_IT_CAME)).toEqual([]);
  });

  it("is the wish that the provider drops, and where that cannot be asked for, what stands before the round", () => {
    const dropping = { ...THINKING_AS_IT_CAME, isDropping: true };
    const [first, second] = keysOf(sourceOf(spoken));
    expect(repeated(dropping, ask)).toEqual([{ kind: "drop-thinking" }]);
    expect(repeated(dropping)).toEqual([first, second].map((itemKey) => ({ kind: "omit", itemKey })));
    expect(repeated(dropping, {}, 3)).toEqual([{ kind: "omit", itemKey: first }]);
    expect(repeated(dropping, {}, 99, "none")).toEqual([]);
  });
});
