import { describe, expect, test } from "vitest";
import { createFakeKeeper, type FakeKeeperParts } from "../../test/support/proxy/fake-keeper.ts";
import type { Binding, ToolCall } from "../keeper/bind.ts";
import type { RecallAnswer } from "../keeper/contract.ts";
import type { Order, OrderContext } from "../keeper/order.ts";
import type { WindowAnswer, WindowItem } from "../keeper/window.ts";
import type { ItemRecord } from "../model/ledger.ts";
import type { Report } from "../model/report.ts";
import { answerCall, type Call, CHARS_DEFAULT } from "./call.ts";

type ListedWindow = Extract<WindowAnswer, { ok: true }>;

const BOUND: Binding = { state: "bound", lineage: "l1", sessionId: "s1" };
const UNBOUND: Binding = { state: "unbound", words: "2 conversations made a call of recall" };
const AGENT = { tenant: "local", by: "agent", atMs: 5 };
const ID = "0123456789ab";

function deskWith(parts: FakeKeeperParts = {}, binding: Binding = BOUND) {
  const calls: ToolCall[] = [];
  const orders: (readonly [Order, OrderContext])[] = [];
  const keeper = createFakeKeeper({
    bind: async (call) => {
      calls.push(call);
      return binding;
    },
    decide: async (order, context) => {
      orders.push([order, context]);
      return { ok: true, lineage: "l1", addresses: [ID], words: "done; from the next request" };
    },
    ...parts,
  });
  const ask = (tool: Call["tool"], args: unknown) =>
    answerCall({ tool, arguments: args, callId: "toolu_1" }, { keeper, tenant: "local", nowMs: () => 5 });
  return { calls, orders, queries: keeper.queries, ask };
}

function media(mediaType: string | null, raw: Uint8Array): RecallAnswer {
  const item = { address: ID, kind: "media", mediaType } as ItemRecord;
  return { ok: true, item, text: `[ebb ${ID}] Read /a.png`, raw };
}

describe("a call in a conversation that is known", () => {
  test("recalls there, as the agent, at most the default of characters", async () => {
    const { calls, queries, ask } = deskWith();
    await ask("recall", { id: ID, range: "3-4", pattern: "x", ignore_case: true });
    expect(calls).toEqual([{ tenant: "local", callId: "toolu_1", tool: "recall", isAddressed: true }]);
    const asked = { id: ID, range: "3-4", pattern: "x", ignoreCase: true, chars: CHARS_DEFAULT };
    expect(queries).toEqual([{ ...AGENT, ...asked, lineage: "l1", sessionId: "s1" }]);
    await ask("recall", { id: ID, chars: 7 });
    expect(queries[1]).toMatchObject({ chars: 7, range: null, pattern: null, ignoreCase: false });
  });

  test.each<[Call["tool"], object, object]>([
    ["recall", { id: ID, keep: true, range: "2-3" }, { verb: "keep", id: ID, range: "2-3", reason: "r" }],
    ["recall", { id: ID, keep: true }, { verb: "keep", id: ID, range: null, reason: "r" }],
    ["recall", { id: ID, release: true }, { verb: "release", targets: { ids: [ID], paths: [], latest: null } }],
    ["release", { latest: 3 }, { verb: "release", targets: { ids: [], paths: [], latest: 3 } }],
    ["release", { scope: "tmp_a" }, { verb: "close", scope: "tmp_a" }],
    ["hold", { paths: ["/a"], steps: 2 }, { verb: "hold", lifetime: { kind: "steps", steps: 2 } }],
    ["hold", { ids: [ID], protect: true }, { verb: "protect", lifetime: { kind: "forever" } }],
    ["hold", { ids: [ID], protect: true, off: true }, { verb: "unprotect" }],
  ])("%s with %j orders %j there", async (tool, args, order) => {
    const { orders, queries, ask } = deskWith();
    const answer = await ask(tool, { ...args, reason: "r" });
    expect(answer).toEqual({ content: [{ type: "text", text: "done; from the next request" }], failure: null });
    expect(orders).toEqual([[expect.objectContaining(order), { ...AGENT, lineage: "l1", sessionId: "s1" }]]);
    expect(queries).toEqual([]);
  });
});

describe("a scope that is closed", () => {
  const item = { address: ID, label: "Read /a", bytes: 5, how: "acquired", state: "asked", left: null } as const;

  async function closed(items: number): Promise<string> {
    const clock = { turn: 1, step: 2 };
    const listed = Array.from({ length: items }, () => ({ ...item, ...clock }));
    const report: Report = { lineage: "l1", sessionId: "s1", scope: null, until: clock, items: listed, files: [] };
    const decide: FakeKeeperParts["decide"] = async () => {
      return { ok: true, lineage: "l1", addresses: [], words: "tmp_a is closed", report };
    };
    const answer = await deskWith({ decide }).ask("release", { scope: "tmp_a", reason: "r" });
    return answer.content.map((part) => (part.type === "text" ? part.text : part.type)).join("");
  }

  test("is answered with its report", async () => {
    const text = await closed(1);
    expect(text).toMatch(/^tmp_a is closed\n\n/);
    expect(text).toContain(ID);
  });

  test("is answered with whole lines of a report that is too long, and how much is left", async () => {
    const text = await closed(5_000);
    expect(text.length).toBeLessThan(CHARS_DEFAULT + 100);
    expect(text).toMatch(/\n\(\d+ characters more: ebb report\)$/);
  });
});

describe("a call in a conversation that is not known", () => {
  test("goes by the item that an id names", async () => {
    const { orders, queries, ask } = deskWith({}, UNBOUND);
    await ask("recall", { id: ID });
    await ask("release", { ids: [ID], reason: "r" });
    expect(queries[0]).toMatchObject({ lineage: null, sessionId: null });
    expect(orders[0]?.[1]).toEqual({ ...AGENT, lineage: null, sessionId: null });
  });

  test.each<[Call["tool"], object]>([
    ["recall", { id: "index" }],
    ["release", { latest: 1, reason: "r" }],
    ["release", { paths: ["/a"], reason: "r" }],
    ["release", { scope: "tmp_a", reason: "r" }],
    ["hold", { latest: 1, reason: "r" }],
    ["window", {}],
  ])("%s with %j is answered with why, and nothing happens", async (tool, args) => {
    const window: FakeKeeperParts["window"] = () => Promise.reject(new Error("asked"));
    const { calls, orders, queries, ask } = deskWith({ window }, UNBOUND);
    const text = "ambiguous session: 2 conversations made a call of recall";
    expect(await ask(tool, args)).toEqual({ content: [{ type: "text", text }], failure: "ambiguous session" });
    expect([orders, queries]).toEqual([[], []]);
    expect(calls).toMatchObject([{ tool, isAddressed: false }]);
  });

  test("is told where the store could not be read", async () => {
    const { queries, ask } = deskWith({}, { state: "failed", words: "locked" });
    expect(await ask("recall", { id: ID })).toMatchObject({ failure: "store unavailable" });
    expect(queries).toEqual([]);
  });
});

describe("an attachment", () => {
  const raw = new Uint8Array([0, 255, 137, 80, 10]).subarray(1);

  test.each(["image/png", "image/jpeg", "image/gif", "image/webp"])(
    "of %s comes back as an image",
    async (mimeType) => {
      const { ask } = deskWith({ recall: () => media(mimeType, raw) });
      const [label, image] = (await ask("recall", { id: ID })).content;
      expect(label).toEqual({ type: "text", text: `[ebb ${ID}] Read /a.png` });
      expect(image).toEqual({ type: "image", data: Buffer.from([255, 137, 80, 10]).toString("base64"), mimeType });
    },
  );

  test.each([
    ["application/pdf", "application/pdf"],
    ["image/svg+xml", "image/svg+xml"],
    [null, "application/octet-stream"],
  ])("of %s comes back as a resource", async (mediaType, mimeType) => {
    const { ask } = deskWith({ recall: () => media(mediaType, raw) });
    const [, resource] = (await ask("recall", { id: ID })).content;
    const blob = Buffer.from([255, 137, 80, 10]).toString("base64");
    expect(resource).toEqual({ type: "resource", resource: { uri: `ebb://original/${ID}`, mimeType, blob } });
  });
});

describe("the listing of a window", () => {
  const items = Array.from({ length: 3 }, (_, index) => itemAt(index + 1));

  function itemAt(step: number): WindowItem {
    const nothing = { left: null, held: null, protected: null, waiting: null, words: "" };
    return {
      address: `a${step}`,
      kind: "result",
      label: `Read /${step}`,
      bytes: step,
      state: "held",
      ...nothing,
      turn: 1,
      step,
    };
  }

  async function listed(range: string | undefined, window: Partial<ListedWindow> = {}): Promise<string> {
    const told: ListedWindow = {
      ok: true,
      lineage: "l1",
      turn: 1,
      step: 3,
      items,
      paths: [],
      scopes: [],
      guarded: null,
      gone: 0,
    };
    const answer = await deskWith({ window: async () => ({ ...told, ...window }) }).ask(
      "window",
      range === undefined ? {} : { range },
    );
    return answer.content.map((part) => (part.type === "text" ? part.text : part.type)).join("");
  }

  test("has a line for each item", async () => {
    const head = "turn 1, step 3, 3 items; 3 lines shown, complete";
    const lines = ["a1 held 1 bytes Read /1", "a2 held 2 bytes Read /2", "a3 held 3 bytes Read /3"];
    expect(await listed(undefined)).toBe([head, ...lines].join("\n"));
  });

  test("names paths, scopes and what is gone as well", async () => {
    const until = { until: "until step 9", by: "agent" } as const;
    const paths = [{ path: "/a", kind: "held", reason: "editing", ...until } as const];
    const scopes = [{ name: "tmp_a", reason: "the fix", turn: 2, step: 4, addresses: ["a1", "a2"] }];
    expect(await listed(undefined, { items: [], paths, scopes, gone: 4 })).toBe(
      "turn 1, step 3, 0 items, 4 no longer in it but recallable; 2 lines shown, complete\n" +
        "path /a held until step 9: editing\n" +
        "scope tmp_a open since turn 2: the fix; 2 items",
    );
  });

  test.each([
    ["2", "1 lines shown, complete", ["a2"]],
    ["2-", "2 lines shown, complete", ["a2", "a3"]],
    ["-2", "2 lines shown, complete", ["a1", "a2"]],
    ["9-", "0 lines shown, complete", []],
  ])("shows the lines %s of it", async (range, shown, addresses) => {
    const [head = "", ...lines] = (await listed(range)).split("\n");
    expect(head).toContain(shown);
    expect(lines.map((line) => line.split(" ")[0])).toEqual(addresses);
  });

  test.each(["4-2", "x", "1@2-3"])("refuses the range %s", async (range) => {
    expect(await listed(range)).toMatch(/^bad range: /);
  });

  test("names the range that continues, and walking it shows every item once", async () => {
    const many = Array.from({ length: 2_000 }, (_, index) => ({ ...itemAt(index + 1), label: "x".repeat(90) }));
    const seen: string[] = [];
    for (let range: string | undefined = "1-1999"; range !== undefined; ) {
      const text = await listed(range, { items: many });
      expect(text.length).toBeLessThanOrEqual(CHARS_DEFAULT + 100);
      const [head = "", ...lines] = text.split("\n");
      seen.push(...lines.map((line) => line.split(" ")[0] ?? ""));
      range = /range=(\S+)/.exec(head)?.[1];
    }
    expect(seen).toEqual(many.slice(0, 1999).map(({ address }) => address));
  });
});
