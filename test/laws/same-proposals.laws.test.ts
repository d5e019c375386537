import fc from "fast-check";
import { expect, test } from "vitest";
import type { RequestPlan } from "../../src/keeper/contract.ts";
import type { Decision } from "../../src/model/decision.ts";
import { WIRE_NAMES, type WireName } from "../support/wires/writers.ts";
import { RUNS, SEED, TIMEOUT_MS } from "./property.ts";
import { type WireMove, type WireSession, wireSessions } from "./wires/moves.ts";
import { runWireSession, worldOn } from "./wires/world.ts";

/** Every session is played once on each wire. */
const SESSIONS = Math.ceil(RUNS / 25);

test.each([
  ["to the byte of their markers", (session: WireSession) => ({ ...session, omitsIds: false })],
  ["addresses apart where calls have no ids", (session: WireSession) => ({ ...session, omitsIds: true })],
])("the same conversation is decided alike in every format, %s", { timeout: TIMEOUT_MS }, async (_, change) => {
  let decisions = 0;
  await fc.assert(
    fc.asyncProperty(wireSessions, async (any) => {
      const session = withoutInnerPictures(change(any));
      const [first = [], ...others] = await Promise.all(WIRE_NAMES.map((name) => decidedOn(name, session)));
      for (const other of others) expect(other).toEqual(first);
      decisions += first.reduce((sum, { fresh }) => sum + fresh.length, 0);
    }),
    { numRuns: SESSIONS, seed: SEED },
  );
  expect(decisions).toBeGreaterThan(SESSIONS / 4);
});

/** What one request decided, in an order that no format gives. */
interface Decided {
  readonly clock: string;
  readonly fresh: readonly string[];
  readonly inForce: readonly string[];
  readonly declines: readonly string[];
}

async function decidedOn(name: WireName, session: WireSession): Promise<readonly Decided[]> {
  const decided: Decided[] = [];
  const violations = await runWireSession(session, worldOn(name), [
    async ({ prepared }) => {
      if (prepared.kind === "refuse" || prepared.plan === null) return ["nothing was decided"];
      decided.push(decidedIn(prepared.plan, session));
      return [];
    },
  ]);
  expect(violations).toEqual([]);
  return decided;
}

function decidedIn({ turn, step, fresh, inForce, declines, transcript }: RequestPlan, session: WireSession): Decided {
  const digests = new Map(transcript.items.map(({ key, digest }) => [key, digest]));
  const nameOf = (key: string) => (session.omitsIds ? digests.get(key) : key);
  const words = ({ itemKey, address, reason, moment, marker }: Decision) => {
    const text = session.omitsIds ? marker.replaceAll(address, "address") : marker;
    return `${nameOf(itemKey)} ${reason} ${moment} ${text}`;
  };
  return {
    clock: `turn ${turn}, step ${step}`,
    fresh: fresh.map(words).sort(),
    inForce: inForce.map(words).sort(),
    declines: declines.map(({ itemKey, reason }) => `${itemKey === null ? "" : nameOf(itemKey)} ${reason}`).sort(),
  };
}

/** Pictures inside of results give way to a text in some formats only. */
function withoutInnerPictures(session: WireSession): WireSession {
  return { ...session, moves: session.moves.map(withoutPictures) };
}

function withoutPictures(move: WireMove): WireMove {
  if (move.kind !== "go" || move.step.kind !== "work") return move;
  const uses = move.step.uses.map((use) => (use.end === "picture" ? { ...use, end: "ok" as const } : use));
  return { ...move, step: { ...move.step, uses } };
}
