import { type Baseline, replayBaseline } from "./baseline.ts";
import type { ReplaySettings } from "./lane.ts";
import type { RecordedRequest, Recording } from "./recording.ts";
import { type FileReplay, replayRecording } from "./replay.ts";
import { type SessionFigures, sessionFigures, totalFigures } from "./replay-report.ts";

/** A named way to replay. */
export interface Configuration {
  readonly name: string;
  readonly settings: ReplaySettings;
}

/** One session's figures under one configuration, without the rows of what left. */
export interface ComparedSession extends Omit<SessionFigures, "left" | "expired"> {
  /** Models that ran and have no price on record: what makes a cost unknown. */
  readonly unpriced_models: readonly string[];
}

/** One configuration's figures for all sessions. A null is unknown, never zero. */
export interface Comparison {
  readonly name: string;
  readonly sessions: readonly ComparedSession[];
  readonly totals: ComparedTotals;
}

/** Sums over all sessions. A cost is null as soon as one of them is; `priced` sums those that are known, and says how many. */
export interface ComparedTotals extends Omit<ComparedSession, "file"> {
  readonly priced: {
    readonly sessions: number;
    readonly net_cost_usd: number;
    readonly baseline_cost_usd: number;
  };
}

/** What `ebb replay --compare --json` prints. */
export interface ComparisonReport {
  readonly comparisons: readonly Comparison[];
}

/** What stands for a model that a recording does not name. */
export const UNNAMED_MODEL = "a model that is not on record";

/**
 * Replays one recording under each configuration, from an empty cache and store each time: one session for each, in their order. What the
 * recording is without Ebb is worked out once for all that see the same in it.
 */
export async function compareRecording(
  recording: Recording,
  configurations: readonly Configuration[],
  onRequest: () => void,
): Promise<readonly ComparedSession[]> {
  const sessions: ComparedSession[] = [];
  const baselines = new Map<string, Baseline>();
  for (const { settings } of configurations) {
    const told = { ...settings, onRequest };
    const name = groundName(recording, settings);
    const baseline = baselines.get(name) ?? (await replayBaseline(recording, told));
    baselines.set(name, baseline);
    const replay = await replayRecording(recording, told, { baseline });
    const unpriced = unpricedModels(recording, settings);
    sessions.push(comparedSession(replay, unpriced));
  }
  return sessions;
}

/** How often each request of the recording goes out in a comparison. */
export function passesOver(recording: Recording, configurations: readonly Configuration[]): number {
  return configurations.length + new Set(configurations.map(({ settings }) => groundName(recording, settings))).size;
}

/** What the figures without Ebb depend on: what counts as evidence, and the facts of the models that ran. */
function groundName(recording: Recording, { keeper: { evidence }, providerOf }: ReplaySettings): string {
  const facts = modelsOf(recording).map(({ wire, model }) => [wire, providerOf(wire, model).modelFacts(model)]);
  return JSON.stringify([evidence, facts]);
}

/** Figures by configuration; `sessions` has a list for each recording, in the order of the configurations. */
export function comparisonReport(
  names: readonly string[],
  sessions: readonly (readonly ComparedSession[])[],
): ComparisonReport {
  const comparisons = names.map((name, index) => {
    const own = sessions.flatMap((one) => one[index] ?? []);
    return { name, sessions: own, totals: totalsOf(own) };
  });
  return { comparisons };
}

function comparedSession(replay: FileReplay, unpriced: readonly string[]): ComparedSession {
  const { left: _left, expired: _expired, ...figures } = sessionFigures(replay);
  return { ...figures, unpriced_models: unpriced };
}

function totalsOf(sessions: readonly ComparedSession[]): ComparedTotals {
  const full = sessions.map((session) => ({ ...session, left: [], expired: [] }));
  const priced = sessions.filter((one) => one.net_cost_usd !== null);
  return {
    ...totalFigures(full),
    unpriced_models: distinct(sessions.flatMap((one) => one.unpriced_models)),
    priced: {
      sessions: priced.length,
      net_cost_usd: priced.reduce((sum, one) => sum + (one.net_cost_usd ?? 0), 0),
      baseline_cost_usd: priced.reduce((sum, one) => sum + (one.baseline_cost_usd ?? 0), 0),
    },
  };
}

function unpricedModels(recording: Recording, { providerOf }: ReplaySettings): readonly string[] {
  const unpriced = modelsOf(recording).filter(
    ({ wire, model }) => providerOf(wire, model).modelFacts(model).prices.length === 0,
  );
  return distinct(unpriced.map(({ model }) => model ?? UNNAMED_MODEL));
}

/** What ran, each model of a wire once. */
function modelsOf({ contexts }: Recording): readonly Pick<RecordedRequest, "wire" | "model">[] {
  const all = contexts.flatMap(({ requests }) => requests);
  return Array.from(new Map(all.map(({ wire, model }) => [JSON.stringify([wire, model]), { wire, model }])).values());
}

function distinct(names: readonly string[]): readonly string[] {
  return Array.from(new Set(names)).sort();
}
