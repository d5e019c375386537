import { describe, expect, it } from "vitest";
import { clearingClient } from "../../test/support/clearing-client.ts";
import {
  COMMANDS,
  editIn,
  keptIn,
  lifetimeOf,
  MINUTE,
  notesIn,
  OUTPUT,
  play,
  stageOf,
  TIDY,
} from "../../test/support/clearing-stage.ts";
import { bodyOf } from "../../test/support/conversation.ts";
import { createTestKeeper, prepare } from "../../test/support/keeper.ts";
import { CONTEXT, declare, FOREVER, order } from "../../test/support/orders.ts";
import { SIGNING_MODEL } from "../../test/support/signing-provider.ts";
import { createMemoryStore } from "../stores/memory.ts";

const COLD = 20 * MINUTE;
const HEADERS = [{ name: "anthropic-beta", value: "context-management-2025-06-27" }];

describe.each([false, true])("output of commands past its lifetime, signed over (streaming: %s)", (stream) => {
  it("is cleared by the provider on a cold cache, and no signature breaks", async () => {
    const { keeper, client } = stageOf();
    const warm = await play(client, 10, 0, { stream });
    expect(warm.map(editIn)).toEqual(warm.map(() => undefined));
    const [cold] = await play(client, 1, COLD, { stream });
    if (cold === undefined) throw new Error("not sent");
    expect(editIn(cold)).toEqual({
      type: "clear_tool_uses_20250919",
      trigger: { type: "input_tokens", value: 1 },
      keep: { type: "tool_uses", value: 5 },
    });
    expect(cold.prepared.headers).toEqual(HEADERS);
    expect(cold.applied).toMatchObject([{ cleared_tool_uses: 5 }]);
    expect(keeper.stats().released).toMatchObject([
      { policy: "lifetimes", reason: "expired", moment: "server-clear", count: 5 },
    ]);
    await keeper.close();
    expect(keeper.stats()).toMatchObject({ law_violations: 0, errors: [], figures: { reanchored_tokens: 0 } });
  });

  it("stays cleared up to the same tool use, however many follow, and the note stays where it came in", async () => {
    const { keeper, client } = stageOf();
    await play(client, 10, 0, { stream });
    const all = await play(client, 8, COLD, { stream });
    expect(all.map(keptIn)).toEqual([5, 6, 7, 8, 9, 10, 11, 12]);
    expect(new Set(all.map(({ applied }) => JSON.stringify(applied))).size).toBe(1);
    const notes = all.map(notesIn);
    expect(notes[0]).toEqual([]);
    expect(notes[1]).toHaveLength(1);
    for (const later of notes.slice(2)) expect(later).toEqual(notes[1]);
    const text = notes[1]?.[0]?.text ?? "";
    expect(
      text.match(/^\[ebb [0-9a-z]{12}\] Bash make part\d, 60 lines, 3900 bytes: its lifetime was over$/gm),
    ).toHaveLength(5);
    expect(text).toContain("ebb recall ");
    expect(keeper.stats()).toMatchObject({ law_violations: 0, errors: [] });
  });
});

describe("what the provider cleared", () => {
  it("is known as released by the window, the index and recall, which brings it back exactly", async () => {
    const { keeper, client } = stageOf();
    await play(client, 10);
    await play(client, 2, COLD);
    const window = await keeper.window(CONTEXT);
    if (!window.ok) throw new Error(window.words);
    expect(window.items.map(({ state }) => state)).toEqual([...Array(5).fill("released"), ...Array(6).fill("held")]);
    expect(window.items[0]?.left).toBe("its lifetime was over, through the provider's own context editing");
    const recall = {
      tenant: "local",
      range: null,
      pattern: null,
      ignoreCase: false,
      chars: null,
      sessionId: null,
    } as const;
    const index = await keeper.recall({ ...recall, id: "index", by: "user", atMs: COLD });
    expect(index.ok && index.text.match(/expired at server-clear/g)).toHaveLength(5);
    const back = await keeper.recall({ ...recall, id: window.items[0]?.address ?? "", by: "user", atMs: COLD });
    expect(back.ok && Buffer.from(back.raw).toString()).toBe(OUTPUT);
  });

  it("grows where that is free again, up to what may leave then, and is told of in a second note", async () => {
    const { client } = stageOf({ ...TIDY, paying: { pays: false } });
    await play(client, 10);
    await play(client, 10, COLD);
    const [later, next] = await play(client, 2, 2 * COLD);
    expect([later, next].map((done) => done?.applied)).toMatchObject([
      [{ cleared_tool_uses: 15 }],
      [{ cleared_tool_uses: 15 }],
    ]);
    expect(next === undefined ? [] : notesIn(next).map(({ text }) => text.match(/^\[ebb/gm)?.length)).toEqual([5, 10]);
  });

  it("is asked for by requests that only count tokens as well", async () => {
    const { keeper, client } = stageOf();
    await play(client, 10);
    await play(client, 3, COLD);
    const body = bodyOf(client.talk, { model: SIGNING_MODEL, stream: false });
    const counted = await prepare(keeper, body, { kind: "count", atMs: COLD + MINUTE });
    const sent = await prepare(keeper, body, { atMs: COLD + MINUTE });
    if (counted.kind === "refuse" || sent.kind === "refuse") throw new Error("refused");
    expect(Buffer.concat(counted.body).toString()).toContain("clear_tool_uses_20250919");
    expect(Buffer.concat(counted.body)).toEqual(Buffer.concat(sent.body));
    expect(counted.headers).toEqual(HEADERS);
  });

  it("goes out as before from another process, and where nothing new is decided", async () => {
    const { keeper, provider, client } = stageOf();
    await play(client, 10);
    await play(client, 3, COLD);
    const body = bodyOf(client.talk, { model: SIGNING_MODEL, stream: false });
    const sent = async (by: ReturnType<typeof createTestKeeper>) => {
      const prepared = await prepare(by, body, { atMs: COLD + MINUTE });
      return prepared.kind === "refuse" ? prepared.words : Buffer.concat(prepared.body).toString();
    };
    const same = await sent(keeper);
    expect(same).toContain("clear_tool_uses_20250919");
    const { store } = keeper;
    for (const mode of ["off", "observe", "enforce"] as const) {
      expect(await sent(createTestKeeper({ ...TIDY, store, mode, idPrefix: mode }))).toBe(same);
    }
    expect(provider.exchange(JSON.parse(same), { atMs: COLD, betas: new Set([HEADERS[0]?.value ?? ""]) }).ok).toBe(
      true,
    );
  });

  it("stays cleared in a fork behind it, and as far as it reaches in one that begins before its end", async () => {
    const { keeper, provider, client } = stageOf();
    await play(client, 10);
    await play(client, 4, COLD);
    const forkAt = async (messages: number, sessionId: string) => {
      const fork = clearingClient(keeper, provider, () => OUTPUT);
      fork.talk = { messages: client.talk.messages.slice(0, messages) };
      return fork.exchange(COLD + MINUTE, { sessionId });
    };
    const behind = await forkAt(25, "behind");
    expect([keptIn(behind), notesIn(behind).length, behind.refused]).toEqual([7, 1, null]);
    const before = await forkAt(7, "before");
    expect([keptIn(before), notesIn(before).length, before.refused]).toEqual([0, 0, null]);
    expect(before.applied).toMatchObject([{ cleared_tool_uses: 3 }]);
  });
});

describe("what must stay", () => {
  const mixed = COMMANDS.map((step, at) =>
    at % 2 === 0 ? step : { ...step, tools: [{ do: "read", path: `/w/f${at}` } as const] },
  );

  it("keeps its tool out by name: fresh reads among them", async () => {
    const { client } = stageOf(TIDY, mixed);
    await play(client, 14);
    const [cold] = await play(client, 1, COLD);
    if (cold === undefined) throw new Error("not sent");
    expect(editIn(cold)?.exclude_tools).toEqual(["Read"]);
    expect(cold.applied).toMatchObject([{ cleared_tool_uses: 5 }]);
  });

  it("leaves nothing to ask for where a protected result stands in front", async () => {
    const { keeper, client } = stageOf();
    await play(client, 10);
    const window = await keeper.window(CONTEXT);
    const first = window.ok ? (window.items[0]?.address ?? "") : "";
    await order(keeper, declare("protect", { ids: [first] }, FOREVER));
    expect((await play(client, 1, COLD)).map(editIn)).toEqual([undefined]);
  });

  it("ends the clearing in front of it where earlier results of its tool have left", async () => {
    const { keeper, client } = stageOf();
    await play(client, 10);
    await play(client, 6, COLD);
    const window = await keeper.window(CONTEXT);
    const held = window.ok ? (window.items[7]?.address ?? "") : "";
    await order(keeper, declare("protect", { ids: [held] }, FOREVER));
    const [later] = await play(client, 1, 2 * COLD);
    expect(later?.applied).toMatchObject([{ cleared_tool_uses: 7 }]);
  });

  it.each([
    ["is switched off", { ...TIDY, serverClear: false }, {}],
    ["has no lifetime that is over", { ...TIDY, lifetimeRules: [lifetimeOf("fetch", 4)] }, {}],
    ["cannot be stored", { ...TIDY, store: createMemoryStore({ bytesMax: 10 }) }, {}],
    ["was sent to a model that signs nothing", TIDY, { model: "claude-sonnet-4-5-20250929" }],
    ["was sent to a model that is not on record", TIDY, { model: "claude-somebody-9" }],
  ])("is nothing of what %s", async (_, options, more) => {
    const { client } = stageOf(options);
    await play(client, 10, 0, more);
    expect((await play(client, 1, COLD, more)).map(editIn)).toEqual([undefined]);
  });
});

describe("a warm cache", () => {
  const outputOf = (_: string, command: string) => (command.includes("part0") ? OUTPUT.repeat(12) : "ok\n");

  it("is written again only where that pays, and then for no fewer tokens than pay", async () => {
    const { keeper, client } = stageOf(TIDY, COMMANDS, outputOf);
    const all = await play(client, 80);
    const first = all.findIndex((done) => editIn(done) !== undefined);
    expect(first).toBeGreaterThan(5);
    const asked = editIn(all[first] ?? { sent: {} });
    const least = (asked?.clear_at_least as { value: number } | undefined)?.value ?? 0;
    expect(least).toBeGreaterThan(0);
    const applied = all[first]?.applied as unknown as { cleared_input_tokens: number }[] | undefined;
    expect(applied?.[0]?.cleared_input_tokens).toBeGreaterThanOrEqual(least);
    await keeper.close();
    expect(keeper.stats().figures.reanchored_tokens).toBeGreaterThan(0);
  });

  it("is left alone where nothing may act for its price", async () => {
    const { client } = stageOf({ ...TIDY, paying: { pays: false } }, COMMANDS, outputOf);
    expect((await play(client, 40)).map(editIn).filter((edit) => edit !== undefined)).toEqual([]);
  });
});

it("says nothing of addresses where no recall is reachable", async () => {
  const steps = COMMANDS.map((step) => ({
    ...step,
    tools: [{ name: "WebFetch", input: { url: "http://x", prompt: "y" } }],
  }));
  const { client } = stageOf({ ...TIDY, lifetimeRules: [lifetimeOf("fetch", 4)] }, steps);
  const tools = ["Read", "WebFetch"];
  await play(client, 10, 0, { tools });
  const cold = await play(client, 3, COLD, { tools });
  expect(cold.map(keptIn)).toEqual([5, 6, 7]);
  expect(cold.flatMap(notesIn)).toEqual([]);
});

it("tells how an error began, since nothing of it stands in the window any more", async () => {
  const { client } = stageOf(TIDY, COMMANDS, (_, command) => (command.includes("part1") ? `error: ${OUTPUT}` : OUTPUT));
  await play(client, 10);
  const [, next] = await play(client, 2, COLD);
  const text = next === undefined ? "" : (notesIn(next)[0]?.text ?? "");
  expect(text).toMatch(/part1, .*; an error: "error: a line of output that a command printed/);
  expect(text.match(/an error/g)).toHaveLength(1);
});
