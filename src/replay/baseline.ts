import type { Figures } from "../keeper/contract.ts";
import { type BlockSizes, createBlockSizes } from "./block-sizes.ts";
import { createLane, type ReplaySettings } from "./lane.ts";
import type { Recording } from "./recording.ts";
import type { InputBill } from "./simulated/cache.ts";
import { inTimeOrder } from "./time-order.ts";

/** A recording without Ebb: what each request was billed, and the figures of them all. */
export interface Baseline {
  readonly bills: readonly InputBill[];
  readonly figures: Figures;
  /** Null where a model has no price on record. */
  readonly costUsd: number | null;
  /** Sizes of the recording's blocks, for whoever serves them again. */
  readonly sizes: BlockSizes;
}

/** Sends the first `last` requests of a recording unedited, in order and at their recorded times. */
export async function replayBaseline(
  recording: Recording,
  settings: ReplaySettings,
  last = Number.POSITIVE_INFINITY,
): Promise<Baseline> {
  const sizes = createBlockSizes({ counter: settings.keeper.tokens, traitsOf: settings.traitsOf });
  const lane = createLane(settings, { mode: "off", prefix: "b", sizes });
  const bills: InputBill[] = [];
  for (const one of inTimeOrder(recording.contexts).slice(0, last)) {
    const prepared = await lane.prepare(one);
    const served = lane.serve(one, one.request.body);
    await lane.finish(prepared, one, served);
    bills.push(served.bill);
    settings.onRequest?.();
  }
  await lane.keeper.close();
  return { bills, figures: lane.keeper.stats().figures, costUsd: lane.costUsd(), sizes };
}
