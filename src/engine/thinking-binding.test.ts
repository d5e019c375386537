import { describe, expect, it } from "vitest";
import {
  assistant,
  bodyOf,
  call,
  EMPTY_TALK,
  result,
  results,
  type Talk,
  thinking,
  user,
} from "../../test/support/conversation.ts";
import { createTestKeeper, prepare } from "../../test/support/keeper.ts";
import type { ThinkingBinding } from "../model/cache.ts";
import type { Candidate } from "../model/decision.ts";
import type { View } from "../model/view.ts";
import { createReadLifecycle } from "../policies/read-lifecycle.ts";
import { boundRestorations } from "./bound-restorations.ts";
import { boundThinking } from "./gates/bound-thinking.ts";

const BINDINGS: readonly ThinkingBinding[] = ["none", "block", "prefix"];
const TEXT = "     1\tconst one = 1;\n".repeat(200);

/** A read that an edit made stale, with thinking behind it. */
function staleRead(): Talk {
  let talk = user(EMPTY_TALK, "go");
  talk = assistant(talk, call("r1", "Read", { file_path: "/w/a.ts" }));
  talk = results(talk, result("r1", TEXT));
  const edit = { file_path: "/w/a.ts", old_string: "const one = 1;", new_string: "const one = 2;" };
  talk = assistant(talk, thinking("t1"), call("e1", "Edit", edit));
  return results(talk, result("e1", "The file /w/a.ts has been updated."));
}

async function viewWith(binding: ThinkingBinding): Promise<View> {
  const views: View[] = [];
  const looker = {
    name: "looker",
    propose(view: View) {
      views.push(view);
      return { proposals: [], declines: [] };
    },
  };
  await prepare(createTestKeeper({ policies: [looker] }), bodyOf(staleRead()));
  const [view] = views;
  if (view === undefined) throw new Error("no policy was asked");
  return { ...view, model: { ...view.model, thinkingBinding: binding } };
}

describe("what thinking is signed over", () => {
  it.each(BINDINGS)("forbids to rewrite what stands before it only where that is the prefix: %s", async (binding) => {
    const view = await viewWith(binding);
    const item = view.transcript.items.find(({ kind }) => kind === "result");
    if (item === undefined) throw new Error("no result");
    const candidate = { item } as Candidate;
    expect(boundThinking.refuse(candidate, view) !== null).toBe(binding === "prefix");
  });

  it.each(BINDINGS)("lets a stale read be forced out at depth unless that is the prefix: %s", async (binding) => {
    const policy = createReadLifecycle({
      minTokens: 1,
      stale: true,
      superseded: true,
      staleAtDepth: true,
      coldCache: false,
      markerMode: "full",
      quietSteps: 0,
    });
    const { proposals } = policy.propose(await viewWith(binding));
    expect(proposals).toMatchObject([{ reason: "stale", isForced: binding !== "prefix" }]);
  });

  it.each(BINDINGS)("puts back what left before it only where that is the prefix: %s", async (binding) => {
    const view = await viewWith(binding);
    const item = view.transcript.items.find(({ kind }) => kind === "result");
    if (item === undefined) throw new Error("no result");
    const decision = { address: "a", thinkingBehind: view.thinkingBehind(item) };
    const left = { state: "released", decision } as unknown as ReturnType<View["standingOf"]>;
    const released: View = { ...view, standingOf: (key) => (key === item.key ? left : view.standingOf(key)) };
    expect(boundRestorations(released)).toHaveLength(binding === "prefix" ? 1 : 0);
  });
});
