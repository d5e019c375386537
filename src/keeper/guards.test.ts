import { describe, expect, it } from "vitest";
import { assistant, bash, bodyOf, EMPTY_TALK, edit, read, text, user } from "../../test/support/conversation.ts";
import { createTestKeeper, NOTHING_PAYS, prepare, resultIn, send, wire } from "../../test/support/keeper.ts";
import { builtinKeeperSettings } from "../builtin-settings.ts";
import { createGenericDialect } from "../dialects/generic.ts";
import { EbbError } from "../lib/ebb-error.ts";
import type { Dialect, Wire } from "../model/ports.ts";
import { anthropicProvider } from "../providers/anthropic.ts";
import { createMemoryStore } from "../stores/memory.ts";
import { createKeeper } from "./keeper.ts";

const FILE = Array.from({ length: 120 }, (_, line) => `const value${line} = compute(${line}, "some text");`).join("\n");
const BOUND = { lines: 50, bytes: 262_144 };
const DAY_MS = 86_400_000;
const asked = user(EMPTY_TALK, "go");
const readTalk = read(asked, "r1", "/w/a.ts", FILE);
const next = bash(readTalk, "b1", "x", "text");
const hints = { tenant: "local", sessionId: "session", agentId: null, parentAgentId: null };

describe("a dialect that fails", () => {
  it("stops no request: the sent script goes on, and nothing new is decided", async () => {
    const first = createTestKeeper({ bound: BOUND });
    const marked = resultIn(await send(first, bodyOf(readTalk)), "r1");
    const broken: Dialect = {
      ...createGenericDialect(),
      recognises: () => {
        throw new TypeError("a fault");
      },
    };
    const errors: string[] = [];
    const keeper = createKeeper({
      ...builtinKeeperSettings(),
      mode: "enforce",
      isPaused: () => false,
      inlineTools: null,
      store: first.store,
      dialects: [broken],
      policies: [],
      lifetimeRules: [],
      paying: NOTHING_PAYS,
      boundThinking: "hold",
      serverClear: false,
      deliberateWhenFree: false,
      evidence: { bashEdits: false, harnessNotices: true, shellReads: "auto" },
      bound: BOUND,
      recallCommand: "ebb recall",
      isNeverStored: () => false,
      retentionMs: DAY_MS,
      onError: (code) => errors.push(code),
    });
    const sent = await send(keeper, bodyOf(bash(readTalk, "b1", "x", FILE)));
    expect(resultIn(sent, "r1")).toBe(marked);
    expect(resultIn(sent, "b1")).toBe(FILE);
    expect(await send(keeper, bodyOf(user(EMPTY_TALK, "new one")))).toContain("new one");
    expect(errors).toEqual(["internal", "internal"]);
  });
});

describe("a body that fails Ebb's own check", () => {
  it("is not sent: what was sent before goes out, nothing is recorded as decided", async () => {
    const lossy: Wire = {
      ...wire,
      write: (body, source, script) =>
        script.length === 0 ? wire.write(body, source, script) : [Buffer.from(body.toString().replace('"go"', '"no"'))],
    };
    const keeper = createTestKeeper({ bound: BOUND });
    const body = Buffer.from(bodyOf(readTalk));
    const prepared = await keeper.prepare({
      wire: lossy,
      route: { kind: "generate", model: null },
      provider: anthropicProvider,
      body,
      hints,
      userAgent: "claude-cli/2.0.75 (external, cli)",
      atMs: 1,
    });
    expect(prepared.kind === "forward" && Buffer.concat(prepared.body).equals(body)).toBe(true);
    expect(keeper.stats()).toMatchObject({ law_violations: 1, released: [] });
    expect(resultIn(await send(keeper, bodyOf(next), { atMs: 2 }), "r1")).not.toContain("[ebb ");
  });
});

describe("what must not be stored", () => {
  it("stays unstored and unreleased when the rule is gone: its original is not there", async () => {
    const ruled = createTestKeeper({ isNeverStored: (path) => path === "/w/a.ts" });
    const stale = edit(readTalk, "e1", "/w/a.ts");
    await send(ruled, bodyOf(readTalk), { atMs: 0 });
    await send(ruled, bodyOf(stale), { atMs: 1 });
    const keeper = createTestKeeper({ store: ruled.store, idPrefix: "later" });
    const cold = await send(keeper, bodyOf(user(assistant(stale, text("ok")), "go")), { atMs: DAY_MS });
    expect(resultIn(cold, "r1")).not.toContain("[ebb ");
    expect(keeper.stats().declined.map((count) => count.reason)).toContain("not_stored");
  });

  it("covers the pictures in a result, by the file they came from", async () => {
    const keeper = createTestKeeper({ isNeverStored: (path) => path === "/w/secret/a.png" });
    const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } };
    const called = assistant(asked, { type: "tool_use", id: "r1", name: "Read", input: { file_path: "secret/a.png" } });
    const shown = {
      messages: [
        ...called.messages,
        { role: "user", content: [{ type: "tool_result", tool_use_id: "r1", content: [image] }] },
      ],
    };
    await send(keeper, bodyOf(shown));
    await keeper.close();
    expect(await keeper.store.size()).toMatchObject({ originals: 0 });
  });
});

describe("memory of a tenant", () => {
  it("is not shared with another one, even while the store does not answer", async () => {
    const findChain = () => Promise.reject(new EbbError("store_failed", "fails"));
    const keeper = createTestKeeper({ store: { ...createMemoryStore({}), findChain } });
    await send(keeper, bodyOf(asked), { tenant: "a", calls: ["r1"] });
    expect((await prepare(keeper, bodyOf(readTalk), { tenant: "a" })).kind).toBe("forward");
    expect((await prepare(keeper, bodyOf(readTalk), { tenant: "b" })).kind).toBe("refuse");
  });
});

describe("removing originals", () => {
  it("by purge takes those still on their way as well, and what goes on is stored again", async () => {
    const keeper = createTestKeeper();
    await prepare(keeper, bodyOf(readTalk));
    await keeper.purge("local", { kind: "all" }, 2_000_000);
    await keeper.close();
    expect(await keeper.store.size()).toMatchObject({ originals: 0 });
    await send(keeper, bodyOf(next));
    await keeper.close();
    expect(await keeper.store.size()).toMatchObject({ originals: 2 });
  });

  it("by age makes a session that goes on store them again", async () => {
    const keeper = createTestKeeper();
    await send(keeper, bodyOf(readTalk), { atMs: 0 });
    await keeper.close();
    await keeper.sweep(40 * DAY_MS);
    expect(await keeper.store.size()).toMatchObject({ originals: 0 });
    await send(keeper, bodyOf(next), { atMs: 40 * DAY_MS });
    await keeper.close();
    expect(await keeper.store.size()).toMatchObject({ originals: 2 });
  });

  it("makes room for what the disk cap refused", async () => {
    const keeper = createTestKeeper({ store: createMemoryStore({ bytesMax: 7_000 }) });
    await send(keeper, bodyOf(readTalk), { atMs: 0, sessionId: "one" });
    await keeper.close();
    const other = bash(user(EMPTY_TALK, "other"), "b9", "x", "y".repeat(4_000));
    await send(keeper, bodyOf(other), { atMs: 20 * DAY_MS, sessionId: "two" });
    await keeper.close();
    expect(keeper.stats().errors.map((error) => error.code)).toEqual(["store_full"]);
    await keeper.sweep(40 * DAY_MS);
    await send(keeper, bodyOf(bash(other, "b10", "x", "z")), { atMs: 41 * DAY_MS, sessionId: "two" });
    await keeper.close();
    expect(
      (
        await keeper.recall({
          tenant: "local",
          id: "b9",
          range: null,
          pattern: null,
          ignoreCase: false,
          chars: null,
          sessionId: null,
          by: "user",
          atMs: 41 * DAY_MS,
        })
      ).ok,
    ).toBe(true);
  });
});

describe("closing", () => {
  it("waits for requests being prepared and for their originals", async () => {
    const keeper = createTestKeeper();
    const preparing = prepare(keeper, bodyOf(readTalk));
    await keeper.close();
    expect(await keeper.store.size()).toMatchObject({ originals: 1 });
    await preparing;
  });
});

describe("a fold", () => {
  it("continues the conversation with tools, not a side request that came after it", async () => {
    const keeper = createTestKeeper();
    await send(keeper, bodyOf(next));
    await send(keeper, bodyOf(user(EMPTY_TALK, "title please"), { tools: [] }));
    const summary =
      "This session is being continued from a previous conversation that ran out of context. The summary below covers the earlier portion of the conversation.\n\nAll is well.";
    const prepared = await prepare(keeper, bodyOf(read(user(EMPTY_TALK, summary), "r9", "/w/z.ts", FILE)));
    expect(prepared.kind === "forward" && prepared.plan).toMatchObject({ step: 3, turn: 1 });
  });
});
