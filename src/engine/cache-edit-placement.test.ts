import { describe, expect, it } from "vitest";
import { calls, failure, type PartsMessage, results, says, sourceOf } from "../../test/support/source.ts";
import type { Item, ItemKey } from "../model/item.ts";
import type { Breakpoint, Transcript } from "../model/transcript.ts";
import { anchorOf, type EditPlace, leavesWhole, registeredResults } from "./cache-edit-placement.ts";

const READ = (id: string) => calls([id, "Read", { file_path: `/w/${id}` }]);
const TALK: readonly PartsMessage[] = [
  says("begin"),
  READ("c1"),
  results(["c1", "one"]),
  READ("c2"),
  failure("c2", "no such file"),
  READ("c3"),
  { role: "user", parts: [{ kind: "result", id: "c3", text: "picture", mediaCount: 1 }] },
  READ("c4"),
  results(["c4", "four"]),
  READ("c5"),
  results(["c5", "five"]),
];

/** A request whose messages end with a breakpoint, and all of which but the last message was sent before. */
function placeOf(talk: readonly PartsMessage[], parts: Partial<EditPlace> = {}): EditPlace {
  const { transcript } = sourceOf(talk);
  const before = new Set(keysUpTo(transcript, talk.length - 1));
  const breakpoints: readonly Breakpoint[] = [{ itemCount: transcript.items.length, ttlMs: 300_000 }];
  return {
    transcript: { ...transcript, breakpoints },
    cachedKeys: before,
    sentKeys: before,
    isMain: true,
    forgetsThinking: false,
    ...parts,
  };
}

function keysUpTo({ items }: Transcript, messages: number): readonly ItemKey[] {
  return items.filter(({ messageIndex }) => messageIndex < messages).map(({ key }) => key);
}

const READ_ONE = { kind: "result", id: "c1", text: "one" } as const;
/** Stands for thinking, which this kind of transcript does not know. */
const THOUGHT: PartsMessage = { role: "assistant", parts: [{ kind: "text", text: "hm" }] };

function thoughtFrom(item: Item): Item {
  return item.kind === "text" && item.role === "assistant" ? { ...item, kind: "thinking" } : item;
}

const calledBy = (keys: ReadonlySet<ItemKey>) => Array.from(keys, (key) => key.split(":")[0]);

describe("registered results", () => {
  it("stand strictly inside the cached prefix, are no errors and hold nothing but their text", () => {
    expect(calledBy(registeredResults(placeOf(TALK)))).toEqual(["c1", "c4"]);
  });

  it("hold no parts that Ebb does not know", () => {
    const place = placeOf(TALK);
    const items = place.transcript.items.map((item) =>
      item.kind === "result" && item.callId === "c1" ? { ...item, isReplaceable: false } : item,
    );
    expect(calledBy(registeredResults({ ...place, transcript: { ...place.transcript, items } }))).toEqual(["c4"]);
  });

  it("stand before the message of the last breakpoint", () => {
    const place = placeOf(TALK);
    const atFourth = place.transcript.items.findIndex((item) => item.kind === "result" && item.callId === "c4") + 1;
    const transcript = { ...place.transcript, breakpoints: [{ itemCount: atFourth, ttlMs: 300_000 }] };
    expect(calledBy(registeredResults({ ...place, transcript }))).toEqual(["c1"]);
  });

  it("are those that the provider holds", () => {
    const place = placeOf(TALK);
    expect(calledBy(registeredResults({ ...place, cachedKeys: new Set(keysUpTo(place.transcript, 3)) }))).toEqual([
      "c1",
    ]);
  });

  it.each<[string, (place: EditPlace) => EditPlace]>([
    ["a request without a breakpoint", (place) => ({ ...place, transcript: { ...place.transcript, breakpoints: [] } })],
    ["a sub-agent or a side request", (place) => ({ ...place, isMain: false })],
    ["a cache that holds nothing", (place) => ({ ...place, cachedKeys: new Set() })],
  ])("are none in %s", (_, change) => {
    expect(registeredResults(change(placeOf(TALK)))).toEqual(new Set());
  });
});

describe("the anchor", () => {
  const last = (talk: readonly PartsMessage[], parts: Partial<EditPlace> = {}) => {
    const place = placeOf(talk, parts);
    const key = anchorOf(place);
    return place.transcript.items.find((item) => item.key === key) ?? null;
  };

  it("is the last result of the last user message, whatever stands behind it", () => {
    const message: PartsMessage = {
      role: "user",
      parts: [
        { kind: "result", id: "c1", text: "one" },
        { kind: "result", id: "c2", text: "two" },
        { kind: "text", text: "a reminder" },
      ],
    };
    expect(last([says("begin"), READ("c1"), message])).toMatchObject({ kind: "result", callId: "c2" });
  });

  it("is the last text of a message that a person wrote", () => {
    expect(last([...TALK, READ("c6"), says("go on")])).toMatchObject({ kind: "text", role: "user" });
  });

  it("is in the last user message, also where the assistant's words are begun for it", () => {
    const begun: PartsMessage = { role: "assistant", parts: [{ kind: "text", text: "{" }] };
    const { transcript } = sourceOf([...TALK, begun]);
    const sentKeys = new Set(keysUpTo(transcript, TALK.length - 1));
    expect(last([...TALK, begun], { sentKeys })).toMatchObject({ callId: "c5" });
  });

  it("is none where the note would make the model forget thinking of the same turn, which only a text does", () => {
    const spoken: PartsMessage = { role: "user", parts: [READ_ONE, { kind: "text", text: "a reminder" }] };
    const alone: PartsMessage = { role: "user", parts: [READ_ONE] };
    const anchored = (talk: readonly PartsMessage[], forgetsThinking = true) => {
      const place = placeOf(talk);
      const items = place.transcript.items.map(thoughtFrom);
      const key = anchorOf({ ...place, transcript: { ...place.transcript, items }, forgetsThinking });
      return key !== null;
    };
    expect(anchored([says("begin"), THOUGHT, READ("c1"), alone])).toBe(false);
    expect(anchored([says("begin"), THOUGHT, READ("c1"), alone], false)).toBe(true);
    expect(anchored([says("begin"), THOUGHT, READ("c1"), spoken])).toBe(true);
    expect(anchored([says("begin"), THOUGHT, says("go on"), READ("c1"), alone])).toBe(true);
    expect(anchored([says("begin"), READ("c1"), alone])).toBe(true);
  });

  it("is none where the last user message was sent before, and in side requests", () => {
    const { transcript } = sourceOf(TALK);
    expect(last(TALK, { sentKeys: new Set(keysUpTo(transcript, TALK.length)) })).toBe(null);
    expect(last(TALK, { isMain: false })).toBe(null);
    expect(last([])).toBe(null);
  });
});

describe("what can leave by a deletion", () => {
  it("leaves whole, without a head or a part that must stay in view", () => {
    const reasons = [
      "stale",
      "superseded",
      "expired",
      "let_go",
      "over_bound",
      "stub_repair",
      "kept",
      "over_budget",
    ] as const;
    expect(reasons.filter((reason) => leavesWhole({ reason }))).toEqual(["stale", "superseded", "expired", "let_go"]);
  });
});
