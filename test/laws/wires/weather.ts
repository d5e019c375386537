import { createDice } from "../client/dice.ts";
import { createFaultyStore, type Weather } from "../faulty-store.ts";
import { judgeLaws } from "./judges.ts";
import type { WireSession } from "./moves.ts";
import { runWireSession, type WireWatcher, type WireWorld } from "./world.ts";

/**
 * Plays a session while the store fails at random. Whatever it does, a body that keeps the laws of bytes and recall goes out, or a
 * refusal that the store is the cause of; a conversation that only begins is never refused.
 */
export function runInWireWeather(session: WireSession, world: WireWorld): Promise<readonly string[]> {
  const dice = createDice(session.seed);
  const weather: Weather = { rate: 0, faults: 0, conflicts: 0 };
  const stormy: WireWorld = {
    ...world,
    adjust: (settings) =>
      world.adjust({ ...settings, store: createFaultyStore(settings.store, weather, session.seed) }),
  };
  const laws = judgeLaws(world);
  const judgeBytes: WireWatcher = async (...handled) =>
    (await laws(...handled)).filter((words) => !words.startsWith("steady: "));
  const judgeOpenness: WireWatcher = async ({ request, prepared }) => {
    const { faults, conflicts } = weather;
    Object.assign(weather, { faults: 0, conflicts: 0, rate: dice.pick([0, 0, 0, 30, 60, 100]) });
    if (prepared.kind === "forward") return [];
    if (faults === 0) return [`open on failure: refused with a sound store: ${prepared.words}`];
    return request.isOpening && conflicts === 0 ? ["open on failure: refused a conversation that only begins"] : [];
  };
  return runWireSession(session, stormy, [judgeBytes, judgeOpenness]);
}
