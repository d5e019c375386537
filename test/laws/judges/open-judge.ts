import type { Keeper } from "../../../src/keeper/contract.ts";
import { readBody } from "../bodies.ts";
import type { Weather } from "../faulty-store.ts";
import type { Watcher } from "../world.ts";

/**
 * A request is refused only where the store failed it, its history may hold what Ebb released, and this process has not sent that
 * history itself. Clears the count of faults.
 */
export function judgeOpenness(weather: Weather): Watcher {
  const sentBy = new Map<string, Keeper>();
  /** Threads whose last answer this process saw to its end. */
  const answered = new Set<string>();
  let isContested = false;
  return ({ request, prepared, keeper }) => {
    const hadFaults = weather.faults > 0;
    const wasAnswered = answered.has(request.thread);
    if (request.kind === "generate") answered.delete(request.thread);
    const hadConflicts = weather.conflicts > 0;
    if (hadConflicts) sentBy.clear();
    isContested ||= hadConflicts;
    Object.assign(weather, { faults: 0, conflicts: 0 });
    const isKnown = sentBy.get(request.thread) === keeper && !request.isRewritten && !request.hasUnseen && wasAnswered;
    if (prepared.kind === "forward") {
      // Where another process wrote too, only what a sound store placed is surely this process's own.
      const isSure = !isContested || !hadFaults;
      if (request.kind === "generate" && isSure) sentBy.set(request.thread, keeper);
      if (request.kind === "generate" && request.ending !== null) answered.add(request.thread);
      return [];
    }
    // The client of these tests goes on all the same, so the next request holds an answer Ebb did not send for.
    sentBy.delete(request.thread);
    if (!hadFaults) return [`open on failure: refused with a sound store: ${prepared.words}`];
    if (isKnown) return [`open on failure: refused what this process had sent itself: ${prepared.words}`];
    const isOpening = !readBody(request.body).blocks.some(({ role }) => role === "assistant");
    return isOpening && !hadConflicts ? ["open on failure: refused a conversation that only begins"] : [];
  };
}
