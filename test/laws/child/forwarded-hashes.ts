import { createHash } from "node:crypto";
import { createGenericDialect } from "../../../src/dialects/generic.ts";
import type { Dialect } from "../../../src/model/ports.ts";
import { createDice } from "../client/dice.ts";
import type { Session } from "../client/moves.ts";
import { sampled } from "../client/samples.ts";
import { type ClientRequest, requestsOf } from "../client/session-play.ts";
import { drifters } from "../mutants/drifters.ts";
import { end, keeperSettings, prepare, realWorld, type World } from "../world.ts";

/** What one child process is asked for; a JSON object in its first argument. */
export interface HashTask {
  readonly runs: number;
  readonly seed: number;
  /** Chance of this process alone: the order of dialects that do not apply, and what comes between the requests. */
  readonly own: number;
  /** Name of a mutant; null for Ebb as it is. */
  readonly mutant: string | null;
}

/** Answer of one child: a hash of all that was forwarded in each session, and in how many something was released. */
export interface HashAnswer {
  readonly hashes: readonly string[];
  readonly withRelease: number;
  /** Proof that the process is another place: its time zone's offset and its decimal sign. */
  readonly place: string;
}

/** Added to the seeds of sessions that come between, so that they share no history with the ones that count. */
const STRANGERS = 2 ** 31;

const task: HashTask = JSON.parse(process.argv[2] ?? "");
const world = task.mutant === null ? realWorld : (drifters[task.mutant] ?? realWorld);
process.stdout.write(JSON.stringify(await answerTo(task)));

async function answerTo({ runs, seed, own }: HashTask): Promise<HashAnswer> {
  const sessions = sampled(runs, seed);
  const others = sampled(runs, own);
  const hashes: string[] = [];
  let withRelease = 0;
  for (const [index, session] of sessions.entries()) {
    const { hash, releases } = await hashOf(session, others[index] ?? session, shuffledWorld(own + index));
    hashes.push(hash);
    if (releases > 0) withRelease++;
  }
  return { hashes, withRelease, place: `${new Date(0).getTimezoneOffset()} ${(0.5).toLocaleString()}` };
}

/** Dialects that recognise nothing of these sessions stand anywhere before the last. */
function shuffledWorld(chance: number): World {
  const dice = createDice(chance);
  return {
    ...world,
    adjust: (settings) => {
      const last = settings.dialects.at(-1);
      const strangers = ["a", "b"].map(
        (name): Dialect => ({ ...createGenericDialect(), name, recognises: () => false }),
      );
      const others = dice.shuffled([...settings.dialects.slice(0, -1), ...strangers]);
      return world.adjust({ ...settings, dialects: last === undefined ? others : [...others, last] });
    },
  };
}

async function hashOf(session: Session, other: Session, place: World): Promise<{ hash: string; releases: number }> {
  const dice = createDice(other.seed);
  const store = place.createStore();
  const strangers = requestsOf({ ...other, seed: other.seed + STRANGERS }).map(inAnotherSession);
  const hash = createHash("sha256");
  let keeper = place.createKeeper(keeperSettings(session.setting, store, place));
  let releases = 0;
  for (const request of requestsOf(session)) {
    if (request.isAfterRestart) {
      await keeper.close();
      keeper = place.createKeeper(keeperSettings(session.setting, store, place));
    }
    const stranger = dice.oneIn(2) ? strangers.shift() : undefined;
    if (stranger !== undefined) await prepare(keeper, stranger, place);
    const prepared = await prepare(keeper, request, place);
    hash.update(prepared.kind === "forward" ? Buffer.concat(prepared.body) : "refused");
    if (prepared.kind !== "forward") continue;
    releases += prepared.plan?.fresh.length ?? 0;
    await end(prepared, request);
  }
  await keeper.close();
  await store.close();
  return { hash: hash.digest("hex").slice(0, 16), releases };
}

function inAnotherSession(request: ClientRequest): ClientRequest {
  return { ...request, sessionId: `other ${request.sessionId}` };
}
