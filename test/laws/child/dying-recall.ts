import { fsyncSync, openSync, writeSync } from "node:fs";
import { inlineDefinitions } from "../../../src/mcp/inline-definitions.ts";
import type { Commit, Store } from "../../../src/model/store.ts";
import { openSqliteStore } from "../../../src/stores/sqlite.ts";
import { createTestKeeper } from "../../support/keeper.ts";
import { type AsideTally, playAsides, realWire } from "../asides/aside-play.ts";
import type { AsideSession, RoundShape } from "../asides/moves.ts";
import type { ThreadMessage } from "../asides/thread.ts";
import { dyingStore, stepsUntil } from "./dying-store.ts";

/** What the process is asked for; a JSON object in its first argument. */
export interface DyingRecallTask {
  readonly database: string;
  /** A `ToldRequest` for each body that left, a JSON line each, written before anything else happens. */
  readonly told: string;
  /** The step at which the process is killed: each call of the store has one before and one after it, each body too. */
  readonly killAt: number;
  /** A store that loses which answers were pinned. */
  readonly isForgetful: boolean;
}

/** A body that left, what the client had sent for it, and the thread with the rounds that were given so far. */
export interface ToldRequest {
  readonly received: string;
  readonly sent: string;
  readonly isFirst: boolean;
  readonly messages: readonly (Omit<ThreadMessage, "rounds"> & { readonly rounds: readonly ToldRound[] })[];
}

/** One answer of the model, and the ids of the calls in it that the client never saw. */
export interface ToldRound {
  readonly blocks: ThreadMessage["content"];
  readonly own: readonly string[];
}

const QUIET: RoundShape = { thinks: true, says: true, recalls: 0, recallsFirst: false, uses: 0 };
const say = (...rounds: readonly Partial<RoundShape>[]) =>
  ({ kind: "say", thread: 0, isCut: false, rounds: rounds.map((round) => ({ ...QUIET, ...round })) }) as const;

/** Rounds behind text and behind nothing, one beside the client's own call, and answers without any. */
const session: AsideSession = {
  habit: "faithful",
  isBinding: true,
  moves: [
    say({ recalls: 1 }, { uses: 1 }),
    say({ recalls: 2, says: false }, { recalls: 1, recallsFirst: true }, {}),
    say({ recalls: 1, uses: 1 }),
    say({}),
  ],
};

const NOTHING_TOLD = { type: "client-folded", fromLineage: "none" } as const;
const task: DyingRecallTask = JSON.parse(process.argv[2] ?? "");
const told = openSync(task.told, "a");
const tally: AsideTally = { sessions: 0, requests: 0, rounds: 0, putBack: 0, restarts: 0 };
const inlineTools = { definitions: inlineDefinitions("recall"), onSubscription: false };
const steps = stepsUntil(task.killAt);

const world = {
  open: (store: Store, idPrefix: string) => createTestKeeper({ store, idPrefix, inlineTools }),
  storeOf: () => dyingStore(storeAt(task), steps),
  wire: realWire,
};
const faults = await playAsides(
  session,
  world,
  async ({ received, sent, isFirst, messages }) => {
    steps.step();
    const rounds = messages.map((one) => ({
      ...one,
      rounds: one.rounds.map(({ blocks, own }): ToldRound => ({ blocks, own: Array.from(own) })),
    }));
    const line: ToldRequest = { received: Buffer.from(received).toString(), sent, isFirst, messages: rounds };
    writeSync(told, `${JSON.stringify(line)}\n`);
    fsyncSync(told);
    steps.step();
    return [];
  },
  tally,
);
if (faults.length > 0) throw new Error(faults.join("; "));
process.stdout.write(String(steps.count));

function withoutAsides(commit: Commit): Commit {
  const entries = commit.entries.map((entry) => (entry.type === "aside-pinned" ? NOTHING_TOLD : entry));
  return { ...commit, entries };
}

/** One that is told nothing of asides where the process is a forgetful one. */
function storeAt({ database, isForgetful }: DyingRecallTask): Store {
  const store = openSqliteStore({ file: database });
  return isForgetful ? { ...store, commit: (commit) => store.commit(withoutAsides(commit)) } : store;
}
