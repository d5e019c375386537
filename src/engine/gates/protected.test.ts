import { expect, it } from "vitest";
import { bash, bodyOf, EMPTY_TALK, user } from "../../../test/support/conversation.ts";
import { createTestKeeper, prepare } from "../../../test/support/keeper.ts";
import type { Candidate } from "../../model/decision.ts";
import type { View } from "../../model/view.ts";
import { protectedItem } from "./protected.ts";

it("refuses an item that the view calls protected, and no other", async () => {
  const views: View[] = [];
  const looker = {
    name: "looker",
    propose(view: View) {
      views.push(view);
      return { proposals: [], declines: [] };
    },
  };
  await prepare(createTestKeeper({ policies: [looker] }), bodyOf(bash(user(EMPTY_TALK, "go"), "b1", "x", "text")));
  const [view] = views;
  const item = view?.transcript.items.find((one) => one.kind === "result");
  if (view === undefined || item === undefined) throw new Error("no view");
  const proposal = { itemKey: item.key, policy: "p", reason: "over_bound", markerMode: "full" } as const;
  const candidate: Candidate = {
    proposal: { ...proposal, evidenceKey: null, allowsCold: true, isForced: false },
    item,
    moment: "first-send",
    rendering: () => ({ text: "", tokens: 0, bytes: 0 }),
  };
  expect(protectedItem.refuse(candidate, view)).toBeNull();
  expect(protectedItem.refuse(candidate, { ...view, isProtected: (key) => key === item.key })).toContain("protected");
});
