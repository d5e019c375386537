import { describe, expect, it } from "vitest";
import {
  assistant,
  bash,
  bodyOf,
  call,
  EMPTY_TALK,
  idle,
  result,
  results,
  type Talk,
  text,
  thinking,
  user,
} from "../../test/support/conversation.ts";
import { createTestKeeper, prepare, send, type TestKeeperOptions } from "../../test/support/keeper.ts";
import { imageBlock, picture } from "../../test/support/pictures.ts";
import type { ItemRecord } from "../model/ledger.ts";
import type { Order, OrderAnswer } from "./order.ts";

type TestKeeper = ReturnType<typeof createTestKeeper>;

const start = user(EMPTY_TALK, "look");
const BINDING = "claude-opus-5-5";
const FREE = "claude-opus-4-5";

function shot(talk: Talk, seed: number, more: { words?: string; thinks?: boolean; bytes?: number } = {}): Talk {
  const id = `s${seed}`;
  const thought = more.thinks === true ? [thinking(`hm ${seed}`)] : [];
  const called = assistant(talk, ...thought, call(id, "Read", { file_path: `/w/${id}.png` }));
  const image = imageBlock(picture(seed, more.bytes === undefined ? {} : { bytes: more.bytes }));
  return results(called, result(id, more.words === undefined ? [image] : [text(more.words), image]));
}

function shots(count: number, more: Parameters<typeof shot>[2] = {}): readonly Talk[] {
  const talks = [start];
  for (let seed = 0; seed < count; seed++) talks.push(shot(talks.at(-1) ?? start, seed, more));
  return talks.slice(1);
}

const imagesIn = (body: string) => body.split('"type":"image"').length - 1;
const markersIn = (body: string) => body.match(/\[ebb [0-9a-z]{12}[^"]*/g) ?? [];

async function mediaOf(keeper: TestKeeper, callId: string): Promise<ItemRecord> {
  const found = (await keeper.store.findItems("local", callId)).find(({ item }) => item.kind === "media");
  if (found === undefined) throw new Error("no media");
  return found.item;
}

function order(keeper: TestKeeper, given: Order): Promise<OrderAnswer> {
  return keeper.decide(given, { tenant: "local", lineage: null, sessionId: "session", by: "user", atMs: 1 });
}

const release = (id: string): Order => ({
  verb: "release",
  targets: { ids: [id], paths: [], latest: null },
  reason: "seen",
});

async function recalled(keeper: TestKeeper, id: string): Promise<Uint8Array> {
  const query = { tenant: "local", id, range: null, pattern: null, ignoreCase: false, chars: null };
  const answer = await keeper.recall({ ...query, sessionId: null, by: "user", atMs: 1 });
  if (!answer.ok) throw new Error(answer.words);
  return answer.raw;
}

/** Sends every talk; answers the bodies that left. */
async function sendAll(keeper: TestKeeper, talks: readonly Talk[], model = FREE): Promise<readonly string[]> {
  const bodies: string[] = [];
  for (const talk of talks) bodies.push(await send(keeper, bodyOf(talk, { model })));
  return bodies;
}

describe("an attachment that is let go", () => {
  it("leaves as a note, comes back byte for byte, and stands again as the client sends it", async () => {
    const keeper = createTestKeeper();
    const talk = shot(start, 1, { words: "the page" });
    await send(keeper, bodyOf(talk));
    const { address } = await mediaOf(keeper, "s1");
    const answer = await order(keeper, release("s1"));
    expect(answer).toMatchObject({ ok: true, words: expect.stringContaining("from the next request") });
    const left = await send(keeper, bodyOf(bash(talk, "b1", "ls", "x")));
    expect(imagesIn(left)).toBe(0);
    expect(left).toContain("the page");
    expect(markersIn(left)).toEqual([
      `[ebb ${address}] Read /w/s1.png, image/png 1280x800, 4000 bytes: only this view was shortened: ` +
        `the attachment left by a recorded decision. The attachment itself: ebb recall ${address}`,
    ]);
    expect(Buffer.from(await recalled(keeper, address)).equals(picture(1))).toBe(true);

    expect(await order(keeper, { verb: "keep", id: address, range: "1-2", reason: "r" })).toMatchObject({
      failure: "attachment cannot be sliced",
    });
    expect(await order(keeper, { verb: "keep", id: address, range: null, reason: "look again" })).toMatchObject({
      ok: true,
    });
    const body = bodyOf(bash(talk, "b1", "ls", "x"));
    expect(await send(keeper, body)).toBe(Buffer.from(body).toString());
    expect(keeper.stats()).toMatchObject({ law_violations: 0 });
  });

  it("is let go and wanted back by the id of its call as well", async () => {
    const keeper = createTestKeeper();
    const talk = shot(start, 1);
    await send(keeper, bodyOf(talk));
    const { address } = await mediaOf(keeper, "s1");
    expect(await order(keeper, release("s1"))).toMatchObject({ ok: true, addresses: [address] });
    const next = bash(talk, "b1", "ls", "x");
    expect(imagesIn(await send(keeper, bodyOf(next)))).toBe(0);
    expect(Buffer.from(await recalled(keeper, "s1")).equals(picture(1))).toBe(true);
    await order(keeper, { verb: "keep", id: "s1", range: null, reason: "look again" });
    expect(imagesIn(await send(keeper, bodyOf(next)))).toBe(1);
  });

  it("keeps its form for every later request, in another process too, wherever the breakpoint moves", async () => {
    const first = createTestKeeper();
    const talk = results(start, imageBlock(picture(1)), text("see?"));
    await send(first, bodyOf(talk));
    const found = await first.store.listLineages("local", 1);
    const records = await first.store.loadLineage("local", found[0]?.lineage ?? "");
    const media = records.flatMap(({ entry }) =>
      entry.type === "item-acquired" && entry.item.kind === "media" ? [entry.item] : [],
    );
    await order(first, release(media[0]?.address ?? ""));
    const marked = await send(first, bodyOf(talk));
    const [marker] = markersIn(marked);
    expect(marked).not.toContain("base64");
    const second = createTestKeeper({ store: first.store });
    const later = await send(second, bodyOf(bash(talk, "b1", "ls", "x")));
    expect(markersIn(later)).toEqual([marker]);
    const alone = results(start, imageBlock(picture(1)));
    const breakpoint = await send(createTestKeeper({ store: first.store }), bodyOf(alone));
    expect(breakpoint).toContain(`{"type":"text","text":"${marker}","cache_control":{"type":"ephemeral"}}`);
  });

  it("waits, and says so, where the body only refers to it", async () => {
    const keeper = createTestKeeper();
    const linked = { type: "image", source: { type: "url", url: "https://example.com/a.png" } };
    const talk = results(assistant(start, call("u1", "Read", { file_path: "/w/a.png" })), result("u1", [linked]));
    await send(keeper, bodyOf(talk));
    expect(await order(keeper, release("u1"))).toMatchObject({ ok: true, words: expect.stringContaining("waiting") });
    expect(await send(keeper, bodyOf(talk))).toBe(Buffer.from(bodyOf(talk)).toString());
  });

  it("does not leave where its path must not be stored", async () => {
    const keeper = createTestKeeper({
      isNeverStored: (path) => path.endsWith(".png"),
      media: { bytesMax: null, imagesMax: 1 },
    });
    const bodies = await sendAll(keeper, shots(3));
    expect(bodies.map(imagesIn)).toEqual([1, 2, 3]);
  });
});

describe("a lifetime", () => {
  const rule = { tools: null, kinds: null, fitsPath: null, media: "image", turns: null, steps: 3 } as const;

  it("of images takes them out when it is over and that costs nothing, and leaves the text beside them", async () => {
    const keeper = createTestKeeper({ lifetimeRules: [rule] });
    const talk = shot(start, 1, { words: "the page" });
    await send(keeper, bodyOf(talk), { atMs: 0 });
    const within = await send(keeper, bodyOf(idle(talk, "i", 3)), { atMs: 700_000 });
    expect(imagesIn(within)).toBe(1);
    const over = await send(keeper, bodyOf(idle(talk, "i", 4)), { atMs: 1_400_000 });
    expect(imagesIn(over)).toBe(0);
    expect(over).toContain("the page");
    expect(markersIn(over)[0]).toContain("declared lifetime is over");
  });

  it("declared for a result goes for the attachment in it", async () => {
    const keeper = createTestKeeper({ lifetimeRules: [rule] });
    const talk = shot(start, 1, { words: "the page" });
    await send(keeper, bodyOf(talk), { atMs: 0 });
    const [result1] = (await keeper.store.findItems("local", "s1")).filter(({ item }) => item.kind === "result");
    const targets = { ids: [result1?.item.address ?? ""], paths: [], latest: null };
    await order(keeper, { verb: "hold", targets, lifetime: { kind: "steps", steps: 6 }, reason: "needed" });
    expect(imagesIn(await send(keeper, bodyOf(idle(talk, "i", 6)), { atMs: 700_000 }))).toBe(1);
    expect(imagesIn(await send(keeper, bodyOf(idle(talk, "i", 7)), { atMs: 1_400_000 }))).toBe(0);
  });
});

describe("the media budget", () => {
  const few: TestKeeperOptions = { media: { bytesMax: null, imagesMax: 10 } };

  it("lets the oldest leave at the limit, down to four fifths, so that not every request has to act", async () => {
    const keeper = createTestKeeper(few);
    const bodies = await sendAll(keeper, shots(16));
    expect(bodies.map(imagesIn)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 8, 9, 10, 8, 9, 10]);
    expect(bodies.at(-1)).not.toContain(picture(5).toString("base64"));
    expect(bodies.at(-1)).toContain(picture(6).toString("base64"));
    expect(keeper.stats().released).toMatchObject([
      { policy: "mediabudget", reason: "over_budget", moment: "limit", count: 6 },
    ]);
    expect(Buffer.from(await recalled(keeper, "s0")).equals(picture(0))).toBe(true);
    expect(keeper.stats().law_violations).toBe(0);
  });

  it("counts the body as it is sent, base64 and all, without what left before", async () => {
    const bytesMax = 20_000;
    const bodies = await sendAll(
      createTestKeeper({ media: { bytesMax, imagesMax: null } }),
      shots(12, { bytes: 3_000 }),
    );
    for (const body of bodies) expect(Buffer.byteLength(body)).toBeLessThanOrEqual(bytesMax);
    expect(imagesIn(bodies.at(-1) ?? "")).toBeGreaterThan(0);
  });

  it("passes over what is protected, held, or wanted in full", async () => {
    const keeper = createTestKeeper(few);
    const talks = shots(11);
    await sendAll(keeper, talks.slice(0, 10));
    const targets = (id: string) => ({ ids: [id], paths: [], latest: null });
    await order(keeper, { verb: "protect", targets: targets("s0"), lifetime: { kind: "forever" }, reason: "r" });
    await order(keeper, { verb: "hold", targets: targets("s1"), lifetime: { kind: "steps", steps: 50 }, reason: "r" });
    await order(keeper, { verb: "keep", id: "s2", range: null, reason: "r" });
    const body = await send(keeper, bodyOf(talks[10] ?? start, { model: FREE }));
    const left = [0, 1, 2, 3, 4, 5, 6].filter((seed) => !body.includes(picture(seed).toString("base64")));
    expect(left).toEqual([3, 4, 5]);
  });

  it("acts at first send on a model that signs thinking over what was sent, on the oldest of the new ones, and warns ahead", async () => {
    const keeper = createTestKeeper({ media: { bytesMax: null, imagesMax: 4 } });
    const talks = shots(4, { thinks: true });
    const bodies = await sendAll(keeper, talks, BINDING);
    expect(bodies.map(imagesIn)).toEqual([1, 2, 3, 4]);
    const warned = await prepare(keeper, bodyOf(talks[3] ?? start, { model: BINDING }));
    if (warned.kind === "refuse") throw new Error(warned.words);
    expect(warned.plan?.declines.filter(({ policy }) => policy === "mediabudget")).toMatchObject([
      { reason: "bound_thinking", words: expect.stringContaining("comes near 4 attachments") },
    ]);
    const three = [5, 6, 7].map((seed) => imageBlock(picture(seed)));
    const called = assistant(talks[3] ?? start, thinking("three"), call("many", "Read", { file_path: "/w/x.png" }));
    const body = await send(keeper, bodyOf(results(called, result("many", three)), { model: BINDING }));
    expect(imagesIn(body)).toBe(4);
    for (const seed of [0, 1, 2, 3]) expect(body).toContain(picture(seed).toString("base64"));
    expect(keeper.stats().released).toMatchObject([{ reason: "over_budget", moment: "first-send", count: 3 }]);
    expect(keeper.stats().law_violations).toBe(0);
  });

  it("leaves pictures alone that are no larger than a marker", async () => {
    const tiny = results(
      start,
      ...[1, 2, 3].map((seed) => imageBlock(picture(seed, { width: 16, height: 16, bytes: 200 }))),
    );
    const keeper = createTestKeeper({ media: { bytesMax: null, imagesMax: 1 } });
    expect(imagesIn(await send(keeper, bodyOf(tiny)))).toBe(3);
  });
});
