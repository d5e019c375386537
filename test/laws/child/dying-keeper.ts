import { fsyncSync, openSync, writeSync } from "node:fs";
import { openSqliteStore } from "../../../src/stores/sqlite.ts";
import { requestsOf } from "../client/session-play.ts";
import { recoverableMutants } from "../mutants/mutants.ts";
import { end, keeperSettings, prepare, realWorld } from "../world.ts";
import { crashSession } from "./crash-session.ts";
import { dyingStore, stepsUntil } from "./dying-store.ts";

/** What the process is asked for; a JSON object in its first argument. */
export interface DyingTask {
  readonly database: string;
  /** Bodies that left, a JSON line each, written before anything else happens. */
  readonly told: string;
  /** The step at which the process is killed: each call of the store has one before and one after it, each body too. */
  readonly killAt: number;
  /** Name of a mutant; null for Ebb as it is. */
  readonly mutant: string | null;
}

/** A body that left the process. */
export interface ToldBody {
  readonly request: number;
  readonly body: string;
}

const task: DyingTask = JSON.parse(process.argv[2] ?? "");
const told = openSync(task.told, "a");
const world = recoverableMutants.find(({ name }) => name === task.mutant)?.world ?? realWorld;
const steps = stepsUntil(task.killAt);

const store = dyingStore(openSqliteStore({ file: task.database }), steps);
const keeper = world.createKeeper(keeperSettings(crashSession.setting, store, world));
for (const [request, sent] of requestsOf(crashSession).entries()) {
  const prepared = await prepare(keeper, sent, realWorld);
  if (prepared.kind === "refuse") throw new Error(prepared.words);
  steps.step();
  const body: ToldBody = { request, body: Buffer.concat(prepared.body).toString("base64") };
  writeSync(told, `${JSON.stringify(body)}\n`);
  fsyncSync(told);
  steps.step();
  await end(prepared, { ...sent, ending: { status: 200, calls: [] } });
}
await keeper.close();
process.stdout.write(String(steps.count));
