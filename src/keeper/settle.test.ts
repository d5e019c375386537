import { describe, expect, it } from "vitest";
import { bash, bodyOf, EMPTY_TALK, edit, read, user } from "../../test/support/conversation.ts";
import { createTestKeeper, prepare, resultIn, send, wire } from "../../test/support/keeper.ts";
import type { Commit, Store } from "../model/store.ts";
import { createMemoryStore } from "../stores/memory.ts";

const FILE = Array.from({ length: 120 }, (_, line) => `const value${line} = compute(${line}, "some text");`).join("\n");
const BOUND = { lines: 50, bytes: 262_144 };
const MINUTE = 60_000;
const asked = user(EMPTY_TALK, "go");
const readTalk = read(asked, "r1", "/w/a.ts", FILE);
const twoReads = read(readTalk, "r2", "/w/b.ts", FILE);

function watched(): { readonly store: Store; readonly commits: Commit[] } {
  const inner = createMemoryStore({});
  const commits: Commit[] = [];
  const commit: Store["commit"] = (given) => {
    commits.push(given);
    return inner.commit(given);
  };
  return { store: { ...inner, commit }, commits };
}

describe("recording a request", () => {
  it("takes one commit, with the items and the chain that are new, and one for its response", async () => {
    const { store, commits } = watched();
    const keeper = createTestKeeper({ store });
    await send(keeper, bodyOf(readTalk));
    await send(keeper, bodyOf(twoReads));
    expect(commits.map(({ entries }) => entries.map((entry) => entry.type).join(" "))).toEqual([
      "lineage-opened item-acquired request-sent",
      "response-seen",
      "item-acquired request-sent",
      "response-seen",
    ]);
    expect(commits.map(({ chain }) => chain.map((row) => row.position))).toEqual([[1, 2, 3], [], [4, 5], []]);
    expect(commits.map(({ expectedSeq }) => expectedSeq)).toEqual([0, 3, 4, 6]);
  });

  it("plans again where another process wrote first, and decides all the same", async () => {
    const { store } = watched();
    const keeper = createTestKeeper({ store, bound: BOUND });
    const first = await send(keeper, bodyOf(readTalk));
    const query = {
      range: null,
      pattern: null,
      ignoreCase: false,
      chars: null,
      sessionId: null,
      by: "user",
      atMs: 1,
    } as const;
    await createTestKeeper({ store, idPrefix: "other" }).recall({ tenant: "local", id: "r1", ...query });
    const second = await send(keeper, bodyOf(twoReads));
    expect(resultIn(second, "r2")).toContain("[ebb ");
    expect(resultIn(second, "r1")).toBe(resultIn(first, "r1"));
    expect(keeper.stats()).toMatchObject({ errors: [], fallbacks: { script_only: 0, original: 0, refused: 0 } });
  });

  it("of an observer decides nothing, in this request or a later one", async () => {
    const keeper = createTestKeeper({ mode: "observe", bound: BOUND });
    for (const talk of [readTalk, twoReads]) {
      expect(await send(keeper, bodyOf(talk))).toBe(Buffer.from(bodyOf(talk)).toString());
    }
    const [lineage] = await keeper.store.listLineages("local", 1);
    const records = await keeper.store.loadLineage("local", lineage?.lineage ?? "");
    expect(records.map(({ entry }) => entry.type)).not.toContain("item-released");
    expect(keeper.stats().would_release).toMatchObject([{ count: 2 }]);
  });

  it("of a keeper that is switched off proposes nothing and counts nothing", async () => {
    const keeper = createTestKeeper({ mode: "off", bound: BOUND });
    expect(await send(keeper, bodyOf(readTalk))).toBe(Buffer.from(bodyOf(readTalk)).toString());
    expect(keeper.stats()).toMatchObject({ would_release: [], released: [], declined: [] });
  });

  it("of a count writes nothing", async () => {
    const { store, commits } = watched();
    await send(createTestKeeper({ store, bound: BOUND }), bodyOf(readTalk), { kind: "count" });
    expect(commits).toEqual([]);
  });
});

describe("the disk cap", () => {
  it("holds what is new and lets go what the store has already", async () => {
    const inner = createMemoryStore({});
    let isFull = false;
    const putOriginals: Store["putOriginals"] = async (...given) => !isFull && inner.putOriginals(...given);
    const keeper = createTestKeeper({ store: { ...inner, putOriginals } });
    const stale = edit(readTalk, "e1", "/w/a.ts");
    await send(keeper, bodyOf(readTalk), { atMs: 0 });
    await send(keeper, bodyOf(stale), { atMs: 1 });
    await keeper.close();
    isFull = true;
    const cold = await send(keeper, bodyOf(bash(stale, "b1", "x", "y")), { atMs: 30 * MINUTE });
    expect(resultIn(cold, "r1")).toContain("[ebb ");
  });
});

describe("a wire that fails", () => {
  it("makes a refusal that the client tries again, and one error", async () => {
    const keeper = createTestKeeper();
    const broken = {
      ...wire,
      read: () => {
        throw new RangeError("a fault");
      },
    };
    const hints = { tenant: "local", sessionId: null, agentId: null, parentAgentId: null };
    const request = {
      wire: broken,
      route: { kind: "generate", model: null },
      provider: keeper.provider,
      body: bodyOf(asked),
      hints,
      userAgent: null,
    } as const;
    expect((await keeper.prepare({ ...request, atMs: 1 })).kind).toBe("refuse");
    expect(keeper.stats().errors.map((error) => error.code)).toEqual(["internal"]);
    expect((await prepare(keeper, bodyOf(asked))).kind).toBe("forward");
  });
});
