import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { wires } from "../../src/builtins.ts";
import { WIRE_NAMES } from "../support/wires/writers.ts";
import { expectShare, RUNS, SEED, TIMEOUT_MS } from "./property.ts";
import { judgeLaws, judgeSoundness, recordBodies } from "./wires/judges.ts";
import { wireSessions } from "./wires/moves.ts";
import { runInWireWeather } from "./wires/weather.ts";
import { runWireSession, worldOn } from "./wires/world.ts";
import { newTally } from "./world.ts";

/** Sessions on each wire: one body more or less is judged by every law at once. */
const SESSIONS = Math.ceil(RUNS / 16);

test("there is a writer for every wire", () => {
  expect(wires.map(({ name }) => name)).toEqual(WIRE_NAMES);
});

describe.each(WIRE_NAMES)("on the wire %s", (name) => {
  const world = worldOn(name);

  test("what leaves is untouched, paired, steady, recoverable and never worse, whatever a client does", {
    timeout: TIMEOUT_MS,
  }, async () => {
    const tally = newTally();
    await fc.assert(
      fc.asyncProperty(wireSessions, async (session) => {
        expect(await runWireSession(session, world, [judgeLaws(world), judgeSoundness], tally)).toEqual([]);
      }),
      { numRuns: SESSIONS, seed: SEED },
    );
    const { sessions, withRelease, requests, releases, attachments } = tally;
    const words = `${sessions} sessions, ${requests} requests, ${releases} releases, ${attachments} of attachments`;
    expectShare(withRelease, sessions, words);
  });

  test("the same session leaves in the same bytes from another keeper on another store", {
    timeout: TIMEOUT_MS,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(wireSessions, async (session) => {
        const [one, other]: [string[], string[]] = [[], []];
        await runWireSession(session, world, [recordBodies(one)]);
        await runWireSession(session, world, [recordBodies(other)]);
        expect(other).toEqual(one);
      }),
      { numRuns: Math.ceil(SESSIONS / 4), seed: SEED },
    );
  });

  test("whatever the store does, a sound body goes out or a refusal that is due", { timeout: TIMEOUT_MS }, async () => {
    await fc.assert(
      fc.asyncProperty(wireSessions, async (session) => {
        expect(await runInWireWeather(session, world)).toEqual([]);
      }),
      { numRuns: Math.ceil(SESSIONS / 4), seed: SEED },
    );
  });
});
