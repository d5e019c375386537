import { describe, expect, it } from "vitest";
import {
  assistant,
  bodyOf,
  call,
  EMPTY_TALK,
  read,
  result,
  results,
  type Talk,
  text,
  user,
} from "../../test/support/conversation.ts";
import { createTestKeeper, prepare, resultIn, send, type TestKeeperOptions } from "../../test/support/keeper.ts";
import { SUMMARY } from "../../test/support/orders.ts";
import { imageBlock, picture } from "../../test/support/pictures.ts";
import { gates } from "../builtins.ts";
import type { Store } from "../model/store.ts";

const MINUTE = 60_000;
const PATH = "/w/a.ts";
const asked = user(EMPTY_TALK, "fix a.ts");

describe("a file whose releases were missed", () => {
  it("is not released from again after the second time", async () => {
    const thrashing = new Thrashing();
    await thrashing.missOnce();
    expect(await thrashing.leavesWhenCold()).toBe(true);
    await thrashing.reread();
    expect(await thrashing.leavesWhenCold()).toBe(false);
    const { declined } = thrashing.keeper.stats();
    expect(declined.find(({ reason }) => reason === "thrash_guard")).toMatchObject({ items: 1 });
  });

  it("is released from again where each read showed what an edit had changed: nothing was missed", async () => {
    const editing = new Thrashing({ isSame: false });
    await editing.missOnce();
    for (let round = 0; round < 3; round++) {
      expect(await editing.leavesWhenCold()).toBe(true);
      await editing.reread();
    }
    expect(editing.keeper.stats().figures.regret.induced).toBeGreaterThan(2);
  });

  it("stays so after a restart, on what the ledger says", async () => {
    const thrashing = new Thrashing();
    await thrashing.missOnce();
    thrashing.restart();
    expect(await thrashing.leavesWhenCold()).toBe(true);
    await thrashing.reread();
    thrashing.restart();
    expect(await thrashing.leavesWhenCold()).toBe(false);
  });

  it("stays so in a fork", async () => {
    const thrashing = new Thrashing();
    await thrashing.missOnce();
    expect(await thrashing.leavesWhenCold()).toBe(true);
    await thrashing.reread();
    thrashing.fork();
    expect(await thrashing.leavesWhenCold()).toBe(false);
  });

  it("stays so where the client compacted the history", async () => {
    const thrashing = new Thrashing();
    await thrashing.missOnce();
    expect(await thrashing.leavesWhenCold()).toBe(true);
    await thrashing.reread();
    thrashing.talk = user(EMPTY_TALK, SUMMARY);
    await thrashing.reread();
    expect(await thrashing.leavesWhenCold()).toBe(false);
  });

  it("is released from where the gate is not asked, so that counting alone changes nothing", async () => {
    const thrashing = new Thrashing({ gates: gates.filter(({ reason }) => reason !== "thrash_guard") });
    await thrashing.missOnce();
    await thrashing.leavesWhenCold();
    await thrashing.reread();
    expect(await thrashing.leavesWhenCold()).toBe(true);
  });

  it("does not keep what is over the size bound, and does what is decided on purpose", async () => {
    const thrashing = new Thrashing({ bound: { lines: 500, bytes: 262_144 } });
    await thrashing.missOnce();
    await thrashing.leavesWhenCold();
    await thrashing.reread();
    thrashing.talk = read(thrashing.talk, "large", PATH, "x\n".repeat(600));
    expect(resultIn(await thrashing.send(), "large")).toContain("[ebb ");
    const targets = { ids: [thrashing.last], paths: [], latest: null };
    const context = { tenant: "local", lineage: null, sessionId: null, by: "user", atMs: 9e6 } as const;
    expect(await thrashing.keeper.decide({ verb: "release", targets, reason: "done" }, context)).toMatchObject({
      ok: true,
    });
    expect(resultIn(await thrashing.send(), thrashing.last)).toContain("[ebb ");
  });
});

describe("a regret", () => {
  it("is in the ledger once, before the request leaves, and in the figures by policy", async () => {
    const thrashing = new Thrashing({ isSame: false });
    await thrashing.missOnce();
    await thrashing.send();
    expect(await thrashing.regrets()).toEqual([
      { itemKey: expect.stringContaining("r1"), path: PATH, kind: "induced", step: 3 },
    ]);
    const { figures, regretted } = thrashing.keeper.stats();
    expect(figures.regret).toEqual({ strict: 0, use: 0, induced: 1 });
    expect(regretted).toEqual([{ policy: "readlifecycle", strict: 0, use: 0, induced: 1 }]);
  });

  it("is counted when the file did not change as well: strict", async () => {
    const keeper = createTestKeeper({ lifetimeRules: [ONE_TURN] });
    const first = read(asked, "r1", PATH, fileOf(1));
    await send(keeper, bodyOf(first), { atMs: 0 });
    const next = user(assistant(first, text("a")), "b");
    await send(keeper, bodyOf(next), { atMs: 1_000 });
    const later = user(assistant(next, text("c")), "d");
    expect(resultIn(await send(keeper, bodyOf(later), { atMs: 30 * MINUTE }), "r1")).toContain("[ebb ");
    await send(keeper, bodyOf(read(later, "r2", PATH, fileOf(1))), { atMs: 31 * MINUTE });
    expect(keeper.stats().regretted).toEqual([{ policy: "lifetimes", strict: 1, use: 0, induced: 1 }]);
  });

  it("is counted of a picture by its own bytes, not by the result it came in", async () => {
    const shot = (talk: Talk, id: string, seed: number) =>
      results(assistant(talk, call(id, "Read", { file_path: "/w/a.png" })), result(id, [imageBlock(picture(seed))]));
    const regretsOf = async (seed: number) => {
      const keeper = createTestKeeper();
      const first = shot(asked, "s1", 1);
      await send(keeper, bodyOf(first), { atMs: 0 });
      await keeper.decide(
        { verb: "release", targets: { ids: ["s1"], paths: [], latest: null }, reason: "seen" },
        { tenant: "local", lineage: null, sessionId: null, by: "user", atMs: 1 },
      );
      const later = user(assistant(first, text("ok")), "more");
      expect(await send(keeper, bodyOf(later), { atMs: 1_000 })).not.toContain('"type":"image"');
      await send(keeper, bodyOf(shot(later, "s2", seed)), { atMs: 2_000 });
      return keeper.stats().figures.regret;
    };
    expect(await regretsOf(1)).toEqual({ strict: 1, use: 0, induced: 1 });
    expect(await regretsOf(2)).toEqual({ strict: 0, use: 0, induced: 1 });
  });

  it("is shown by a request that repeats nothing else, not by one that is only counted or sent again", async () => {
    const thrashing = new Thrashing({ isSame: false });
    await thrashing.missOnce();
    const missed = thrashing.keeper.stats().figures.regret;
    await prepare(thrashing.keeper, bodyOf(thrashing.talk), { atMs: thrashing.atMs, kind: "count" });
    await thrashing.send();
    await thrashing.send();
    expect(thrashing.keeper.stats().figures.regret).toEqual(missed);
  });

  it("loses its path with the user's words", async () => {
    const thrashing = new Thrashing({ isSame: false });
    await thrashing.missOnce();
    await thrashing.keeper.purge("local", { kind: "all" }, 9e6);
    expect((await thrashing.regrets()).map(({ path }) => path)).toEqual([null]);
  });
});

const ONE_TURN = { tools: null, kinds: ["read"], media: null, fitsPath: null, turns: 1, steps: null } as const;

function fileOf(version: number): string {
  return Array.from({ length: 120 }, (_, line) => `const v${line} = compute(${line}, ${version}, "text");`).join("\n");
}

/** An agent that reads a file, edits it, and reads it again once the read has left. */
class Thrashing {
  talk: Talk = asked;
  atMs = 0;
  keeper: ReturnType<typeof createTestKeeper>;
  last = "";
  readonly #options: TestKeeperOptions;
  /** The file is as it was at each read, whatever was done in between. */
  readonly #isSame: boolean;
  #count = 0;

  constructor({ isSame = true, ...options }: TestKeeperOptions & { readonly isSame?: boolean } = {}) {
    this.#options = options;
    this.#isSame = isSame;
    this.keeper = createTestKeeper(options);
  }

  restart(): void {
    const { store }: { readonly store: Store } = this.keeper;
    this.keeper = createTestKeeper({ ...this.#options, store, idPrefix: `at${this.atMs}-` });
  }

  fork(): void {
    this.talk = user(assistant({ messages: this.talk.messages.slice(0, -2) }, text("ok")), "another way");
    this.talk = read(this.talk, this.last, PATH, fileOf(this.#isSame ? 0 : this.#count));
  }

  send(): Promise<string> {
    this.atMs += 1_000;
    return send(this.keeper, bodyOf(this.talk), { atMs: this.atMs });
  }

  /** A new read of the file, sent. */
  async reread(): Promise<void> {
    this.#count++;
    this.last = `r${this.#count}`;
    this.talk = read(this.talk, this.last, PATH, fileOf(this.#isSame ? 0 : this.#count));
    await this.send();
  }

  /** An edit makes the last read stale, and the cache expires. */
  async leavesWhenCold(): Promise<boolean> {
    const called = call(`e${this.atMs}`, "Edit", { file_path: PATH, old_string: "", new_string: "b" });
    this.talk = results(assistant(this.talk, called), result(`e${this.atMs}`, `The file ${PATH} has been updated.`));
    await this.send();
    this.atMs += 30 * MINUTE;
    return String(resultIn(await this.send(), this.last)).startsWith("[ebb ");
  }

  async missOnce(): Promise<void> {
    await this.reread();
    expect(await this.leavesWhenCold()).toBe(true);
    await this.reread();
  }

  async regrets() {
    const [newest] = await this.keeper.store.listLineages("local", 1);
    const records = await this.keeper.store.loadLineage("local", newest?.lineage ?? "");
    return records.flatMap(({ entry }) => {
      if (entry.type !== "item-regretted") return [];
      const { itemKey, path, kind, step } = entry.regret;
      return [{ itemKey, path, kind, step }];
    });
  }
}
