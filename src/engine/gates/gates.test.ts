import { describe, expect, it } from "vitest";
import { bash, bodyOf, EMPTY_TALK, user } from "../../../test/support/conversation.ts";
import { createTestKeeper, prepare } from "../../../test/support/keeper.ts";
import type { Candidate, Rendering } from "../../model/decision.ts";
import type { MediaItem } from "../../model/item.ts";
import type { View } from "../../model/view.ts";
import { cachedPrefix } from "./cached-prefix.ts";
import { heldBySpan } from "./held-by-span.ts";
import { markerNoWin } from "./marker-no-win.ts";
import { nonTextBlocks } from "./non-text-blocks.ts";
import { protectedItem } from "./protected.ts";

const TEXT = "some output of a command, a hundred bytes or so, enough for a marker to be judged against its size";

async function candidateWith(rendering: Rendering, changes: Partial<Candidate> = {}) {
  const views: View[] = [];
  const looker = {
    name: "looker",
    propose(view: View) {
      views.push(view);
      return { proposals: [], declines: [] };
    },
  };
  await prepare(createTestKeeper({ policies: [looker] }), bodyOf(bash(user(EMPTY_TALK, "go"), "b1", "x", TEXT)));
  const [view] = views;
  const item = view?.transcript.items.find((one) => one.kind === "result");
  if (view === undefined || item === undefined) throw new Error("no view");
  const proposal = { itemKey: item.key, policy: "p", reason: "over_bound", markerMode: "full" } as const;
  const candidate: Candidate = {
    proposal: { ...proposal, evidenceKey: null, wish: null, waitsForFree: false, allowsCold: true, isForced: false },
    item,
    moment: "first-send",
    rendering: () => rendering,
    ...changes,
  };
  return { candidate, view };
}

const small: Rendering = { text: "m", tokens: 1, bytes: 1 };

describe("a marker", () => {
  it.each([
    ["fewer tokens and bytes", { text: "m", tokens: 2, bytes: 8 }, true],
    ["fewer tokens, more bytes", { text: "m", tokens: 2, bytes: 8_000 }, false],
    ["more tokens, fewer bytes", { text: "m", tokens: 2_000, bytes: 8 }, false],
    ["as many bytes", { text: "m", tokens: 2, bytes: TEXT.length }, false],
    ["no text", { text: "", tokens: 0, bytes: 0 }, false],
  ])("with %s passes: %s", async (_, rendering, passes) => {
    const { candidate, view } = await candidateWith(rendering);
    expect(markerNoWin.refuse(candidate, view) === null).toBe(passes);
  });
});

describe("a picture", () => {
  it("is released where the body carries it, and not where it is only referred to", async () => {
    const { candidate, view } = await candidateWith(small);
    const { key, role, messageIndex, blockIndex, digest, bytes, lines } = candidate.item;
    const place = { key, role, messageIndex, blockIndex, digest, bytes, lines };
    const payload = { mediaType: "image/png", dimensions: null, carriedBytes: 60 } as const;
    const item: MediaItem = { ...place, kind: "media", callId: "b1", ...payload, isReplaceable: false };
    expect(nonTextBlocks.refuse({ ...candidate, item }, view)).toContain("only referred to");
    expect(nonTextBlocks.refuse({ ...candidate, item: { ...item, isReplaceable: true } }, view)).toBeNull();
    expect(nonTextBlocks.refuse(candidate, view)).toBeNull();
  });
});

describe("a candidate without a moment", () => {
  it("is refused", async () => {
    const { candidate, view } = await candidateWith(small, { moment: null });
    expect(cachedPrefix.refuse(candidate, view)).toContain("cache");
    expect(cachedPrefix.refuse({ ...candidate, moment: "cold" }, view)).toBeNull();
  });
});

describe("an item that the view calls protected", () => {
  it("is refused, and no other", async () => {
    const { candidate, view } = await candidateWith(small);
    expect(protectedItem.refuse(candidate, view)).toBeNull();
    const isProtected = (key: string) => key === candidate.item.key;
    expect(protectedItem.refuse(candidate, { ...view, isProtected })).toContain("protected");
  });
});

describe("an item whose declared lifetime runs", () => {
  it("stays, unless the agent or the user decides about it", async () => {
    const { candidate, view } = await candidateWith(small);
    const isHeldBySpan = (key: string) => key === candidate.item.key;
    expect(heldBySpan.refuse(candidate, view)).toBeNull();
    expect(heldBySpan.refuse(candidate, { ...view, isHeldBySpan })).toContain("declared to stay");
    const proposal = { ...candidate.proposal, wish: { kind: "release" } as const };
    expect(heldBySpan.refuse({ ...candidate, proposal }, { ...view, isHeldBySpan })).toBeNull();
  });
});
