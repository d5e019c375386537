import { describe, expect, test } from "vitest";
import { sampled } from "./client/samples.ts";
import { RUNS, SEED, TIMEOUT_MS } from "./property.ts";
import {
  newSignedTally,
  OPTIONS,
  PRESETS,
  playSigned,
  type SignedRun,
  type SignedTally,
  signedSession,
} from "./signed-world.ts";

const PRESET_NAMES = Object.keys(PRESETS) as readonly (keyof typeof PRESETS)[];
/** Sessions of each combination: a few by default; `EBB_TEST_LAW_RUNS=8000` makes a thousand of them. */
const SESSIONS = Math.ceil(RUNS / 8);
/** Sessions of the control: it shows that the provider of these tests does refuse. */
const CONTROL_SESSIONS = 50;
const UNFIT_SHARE_MAX = 0.2;

async function play(sessions: number, run: SignedRun): Promise<SignedTally> {
  const tally = newSignedTally();
  for (const session of sampled(sessions, SEED)) await playSigned(signedSession(session, run.option), run, tally);
  tell(run, tally);
  return tally;
}

describe.each(OPTIONS)("signed thinking with bound_thinking: %s", (option) => {
  test.each(PRESET_NAMES)("fits what stands before it: %s", { timeout: TIMEOUT_MS }, async (preset) => {
    const { refusals, unfit, requests, overThinking } = await play(SESSIONS, { option, preset });
    expect(refusals).toEqual([]);
    expect(unfit / (unfit + requests)).toBeLessThan(UNFIT_SHARE_MAX);
    expect(overThinking > 0).toBe(option !== "hold");
  });
});

test("signed thinking is refused where no gate holds back what it was signed over", {
  timeout: TIMEOUT_MS,
}, async () => {
  const adjust: SignedRun["adjust"] = (settings) => ({
    ...settings,
    gates: settings.gates.filter(({ reason }) => reason !== "bound_thinking"),
  });
  const { refusals } = await play(Math.min(SESSIONS, CONTROL_SESSIONS), { option: "hold", preset: "seed", adjust });
  expect(refusals.length).toBeGreaterThan(0);
});

function tell({ option, preset }: SignedRun, { sessions, requests, unfit, refusals, ...tally }: SignedTally): void {
  const moments = JSON.stringify(Object.fromEntries(tally.atDepth));
  const counts = `${sessions} sessions, ${requests} requests, ${unfit} the client's own fault`;
  const depth = `at depth ${moments}, ${tally.overThinking} in front of thinking`;
  process.stdout.write(`${option}, ${preset}: ${counts}; ${refusals.length} refused; ${depth}\n`);
}
