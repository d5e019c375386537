import { describe, expect, it } from "vitest";
import { bash, bodyOf, EMPTY_TALK, edit, read, user } from "../../test/support/conversation.ts";
import { createTestKeeper, prepare, resultIn, send, wire } from "../../test/support/keeper.ts";
import type { ReadMemo, Wire } from "../model/ports.ts";
import type { Store } from "../model/store.ts";
import { anthropicProvider } from "../providers/anthropic.ts";
import { createMemoryStore } from "../stores/memory.ts";
import { checkWritten } from "./self-check.ts";

const FILE = Array.from({ length: 120 }, (_, line) => `const value${line} = compute(${line}, "some text");`).join("\n");
const bound = { lines: 50, bytes: 262_144 };
const asked = user(EMPTY_TALK, "go");
const readTalk = read(asked, "r1", "/w/a.ts", FILE);
const next = bash(readTalk, "b1", "x", "text");
const hints = { tenant: "local", sessionId: "session", agentId: null, parentAgentId: null };
const request = {
  route: { kind: "generate", model: null },
  provider: anthropicProvider,
  hints,
  userAgent: "claude-cli/2.0.75 (external, cli)",
  atMs: 1,
} as const;

/** A wire that writes as it should until told to drop bytes, and counts what it reads. */
function breakableWire() {
  const state = { isBroken: false, reads: 0 };
  const broken: Wire = {
    ...wire,
    read(body, memo, route) {
      state.reads++;
      return wire.read(body, memo, route);
    },
    write(body, source, script) {
      const slices = wire.write(body, source, script);
      return state.isBroken && script.length > 0 ? slices.slice(0, -1) : slices;
    },
  };
  return { state, wire: broken };
}

describe("a body that repeats what was sent", () => {
  it("is not read again to be checked", async () => {
    const { state, wire: counting } = breakableWire();
    const keeper = createTestKeeper({ bound });
    const reads: number[] = [];
    for (const talk of [readTalk, next, bash(next, "b2", "x", "text")]) {
      state.reads = 0;
      await keeper.prepare({ ...request, wire: counting, body: bodyOf(talk) });
      reads.push(state.reads);
    }
    expect(reads).toEqual([2, 1, 1]);
    expect(keeper.stats()).toMatchObject({ law_violations: 0, released: [{ count: 1 }] });
  });

  it("is read again by another process, which proved nothing of it yet", async () => {
    const { state, wire: counting } = breakableWire();
    const first = createTestKeeper({ bound });
    await send(first, bodyOf(readTalk));
    await createTestKeeper({ bound, store: first.store }).prepare({ ...request, wire: counting, body: bodyOf(next) });
    expect(state.reads).toBe(2);
  });

  it("is refused where it would break a law: no other form was sent before", async () => {
    const { state, wire: breakable } = breakableWire();
    const keeper = createTestKeeper({ bound });
    await keeper.prepare({ ...request, wire: breakable, body: bodyOf(readTalk) });
    state.isBroken = true;
    const refused = await keeper.prepare({ ...request, wire: breakable, body: bodyOf(next) });
    expect(refused).toMatchObject({ kind: "refuse", words: expect.stringContaining("found no form") });
    expect(keeper.stats()).toMatchObject({ law_violations: 2, fallbacks: { refused: 1, original: 0, script_only: 0 } });
    state.isBroken = false;
    expect((await keeper.prepare({ ...request, wire: breakable, body: bodyOf(next) })).kind).toBe("forward");
  });

  it("is refused too by a process that did not send it: it never goes out as it came", async () => {
    const { state, wire: breakable } = breakableWire();
    const first = createTestKeeper({ bound });
    await send(first, bodyOf(readTalk));
    state.isBroken = true;
    const later = createTestKeeper({ bound, store: first.store, idPrefix: "later" });
    expect((await later.prepare({ ...request, wire: breakable, body: bodyOf(next) })).kind).toBe("refuse");
  });

  it("is checked as well where the store failed and the fallback wrote it", async () => {
    const { state, wire: breakable } = breakableWire();
    const inner = createMemoryStore({});
    const store: Store = {
      ...inner,
      commit(given) {
        if (given.expectedSeq === 0) return inner.commit(given);
        state.isBroken = true;
        return Promise.reject(new Error("fails"));
      },
    };
    const keeper = createTestKeeper({ bound, store });
    await keeper.prepare({ ...request, wire: breakable, body: bodyOf(readTalk) });
    expect((await keeper.prepare({ ...request, wire: breakable, body: bodyOf(next) })).kind).toBe("refuse");
    expect(keeper.stats()).toMatchObject({ law_violations: 1, fallbacks: { refused: 1 } });
  });
});

describe("new decisions that break a law", () => {
  it("are dropped, and what was sent before goes out", async () => {
    const keeper = createTestKeeper({ bound });
    const first = await send(keeper, bodyOf(readTalk));
    const lossy: Wire = {
      ...wire,
      write: (body, source, script) =>
        script.length === 2 ? [...wire.write(body, source, script).slice(0, -1)] : wire.write(body, source, script),
    };
    const body = bodyOf(read(next, "r2", "/w/b.ts", FILE));
    const prepared = await keeper.prepare({ ...request, wire: lossy, body });
    const sent = prepared.kind === "forward" ? Buffer.concat(prepared.body).toString() : "";
    expect(resultIn(sent, "r1")).toBe(resultIn(first, "r1"));
    expect(resultIn(sent, "r2")).not.toContain("[ebb ");
    expect(keeper.stats()).toMatchObject({
      law_violations: 1,
      fallbacks: { script_only: 1 },
      released: [{ count: 1 }],
    });
  });
});

describe("an original that the store answers with other bytes", () => {
  it("keeps its item in the window, and counts as a violation", async () => {
    const inner = createMemoryStore({});
    const getOriginal: Store["getOriginal"] = async (tenant, digest) => {
      const stored = await inner.getOriginal(tenant, digest);
      return stored.state === "present" ? { ...stored, bytes: stored.bytes.subarray(1) } : stored;
    };
    const keeper = createTestKeeper({ bound, store: { ...inner, getOriginal } });
    expect(resultIn(await send(keeper, bodyOf(readTalk)), "r1")).not.toContain("[ebb ");
    expect(keeper.stats().law_violations).toBe(1);
    expect(keeper.stats().declined.map(({ reason }) => reason)).toContain("not_stored");
  });
});

describe("an original that is gone from the store", () => {
  it("is stored again before a new process repeats its marker", async () => {
    const inner = createMemoryStore({});
    const first = createTestKeeper({ bound, store: inner });
    const marked = resultIn(await send(first, bodyOf(readTalk)), "r1");
    await first.close();
    const kept = new Set<string>();
    const store: Store = {
      ...inner,
      getOriginal: async (tenant, digest) =>
        kept.has(digest) ? inner.getOriginal(tenant, digest) : { state: "unknown" },
      putOriginals: async (...given) => {
        for (const { digest } of given[1]) kept.add(digest);
        return inner.putOriginals(...given);
      },
    };
    const later = createTestKeeper({ bound, store, idPrefix: "later" });
    const prepared = await prepare(later, bodyOf(next));
    expect(kept.size).toBeGreaterThan(0);
    expect(prepared.kind === "forward" && resultIn(Buffer.concat(prepared.body).toString(), "r1")).toBe(marked);
    expect(later.stats().law_violations).toBe(0);
  });

  it.each([
    ["is gone", "unknown"],
    ["is damaged", "corrupt"],
  ] as const)("and %s for good is said once; the marker was sent and is repeated", async (_, state) => {
    const inner = createMemoryStore({});
    const marked = resultIn(await send(createTestKeeper({ bound, store: inner }), bodyOf(readTalk)), "r1");
    const store: Store = { ...inner, getOriginal: async () => ({ state }) };
    const later = createTestKeeper({ bound, store, idPrefix: "later" });
    for (const talk of [next, bash(next, "b2", "x", "y")]) {
      expect(resultIn(await send(later, bodyOf(talk)), "r1")).toBe(marked);
    }
    expect(later.stats()).toMatchObject({
      law_violations: 1,
      errors: [{ words: expect.stringContaining("recoverable") }],
    });
  });
});

describe("a body that is counted", () => {
  it("carries only markers whose originals are in the store", async () => {
    const keeper = createTestKeeper({ bound });
    const counted = await send(keeper, bodyOf(readTalk), { kind: "count" });
    expect(resultIn(counted, "r1")).toContain("[ebb ");
    expect(await keeper.store.size()).toMatchObject({ originals: 1, lineages: 0 });
  });

  it("is counted in full where the store cannot keep them", async () => {
    for (const store of [createMemoryStore({ bytesMax: 10 }), { ...createMemoryStore({}), putOriginals: failing }]) {
      const keeper = createTestKeeper({ bound, store });
      const counted = await send(keeper, bodyOf(readTalk), { kind: "count" });
      expect(counted).toBe(Buffer.from(bodyOf(readTalk)).toString());
    }
  });

  it("is what the same request sends then", async () => {
    const keeper = createTestKeeper({ bound });
    const talk = edit(readTalk, "e1", "/w/a.ts");
    const counted = await send(keeper, bodyOf(talk), { kind: "count" });
    expect(await send(keeper, bodyOf(talk))).toBe(counted);
  });
});

const failing: Store["putOriginals"] = () => Promise.reject(new Error("fails"));

describe("a body read back", () => {
  const memo: ReadMemo = { get: () => undefined, set: () => undefined };

  it.each([
    ["as it was written", (body: string) => body, null],
    ["with another tool", (body: string) => body.replace('"Grep"', '"Grab"'), "tools, system or parameters differ"],
    ["with another call's result", (body: string) => body.replace('_use_id":"r1"', '_use_id":"r2"'), "lost its call"],
    [
      "with a failure",
      (body: string) => body.replace('_use_id":"r1"', '_use_id":"r1","is_error":true'),
      "lost its call",
    ],
    ["with another marker", (body: string) => body.replace("[ebb ", "[ebc "), "does not hold its marker"],
    ["with another text", (body: string) => body.replace('"go"', '"no"'), "differs from what came"],
    ["cut", (body: string) => body.slice(0, -1), "cannot be read"],
  ])("%s is judged", async (_, change, words) => {
    const came = wire.read(bodyOf(readTalk), memo);
    const prepared = await prepare(createTestKeeper({ bound }), bodyOf(readTalk));
    if (!came.ok || prepared.kind === "refuse" || prepared.plan === null) throw new Error("nothing to judge");
    const slices = [Buffer.from(change(Buffer.concat(prepared.body).toString()))];
    const fault = checkWritten({ wire, route: null, slices, before: came.source, memo }, prepared.plan.inForce);
    if (words === null) expect(fault).toBeNull();
    else expect(fault).toContain(words);
  });
});
