import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type CachedProvider, createCachedProvider, exchange } from "../../test/support/cached-provider.ts";
import { bodyOf, EMPTY_TALK, edit, idle, read, type Talk, user } from "../../test/support/conversation.ts";
import { createTestKeeper } from "../../test/support/keeper.ts";
import type { Keeper } from "./contract.ts";

const SECOND = 1_000;
const FILE = Array.from({ length: 90 }, (_, line) => `const value${line} = compute(${line}, "some text");`).join("\n");
const SPEAKERS = ["main", "first", "second"] as const;
type Speaker = (typeof SPEAKERS)[number];

interface Event {
  readonly kind: Speaker | "title" | "quota" | "count";
  readonly gapSeconds: number;
}

const anyEvent: fc.Arbitrary<Event> = fc.record({
  kind: fc.constantFrom<Event["kind"]>(...SPEAKERS, ...SPEAKERS, "main", "title", "quota", "count"),
  gapSeconds: fc.oneof(fc.integer({ min: 0, max: 90 }), fc.constantFrom(240, 299, 301, 355, 361, 700)),
});

/** A conversation as one speaker goes on with it: reads, an edit of what was read, and steps that touch nothing. */
function growing(name: Speaker): (steps: number) => Talk {
  return (steps) => {
    let talk = user(EMPTY_TALK, `${name}: please fix it`);
    for (let step = 0; step < steps; step++) {
      const id = `${name}${step}`;
      if (step % 4 === 0) talk = read(talk, id, `/w/${name}${step}.ts`, `${FILE}\n${id}`);
      else if (step % 4 === 2) talk = edit(talk, id, `/w/${name}${step - 2}.ts`);
      else talk = idle(talk, id, 1);
    }
    return talk;
  };
}

interface World {
  readonly keeper: Keeper;
  readonly provider: CachedProvider;
  readonly hasAgentIds: boolean;
  readonly steps: Map<Speaker, number>;
  /** Contents of results by call, as they went out last. */
  readonly forms: Map<string, unknown>;
  /** Requests in which something left that was sent before. */
  changed: number;
}

async function play(events: readonly Event[], hasAgentIds: boolean): Promise<World> {
  const steps = new Map(SPEAKERS.map((name) => [name, 1]));
  const parts = { keeper: createTestKeeper(), provider: createCachedProvider(), forms: new Map<string, unknown>() };
  const world: World = { ...parts, hasAgentIds, steps, changed: 0 };
  let atMs = 1_000_000;
  for (const { kind, gapSeconds } of events) {
    atMs += gapSeconds * SECOND;
    if (kind === "title" || kind === "quota") await askAside(world, kind, atMs);
    else await speak(world, kind, atMs);
  }
  return world;
}

async function askAside({ keeper, provider, steps }: World, kind: "title" | "quota", atMs: number): Promise<void> {
  const talk = kind === "quota" ? user(EMPTY_TALK, "quota") : user(growing("main")(steps.get("main") ?? 1), "a title?");
  const body = bodyOf(talk, { tools: [], cwd: kind, model: "claude-haiku-4-5-20251001" });
  await exchange({ keeper, provider }, body, { atMs });
}

async function speak(world: World, kind: Speaker | "count", atMs: number): Promise<void> {
  const { keeper, provider, steps, hasAgentIds } = world;
  const name = kind === "count" ? "main" : kind;
  const step = steps.get(name) ?? 1;
  const body = bodyOf(growing(name)(step), name === "main" ? {} : { cwd: "/agents" });
  const agentId = hasAgentIds && name !== "main" ? name : null;
  const answer: CachedProvider["answer"] = (sent, at) => {
    judge(world, sent, at);
    return provider.answer(sent, at);
  };
  const route = kind === "count" ? "count" : "generate";
  await exchange({ keeper, provider: { ...provider, answer } }, body, { atMs, agentId, kind: route });
  if (kind !== "count") steps.set(name, step + 1);
}

/** What goes out reads no less than it would with everything in the form in which it went out last. */
function judge(world: World, sent: string, atMs: number): void {
  const { forms, provider } = world;
  const body: { messages: { content: Record<string, unknown>[] }[] } = JSON.parse(sent);
  let isChanged = false;
  for (const block of body.messages.flatMap(({ content }) => content)) {
    if (block.type !== "tool_result") continue;
    const id = String(block.tool_use_id);
    const before = forms.get(id) ?? block.content;
    forms.set(id, block.content);
    isChanged ||= before !== block.content;
    block.content = before;
  }
  if (!isChanged) return;
  world.changed++;
  const kept = provider.look(JSON.stringify(body), atMs).cacheReadTokens;
  expect(provider.look(sent, atMs).cacheReadTokens).toBeGreaterThanOrEqual(kept);
}

describe("requests of one session in any order", () => {
  it.each([true, false])("never make a warm item mutable; agents are named: %s", async (hasAgentIds) => {
    let changed = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(anyEvent, { minLength: 8, maxLength: 40 }), async (events) => {
        const world = await play(events, hasAgentIds);
        changed += world.changed;
        expect(world.keeper.stats().predictions.missed).toEqual({});
      }),
      { numRuns: 40 },
    );
    expect(changed).toBeGreaterThan(0);
  });
});
