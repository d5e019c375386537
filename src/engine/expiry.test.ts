import { describe, expect, it } from "vitest";
import { assistant, bodyOf, call, EMPTY_TALK, result, results, user } from "../../test/support/conversation.ts";
import { wire } from "../../test/support/keeper.ts";
import type { PlacedAcquisition } from "../model/acquisition.ts";
import type { MediaItem, ResultItem } from "../model/item.ts";
import type { LifetimeRule } from "../model/lifetime-rule.ts";
import type { Declaration, Until } from "../model/wish.ts";
import { NOTHING_DELIBERATE } from "./deliberate.ts";
import { type ExpiryInput, expiriesOf } from "./expiry.ts";
import { EMPTY_STANDING } from "./standing.ts";

const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } };
const talk = results(
  assistant(user(EMPTY_TALK, "go"), call("r1", "Read", { file_path: "/w/a.ts" })),
  result("r1", [{ type: "text", text: "text" }, image]),
);
const read = wire.read(bodyOf(talk), new Map());
if (!read.ok) throw new Error(read.words);
const { transcript } = read.source;
const item = transcript.items.find(({ kind }) => kind === "result");
const picture = transcript.items.find(({ kind }) => kind === "media");
if (item === undefined || picture === undefined) throw new Error("no result with a picture");
const { key } = item;

const placed: PlacedAcquisition = {
  acquisition: {
    callId: "r1",
    tool: "Read",
    kind: "read",
    outcome: "ok",
    path: "/w/a.ts",
    workingDirectory: null,
    window: null,
    printed: null,
    isShellRead: false,
    isUnchangedStub: false,
    changes: [],
    command: null,
  },
  callKey: "call",
  resultKey: key,
  path: "/w/a.ts",
  changedPaths: [],
  step: 1,
  callIndex: 0,
};

const rule: LifetimeRule = { tools: null, kinds: null, fitsPath: null, media: null, turns: null, steps: 2 };
const standing = {
  ...EMPTY_STANDING,
  acquired: new Map([
    [key, { turn: 1, step: 1 }],
    [picture.key, { turn: 1, step: 1 }],
  ]),
};
const input: ExpiryInput = {
  transcript,
  standing,
  clock: { turn: 9, step: 9 },
  rules: [rule],
  acquisitionOf: () => placed,
};

function held(until: Until): ExpiryInput["standing"] {
  const declared: Declaration = { itemKey: key, address: "a", until, reason: "r", by: "agent" };
  return { ...standing, deliberate: { ...NOTHING_DELIBERATE, spans: new Map([[key, declared]]) } };
}

describe("a rule", () => {
  it.each([
    ["of any kind", rule],
    ["of the tool", { ...rule, tools: ["Read"] }],
    ["of the kind", { ...rule, kinds: ["read"] as const }],
    ["of the path", { ...rule, fitsPath: (path: string) => path === "/w/a.ts" }],
    ["of images", { ...rule, media: "image" as const }],
    ["in turns", { ...rule, steps: null, turns: 2 }],
  ])("%s ends the lifetime of what it fits", (_, fitting) => {
    expect([...expiriesOf({ ...input, rules: [fitting] }).keys()]).toEqual([picture.key]);
  });

  it("lets only the media of a result with media leave, and the text of any other", () => {
    if (item.kind !== "result") throw new Error("no result");
    const alone: ResultItem = { ...item, mediaCount: 0 };
    const ended = expiriesOf({ ...input, transcript: { ...transcript, items: [alone] } });
    expect([...ended.keys()]).toEqual([key]);
  });

  it("leaves alone what the user sent", () => {
    if (picture.kind !== "media") throw new Error("no picture");
    const own: MediaItem = { ...picture, callId: null };
    expect(expiriesOf({ ...input, transcript: { ...transcript, items: [own] } }).size).toBe(0);
  });

  it.each([
    ["another tool", { ...rule, tools: ["Bash"] }],
    ["another kind", { ...rule, kinds: ["run"] as const }],
    ["other media", { ...rule, media: "document" as const }],
    ["another path", { ...rule, fitsPath: () => false }],
    ["neither turns nor steps", { ...rule, steps: null }],
  ])("of %s ends none", (_, other) => {
    expect(expiriesOf({ ...input, rules: [other] }).size).toBe(0);
  });

  it("that asks for a tool, a kind or a path fits nothing whose call is not known", () => {
    for (const asking of [{ tools: ["Read"] }, { kinds: ["read"] as const }, { fitsPath: () => true }]) {
      const rules = [{ ...rule, ...asking }];
      expect(expiriesOf({ ...input, rules, acquisitionOf: () => null }).size).toBe(0);
      expect(expiriesOf({ ...input, rules }).size).toBe(1);
    }
  });

  it("lets an item stay through its last turn and step", () => {
    const turns = { ...rule, steps: null, turns: 2 };
    for (const [clock, count] of [
      [{ turn: 3, step: 3 }, 0],
      [{ turn: 4, step: 4 }, 1],
    ] as const) {
      expect(expiriesOf({ ...input, clock }).size).toBe(count);
      expect(expiriesOf({ ...input, clock, rules: [turns] }).size).toBe(count);
    }
  });

  it("counts where it is the first that fits", () => {
    const longer = { ...rule, steps: 99 };
    expect(expiriesOf({ ...input, rules: [longer, rule] }).size).toBe(0);
    expect(expiriesOf({ ...input, rules: [{ ...longer, tools: ["Bash"] }, rule] }).size).toBe(1);
  });

  it("judges nothing that was not acquired before", () => {
    expect(expiriesOf({ ...input, standing: EMPTY_STANDING }).size).toBe(0);
  });
});

describe("a declared lifetime", () => {
  it("goes before any rule", () => {
    expect(expiriesOf({ ...input, standing: held({ kind: "forever" }) }).size).toBe(0);
    expect(expiriesOf({ ...input, rules: [], standing: held({ kind: "turn", turn: 3 }) }).get(picture.key)).toContain(
      "turn 3",
    );
  });

  it("that cannot be judged is not over", () => {
    expect(expiriesOf({ ...input, rules: [], standing: held({ kind: "scope", scope: "tmp_other" }) }).size).toBe(0);
  });
});

describe("what was found over before", () => {
  const deliberate = { ...held({ kind: "forever" }).deliberate, expired: new Map([[key, "before"]]) };

  it("stays so, in the words of then", () => {
    expect(expiriesOf({ ...input, standing: { ...standing, deliberate } }).get(key)).toBe("before");
    const wasRuled = { ...NOTHING_DELIBERATE, expired: new Map([[key, "before"]]) };
    expect(expiriesOf({ ...input, standing: { ...standing, deliberate: wasRuled } }).get(key)).toBe("before");
    expect(expiriesOf({ ...input, rules: [], standing: { ...standing, deliberate: wasRuled } }).get(key)).toBe(
      "before",
    );
  });
});
