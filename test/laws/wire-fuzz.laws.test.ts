import fc from "fast-check";
import { expect, test } from "vitest";
import { wires } from "../../src/builtins.ts";
import { recordedRequests } from "../support/recorded-bodies.ts";
import { recordedSessions } from "../support/shared.ts";
import { anyTalk } from "../support/wires/any-talk.ts";
import { writeTalk } from "../support/wires/hand.ts";
import { WIRE_NAMES, WRITERS } from "../support/wires/writers.ts";
import { createDice } from "./client/dice.ts";
import { damaged } from "./fuzz/damage.ts";
import { checkFuzzed, type FuzzTally } from "./fuzz/fuzzed-wire.ts";
import { SEED } from "./property.ts";

/** Damaged bodies for each wire. */
const BODIES = Number(process.env.EBB_TEST_FUZZ_BODIES ?? 300);
const GENERATED = 40;
/** Longer ones would take the time of many. */
const SEED_BYTES_MAX = 6_144;
const TIMEOUT_MS = 12 * 3_600_000;

test.each(WIRE_NAMES)(
  "whatever is damaged in a body of the wire %s, nothing is thrown and no other byte changes",
  {
    timeout: TIMEOUT_MS,
  },
  (name) => {
    const wire = wires.find((one) => one.name === name);
    if (wire === undefined) throw new Error(`there is no wire ${name}`);
    const seeds = [...recordedFor(name), ...generatedFor(name)].filter(({ length }) => length <= SEED_BYTES_MAX);
    const tally: FuzzTally = { bodies: 0, read: 0, replaced: 0, checked: 0 };
    for (let number = 0; number < BODIES; number++) {
      const dice = createDice(SEED + number);
      const body = seeds[dice.below(seeds.length)] ?? Buffer.alloc(0);
      const bytes = dice.oneIn(50) ? body : damaged(body, dice);
      try {
        checkFuzzed(wire, bytes, tally);
      } catch (cause) {
        throw new Error(`body ${number} of ${name}: ${Buffer.from(bytes).toString("base64").slice(0, 40_000)}`, {
          cause,
        });
      }
    }
    const { bodies, read, replaced, checked } = tally;
    process.stdout.write(
      `${name}: ${seeds.length} seeds, ${bodies} bodies, ${read} read, ${replaced} texts and media replaced, kit run on ${checked}\n`,
    );
    expect(read).toBeGreaterThan(BODIES / 10);
    expect(bodies - read).toBeGreaterThan(BODIES / 10);
    expect(replaced).toBeGreaterThan(BODIES / 10);
  },
);

/** Bodies that real clients sent, where they are at hand. */
function recordedFor(name: string): readonly Uint8Array[] {
  if (recordedSessions === null) return [];
  const isOurs = (url: string) =>
    wires.find((wire) => wire.route("POST", url.split("?")[0] ?? "") !== null)?.name === name;
  return recordedRequests(recordedSessions, isOurs).map(({ bytes }) => bytes);
}

function generatedFor(name: (typeof WIRE_NAMES)[number]): readonly Uint8Array[] {
  return fc.sample(anyTalk, { numRuns: GENERATED, seed: SEED }).map((talk, index) => {
    const spaces = index % 3 === 0 ? 20 : 0;
    const writing = {
      dice: createDice(index),
      hand: { spaces, escapes: spaces },
      model: "m",
      omitsIds: index % 2 === 0,
    };
    return writeTalk(WRITERS[name], talk, writing);
  });
}
