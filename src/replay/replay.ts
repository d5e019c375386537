import type { Keeper, RequestPlan } from "../keeper/contract.ts";
import { assert } from "../lib/assert.ts";
import { type Baseline, replayBaseline } from "./baseline.ts";
import { droppedThinking } from "./dropped-thinking.ts";
import { createLane, type Lane, type ReplaySettings } from "./lane.ts";
import { createLawChecker, type LawChecker } from "./law-checker.ts";
import { lawViolations } from "./law-violations.ts";
import type { RecordedContext, Recording } from "./recording.ts";
import type { InputBill } from "./simulated/cache.ts";
import { inTimeOrder, type Timed } from "./time-order.ts";

/** One request of a recording that went through the keeper. */
export interface ReplayedRequest {
  /** From 1, over all contexts of the file in time order. */
  readonly number: number;
  readonly atMs: number;
  readonly context: RecordedContext;
  /** False for requests before the last client compaction of the context. */
  readonly isLive: boolean;
  readonly plan: RequestPlan | null;
  readonly problem: string | null;
  readonly bill: InputBill;
  readonly baselineBill: InputBill;
  readonly violations: readonly string[];
}

/** What a file's replay came to. Tokens of bills are the simulated provider's; all others are estimates. */
export interface FileReplay {
  readonly file: string;
  readonly requests: readonly ReplayedRequest[];
  readonly keeper: Keeper;
  readonly baseline: Baseline;
  readonly costUsd: number | null;
}

/** How much of a recording is replayed, and what is already known of it without Ebb. */
export interface ReplayScope {
  /** Stops after that many requests. */
  readonly last?: number;
  /** Of the same recording, under settings with the same evidence, models and wire. */
  readonly baseline?: Baseline;
}

/**
 * Sends every request of a recording, in order and at its recorded time, through a keeper and a simulated provider
 * cache, and the same bodies unedited through another.
 */
export async function replayRecording(
  recording: Recording,
  settings: ReplaySettings,
  { last = Number.POSITIVE_INFINITY, baseline: known }: ReplayScope = {},
): Promise<FileReplay> {
  const baseline = known ?? (await replayBaseline(recording, settings, last));
  const lane = createLane(settings, { mode: settings.keeper.mode, prefix: "r", sizes: baseline.sizes });
  const laws = createLawChecker();
  const requests: ReplayedRequest[] = [];
  for (const [index, one] of inTimeOrder(recording.contexts).slice(0, last).entries()) {
    const baselineBill = baseline.bills[index];
    assert(baselineBill !== undefined, "every request was sent without Ebb");
    requests.push({ number: index + 1, ...(await replayOne(lane, laws, one)), baselineBill });
    settings.onRequest?.();
  }
  await lane.keeper.close();
  return { file: recording.file, requests, keeper: lane.keeper, baseline, costUsd: lane.costUsd() };
}

async function replayOne(
  lane: Lane,
  laws: LawChecker,
  one: Timed,
): Promise<Omit<ReplayedRequest, "number" | "baselineBill">> {
  const { body, isLive } = one.request;
  const place = { atMs: one.atMs, context: one.context, isLive };
  const prepared = await lane.prepare(one);
  const forwarded = prepared.kind === "forward" ? Buffer.concat(prepared.body) : Buffer.alloc(0);
  const isEdited = prepared.kind === "forward" && prepared.isEdited;
  const served = isEdited ? lane.serve(one, forwarded, droppedThinking(prepared.plan)) : lane.serve(one, body);
  const { bill } = served;
  if (prepared.kind === "refuse") return { ...place, plan: null, problem: prepared.words, bill, violations: [] };
  const { wire } = one.request;
  const violations = await lawViolations(laws, lane.keeper, prepared, body, forwarded, { ...one, wire });
  await lane.finish(prepared, one, served);
  return { ...place, plan: prepared.plan, problem: prepared.problem, bill, violations };
}
