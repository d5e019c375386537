import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Keeper } from "../../src/keeper/contract.ts";
import type { Lifetime, Order } from "../../src/keeper/order.ts";
import { addressOf } from "../../src/lib/hash.ts";
import { createMemoryStore } from "../../src/stores/memory.ts";
import {
  assistant,
  bash,
  bodyOf,
  call,
  EMPTY_TALK,
  numbered,
  result,
  results,
  type Talk,
  thinking,
  user,
} from "../support/conversation.ts";
import { createTestKeeper, resultIn, send } from "../support/keeper.ts";
import { NO_TARGETS, order, SUMMARY } from "../support/orders.ts";
import { toWtf8 } from "./judges/recall-judge.ts";
import { RUNS, SEED, TIMEOUT_MS } from "./property.ts";

/** One thing that happens in a session. */
type Move =
  | { readonly kind: "order"; readonly order: Order }
  | { readonly kind: "go-on"; readonly minutes: number; readonly tools: number }
  | { readonly kind: "read"; readonly text: string; readonly path: number }
  | { readonly kind: "restart" | "fold" | "think" };

interface Played {
  keeper: Keeper;
  talk: Talk;
  readonly originals: Map<string, string>;
  atMs: number;
}

const MODELS = ["claude-sonnet-4-5-20250929", "claude-opus-5-5"] as const;
const TOOLS = [["Read", "Bash"], ["Read"], ["Read", "mcp__ebb__recall"]] as const;
const IDS = ["r0", "r1", "r2", "r3", "nothing"] as const;
const PATHS = ["/w/f0.ts", "/w/f1.ts"] as const;

const contents = fc.oneof(
  fc.constantFrom("", "\n", "\n\n\n", " ", "x", "\r\n\r\n", "no end", "one\ntwo\n", "\u{1f600}".repeat(300)),
  fc.nat({ max: 90 }).map((lines) => "a line of some text, and not a short one\n".repeat(lines)),
  fc.nat({ max: 90 }).map((lines) => numbered("\n".repeat(lines), 1 + lines)),
  fc.nat({ max: 90 }).map((lines) => numbered("const value = compute();\n".repeat(lines))),
);
const ranges = fc.constantFrom(null, "1", "2-3", "1-", "-4", "90-", "1-9999", "91", "2@1-3", "4-2", "all");
const lifetimes: fc.Arbitrary<Lifetime> = fc.constantFrom(
  { kind: "forever" },
  { kind: "turns", turns: 0 },
  { kind: "steps", steps: 1 },
  { kind: "scope", scope: "tmp_a" },
);
const targets = fc.oneof(
  fc.constantFrom(...IDS).map((id) => ({ ...NO_TARGETS, ids: [id] })),
  fc.constantFrom(...PATHS).map((path) => ({ ...NO_TARGETS, paths: [path] })),
  fc.constantFrom(1, 3).map((latest) => ({ ...NO_TARGETS, latest })),
);
const reason = "why";
const orders: fc.Arbitrary<Order> = fc.oneof(
  fc.record({
    verb: fc.constant("keep" as const),
    id: fc.constantFrom(...IDS),
    range: ranges,
    reason: fc.constant(reason),
  }),
  targets.map((named): Order => ({ verb: "release", targets: named, reason })),
  fc
    .tuple(fc.constantFrom("hold" as const, "protect" as const), targets, lifetimes)
    .map(([verb, named, lifetime]): Order => ({ verb, targets: named, lifetime, reason })),
  fc
    .tuple(fc.constantFrom("unhold" as const, "unprotect" as const), targets)
    .map(([verb, named]): Order => ({ verb, targets: named, reason })),
  fc.constant<Order>({ verb: "close", scope: "tmp_a", reason }),
);
const moves: fc.Arbitrary<readonly Move[]> = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: orders.map((given): Move => ({ kind: "order", order: given })) },
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant("go-on" as const),
        minutes: fc.constantFrom(1, 9),
        tools: fc.nat({ max: 2 }),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constant("read" as const), text: contents, path: fc.nat({ max: 1 }) }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constantFrom("restart" as const, "fold" as const, "think" as const) }),
    },
  ),
  { minLength: 4, maxLength: 16 },
);

test("never blank: after any orders no result is empty that was not, what is reduced names its address, and each address resolves", {
  timeout: TIMEOUT_MS,
}, async () => {
  let reduced = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(contents, { minLength: 1, maxLength: 3 }),
      moves,
      fc.nat({ max: 1 }),
      async (...given) => {
        reduced += await play(...given);
      },
    ),
    { numRuns: RUNS, seed: SEED },
  );
  expect(reduced).toBeGreaterThan(RUNS);
});

/** Plays a session; the number of reduced results it saw. */
async function play(texts: readonly string[], sequence: readonly Move[], model: number): Promise<number> {
  const store = createMemoryStore({});
  const open = (idPrefix: string) => createTestKeeper({ store, idPrefix, bound: { lines: 60, bytes: 4_000 } });
  const played: Played = { keeper: open("first"), talk: user(EMPTY_TALK, "look"), originals: new Map(), atMs: 0 };
  for (const text of texts) acquire(played, text, played.originals.size);
  let reduced = await goOn(played, 0, model);
  for (const [index, move] of sequence.entries()) {
    played.atMs += 1_000;
    if (move.kind === "order") await order(played.keeper, move.order, { sessionId: "session", atMs: played.atMs });
    else if (move.kind === "restart") {
      await played.keeper.close();
      played.keeper = open(`later${index}`);
    } else {
      if (move.kind === "read") acquire(played, move.text, move.path);
      if (move.kind === "fold") fold(played);
      if (move.kind === "think") played.talk = user(assistant(played.talk, thinking(`t${index}`)), "go on");
      if (move.kind === "go-on") played.atMs += move.minutes * 60_000;
      played.talk = bash(played.talk, `b${index}`, "true", "ok");
      reduced += await goOn(played, move.kind === "go-on" ? move.tools : 0, model);
    }
  }
  await played.keeper.close();
  return reduced;
}

function acquire(played: Played, text: string, path: number): void {
  const id = `r${played.originals.size}`;
  const called = assistant(played.talk, call(id, "Read", { file_path: PATHS[path % PATHS.length] }));
  played.talk = results(called, result(id, text));
  played.originals.set(id, text);
}

/** The client begins anew with a summary and keeps the first result in full. */
function fold(played: Played): void {
  const [kept = ["r0", ""]] = played.originals;
  const called = assistant(user(EMPTY_TALK, SUMMARY), call(kept[0], "Read", { file_path: PATHS[0] }));
  played.talk = results(called, result(...kept));
}

async function goOn(played: Played, tools: number, model: number): Promise<number> {
  const options = { tools: TOOLS[tools] ?? TOOLS[0], model: MODELS[model] ?? MODELS[0] };
  const sent = await send(played.keeper, bodyOf(played.talk, options), { atMs: played.atMs });
  let reduced = 0;
  for (const [id, original] of played.originals) {
    const form = resultIn(sent, id);
    if (form === undefined || form === original) continue;
    reduced++;
    await expectReduced(String(form), id, original, played);
  }
  return reduced;
}

/** An empty original has nothing to be reduced to, so whatever stands in a result's place says where the rest is. */
async function expectReduced(form: string, id: string, original: string, { keeper, atMs }: Played): Promise<void> {
  const digest = createHash("sha256").update(toWtf8(original)).digest("hex");
  const address = addressOf(`result:${id}:${digest}`);
  expect(form.trim()).not.toBe("");
  expect(form).toContain(address);
  expect(Buffer.byteLength(form)).toBeLessThan(Buffer.byteLength(original));
  const printed = new Set(Array.from(form.matchAll(/\[ebb ([0-9a-hjkmnp-tv-z]{12})[\] ]/g), (match) => match[1]));
  for (const one of printed) {
    const answer = await keeper.recall({
      tenant: "local",
      id: one ?? "",
      range: null,
      pattern: null,
      ignoreCase: false,
      chars: null,
      lineage: null,
      sessionId: null,
      by: "user",
      atMs,
    });
    expect(answer.ok && Buffer.from(answer.raw).equals(toWtf8(original))).toBe(true);
  }
}
