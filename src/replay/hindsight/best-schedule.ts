import { type ReadPath, readPaths } from "./read-paths.ts";
import type { PacedConversation, Rates, Schedule } from "./schedule.ts";

/** Everything behind `cut` that is stale leaves at `at`, and is written again from there. */
interface Batch {
  readonly at: number;
  readonly cut: number;
}

interface Best {
  readonly cost: number;
  readonly batches: readonly Batch[];
}

/**
 * The cheapest schedule by which a client could have released the stale reads of a conversation, knowing how it went on.
 *
 * Exact, within this model: entries of the cache end wherever a schedule wants one, what is written again is written from the
 * earliest place a request changes, and a release changes nothing else of the recording. A real client has a few
 * breakpoints that look back over a bounded number of blocks and can only pay more, so this is a bound on every
 * schedule of the same releases.
 *
 * A batch may take along all that is stale behind its cut: that costs nothing more and saves from then on. So what a batch writes
 * again does not depend on the ones before it, and the batches of a stretch of requests split at the deepest of them into two
 * stretches that do not touch each other.
 */
export function bestSchedule(conversation: PacedConversation, rates: Rates): Schedule {
  const paths = readPaths(conversation, rates);
  const { batches } = bestBatches({ conversation, rates, paths, times: batchTimes(conversation, paths) });
  const schedule = new Map<string, number>();
  for (const { callId, freeAt, staleAt, place } of paths) {
    const times = batches.filter(({ at, cut }) => at >= staleAt && cut <= place).map(({ at }) => at);
    const leavesAt = Math.min(freeAt, ...times);
    if (leavesAt < conversation.length) schedule.set(callId, leavesAt);
  }
  return schedule;
}

/** The schedule by which every stale read leaves as soon as it is one. */
export function promptSchedule(conversation: PacedConversation, rates: Rates): Schedule {
  return new Map(readPaths(conversation, rates).map(({ callId, staleAt }) => [callId, staleAt]));
}

/** The schedule by which stale reads leave where they are written again anyway. */
export function freeSchedule(conversation: PacedConversation, rates: Rates): Schedule {
  const leaving = readPaths(conversation, rates).filter(({ freeAt }) => freeAt < conversation.length);
  return new Map(leaving.map(({ callId, freeAt }) => [callId, freeAt]));
}

interface Search {
  readonly conversation: PacedConversation;
  readonly rates: Rates;
  readonly paths: readonly ReadPath[];
  readonly times: readonly number[];
}

/**
 * Requests worth a batch: those that make something stale, and those that read less than all that was sent before. Between two of them
 * a later batch frees the same and writes no less again.
 */
function batchTimes(conversation: PacedConversation, paths: readonly ReadPath[]): readonly number[] {
  const times = new Set(paths.map(({ staleAt }) => staleAt));
  conversation.forEach(({ readBlocks }, index) => {
    const before = conversation[index - 1];
    if (before !== undefined && readBlocks < before.readBlocks) times.add(index);
  });
  return Array.from(times).sort((left, right) => left - right);
}

/** Batches of the whole conversation; `cut` is a place among all results, in the order in which they came. */
function bestBatches(search: Search): Best {
  const known = new Map<string, Best>();
  const again = createRewriteCost(search);

  /** Between two batches that take along all from `cut` on, none deeper. */
  function bestBetween(after: number, before: number, cut: number): Best {
    const name = `${after} ${before} ${cut}`;
    const found = known.get(name);
    if (found !== undefined) return found;
    const own = search.paths.filter((path) => path.staleAt > after && path.staleAt <= before && path.place >= cut);
    let best: Best = { cost: held(own, before), batches: [] };
    for (const batch of batchesOf(search, own, after, before)) {
      const waiting = held(
        own.filter(({ place }) => place < batch.cut),
        before,
      );
      const floor = again(batch) + waiting;
      if (floor >= best.cost) continue;
      const left = bestBetween(after, batch.at, batch.cut);
      if (floor + left.cost >= best.cost) continue;
      const right = bestBetween(batch.at, before, batch.cut);
      const cost = floor + left.cost + right.cost;
      if (cost < best.cost) best = { cost, batches: [...left.batches, batch, ...right.batches] };
    }
    known.set(name, best);
    return best;
  }

  return bestBetween(-1, search.conversation.length, 0);
}

function held(paths: readonly ReadPath[], before: number): number {
  return paths.reduce((sum, path) => sum + path.heldCost(before), 0);
}

/** Batches that would free something of these paths. */
function batchesOf({ times }: Search, own: readonly ReadPath[], after: number, before: number): readonly Batch[] {
  const cuts = Array.from(new Set(own.map(({ place }) => place)));
  return times
    .filter((at) => at > after && at < before)
    .flatMap((at) =>
      cuts
        .filter((cut) => own.some((path) => path.staleAt <= at && path.freeAt > at && path.place >= cut))
        .map((cut) => ({ at, cut })),
    );
}

/** What a batch has written again beyond what is written anyway, when all that is stale behind its cut has left. */
function createRewriteCost({ conversation, rates, paths }: Search): (batch: Batch) => number {
  const known = new Map<string, number>();
  const callIds = new Map(paths.map(({ place, callId }) => [place, callId]));
  return ({ at, cut }) => {
    const name = `${at} ${cut}`;
    const found = known.get(name);
    if (found !== undefined) return found;
    const request = conversation[at];
    const callId = callIds.get(cut);
    const first = request?.blocks.findIndex((block) => block.callId === callId) ?? -1;
    const cost = request === undefined || first === -1 ? Number.POSITIVE_INFINITY : rewriteCost(request, first, rates);
    known.set(name, cost);
    return cost;
  };
}

function rewriteCost({ blocks, readBlocks, stale }: PacedConversation[number], first: number, rates: Rates): number {
  const tokens = blocks.slice(first, readBlocks).map(({ callId, tokens: whole }) => {
    const leaves = callId !== null && stale.get(callId)?.mayLeave === true;
    return leaves ? Math.min(whole, rates.markerTokens) : whole;
  });
  return (rates.write - rates.read) * tokens.reduce((sum, one) => sum + one, 0);
}
