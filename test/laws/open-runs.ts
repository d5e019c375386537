import { createDice } from "./client/dice.ts";
import type { Move, Session } from "./client/moves.ts";
import { requestsOf } from "./client/session-play.ts";
import { faultyWorld, type Weather } from "./faulty-store.ts";
import { judgeBytes } from "./judges/byte-judge.ts";
import { judgeOpenness } from "./judges/open-judge.ts";
import { judgeRecall } from "./judges/recall-judge.ts";
import { judgeSteadiness } from "./judges/steady-judge.ts";
import { realWorld, runSession, type Tally, type Watcher, type World } from "./world.ts";

const CALM: readonly Move[] = [
  { kind: "ask", thread: 0, form: "text" },
  { kind: "restart" },
  { kind: "ask", thread: 0, form: "text" },
  { kind: "ask", thread: 0, form: "string" },
];

/** Plays a session while the store fails at random, then lets it recover and go on. All laws of bytes, forms and recall hold throughout. */
export function runInBadWeather(
  session: Session,
  world: World,
  tally: Tally | null,
  watchers: readonly Watcher[] = [],
): Promise<readonly string[]> {
  const dice = createDice(session.seed);
  const weather: Weather = { rate: 0, faults: 0, conflicts: 0 };
  const stormy = requestsOf(session).length;
  let count = 0;
  const turnWeather: Watcher = () => {
    count++;
    weather.rate = count < stormy ? dice.pick([0, 0, 0, 0, 30, 60, 100]) : 0;
    return [];
  };
  const inBadWeather = faultyWorld(world, weather, session.seed);
  const judges = [
    judgeRecall(realWorld),
    judgeOpenness(weather),
    judgeBytes(["untouched", "paired", "never worse"]),
    judgeSteadiness(),
    ...watchers,
    turnWeather,
  ];
  return runSession({ ...session, moves: [...session.moves, ...CALM] }, inBadWeather, judges, tally);
}
