import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { WIRE_NAMES, type WireName } from "../support/wires/writers.ts";
import { TIMEOUT_MS } from "./property.ts";
import { judgeLaws, recordBodies } from "./wires/judges.ts";
import { type WireSession, wireSessions } from "./wires/moves.ts";
import { wireMutants } from "./wires/mutants.ts";
import { runWireSession, type WireWorld, worldOn } from "./wires/world.ts";

/** Sessions a mutant gets until it must have failed; the same for all. */
const SESSIONS_MAX = 150;
const SEED = 20_261_201;
const sessions = fc.sample(wireSessions, { numRuns: SESSIONS_MAX, seed: SEED });

describe.each(WIRE_NAMES)("on the wire %s a keeper that", (wire) => {
  test.each(wireMutants)("$name breaks a law", { timeout: TIMEOUT_MS }, async (mutant) => {
    expect(await firstViolation(mutant, wire)).toMatch(new RegExp(`^request \\d+: ${mutant.law}: `));
  });

  test("draws lots breaks the law deterministic", { timeout: TIMEOUT_MS }, async () => {
    const [one, other] = [drawing(wire, "heads"), drawing(wire, "tails")];
    for (const session of sessions) {
      if ((await bodiesOf(session, one)) !== (await bodiesOf(session, other))) return;
    }
    expect.fail("no session shows it");
  });
});

/** The first violation of the law that a mutant is made for; null where no session shows it. */
async function firstViolation(
  { law, worldOn: on }: (typeof wireMutants)[number],
  wire: WireName,
): Promise<string | null> {
  for (const session of sessions) {
    const world = on(wire);
    const found = await runWireSession(session, world, [judgeLaws(worldOn(wire))]);
    const own = found.find((words) => new RegExp(`: ${law}: `).test(words));
    if (own !== undefined) return own;
  }
  return null;
}

/** A keeper whose markers depend on the process it runs in. */
function drawing(wire: WireName, lot: string): WireWorld {
  const world = worldOn(wire);
  return {
    ...world,
    createKeeper(settings) {
      const keeper = world.createKeeper(settings);
      return {
        ...keeper,
        async prepare(request) {
          const prepared = await keeper.prepare(request);
          if (prepared.kind === "refuse") return prepared;
          const text = Buffer.concat(prepared.body).toString("utf8");
          return { ...prepared, body: [Buffer.from(text.replace(/\[ebb \w{12}/g, `$& ${lot}`))] };
        },
      };
    },
  };
}

async function bodiesOf(session: WireSession, world: WireWorld): Promise<string> {
  const bodies: string[] = [];
  await runWireSession(session, world, [recordBodies(bodies)]);
  return bodies.join("\n");
}
