import { describe, expect, it } from "vitest";
import { createFakeKeeper, type FakeKeeperParts } from "../../test/support/proxy/fake-keeper.ts";
import { createInlineAnswerer } from "./inline-call.ts";

const PLACE = { lineage: "line", sessionId: "sess" };

function raise(parts: FakeKeeperParts = {}) {
  const faults: unknown[] = [];
  const bind = () => Promise.reject(new Error("the conversation is known"));
  const keeper = createFakeKeeper({ bind, ...parts });
  const answer = createInlineAnswerer({ keeper, tenant: "local", nowMs: () => 5 }, (fault) => faults.push(fault));
  const call = (name: string, input: Parameters<typeof answer>[0]["input"]) =>
    answer({ blockIndex: 0, id: "toolu_1", name, input, seenBefore: 0 }, PLACE);
  return { keeper, faults, call };
}

describe("a call inside the stream", () => {
  it("is answered in its own conversation, which nobody has to look for", async () => {
    const { keeper, call } = raise();
    const answer = await call("ebb_recall", { id: "0123456789ab", range: "1-2" });
    expect(answer).toEqual({ content: [{ type: "text", text: "unknown id: no such item" }], failure: "unknown id" });
    expect(keeper.queries).toMatchObject([
      { id: "0123456789ab", range: "1-2", tenant: "local", by: "agent", atMs: 5, ...PLACE },
    ]);
  });

  it("decides and lists there as well", async () => {
    const places: unknown[] = [];
    const { call } = raise({
      async decide(_order, context) {
        places.push(context);
        return { ok: false, failure: "unknown id", words: "none" };
      },
      async window(context) {
        places.push(context);
        return { ok: false, failure: "unknown session", words: "none" };
      },
    });
    expect((await call("ebb_hold", { ids: ["0123456789ab"], turns: 1, reason: "r" })).failure).toBe("unknown id");
    expect((await call("ebb_release", { ids: ["0123456789ab"], reason: "r" })).failure).toBe("unknown id");
    expect((await call("ebb_window", {})).failure).toBe("unknown session");
    expect(places).toMatchObject([PLACE, PLACE, PLACE]);
  });

  it.each([
    ["ebb_recall", null, "bad order: expected the arguments as a JSON object"],
    ["ebb_recall", { id: 7 }, "bad order: "],
    ["ebb_recall", [], "bad order: "],
    ["recall", { id: "0123456789ab" }, "bad order: expected one of the tools ebb_recall, ebb_hold"],
    ["ebb_nothing", {}, 'got "ebb_nothing"'],
  ])("%s with %j is told what was expected", async (name, input, words) => {
    const { keeper, call, faults } = raise();
    const { content, failure } = await call(name, input);
    expect(failure).toBe("bad order");
    expect(content).toMatchObject([{ type: "text", text: expect.stringContaining(words) }]);
    expect([keeper.queries, faults]).toEqual([[], []]);
  });

  it("that meets our own mistake is answered too, and the mistake is told to the log", async () => {
    const fault = new Error("must not happen");
    const { call, faults } = raise({ window: () => Promise.reject(fault) });
    expect(await call("ebb_window", {})).toMatchObject({ failure: "fault" });
    expect(faults).toEqual([fault]);
  });
});
