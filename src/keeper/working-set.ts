import { protectionOf, spanOf } from "../engine/declared.ts";
import { judgeUntil } from "../engine/deliberate.ts";
import { findScope, firstSeen, type History, isInSpan, spanOfScope } from "../engine/report-span.ts";
import type { LineageStanding } from "../engine/standing.ts";
import type { ItemRecord } from "../model/ledger.ts";
import type { Scope } from "../model/wish.ts";
import { carriersOf, declarablesOf } from "./carriers.ts";

/** The history of a lineage before one of its scopes is closed, and where the lineage stands then. */
export interface WorkingSetGround {
  readonly history: History;
  readonly standing: LineageStanding;
}

/**
 * Items that leave when a scope is closed: acquired in it or held with it, standing in full, and not kept by a word of their own:
 * a wish, a protection, a lifetime that runs, or another open scope. Of a result with attachments only these leave.
 */
export function leavingWith(
  name: string,
  items: readonly ItemRecord[],
  ground: WorkingSetGround,
): readonly ItemRecord[] {
  const { history, standing } = ground;
  const { deliberate, clock, decisions, acquired } = standing;
  const clocks = firstSeen(history);
  const span = spanOfScope(findScope(name, history));
  const others = Array.from(deliberate.scopes.values()).filter((scope) => !scope.isClosed && scope.name !== name);
  const carriers = carriersOf(items);
  const carrying = new Set(items.flatMap(({ kind, callId }) => (kind === "media" && callId !== null ? [callId] : [])));
  return items.filter((item) => {
    if (!item.isStored || item.isReferred === true) return false;
    if (item.kind === "result" && carrying.has(item.callId ?? "")) return false;
    if (!acquired.has(item.key) || decisions.has(item.key)) return false;
    if (deliberate.wishes.has(item.key)) return false;
    const declarables = declarablesOf(item, carriers);
    if (declarables.some((one) => isKept(protectionOf(one, deliberate, clock)))) return false;
    const [held = null] = declarables.flatMap((one) => spanOf(one, deliberate, clock) ?? []);
    const until = held?.declaration.until ?? null;
    if (until?.kind === "scope" && until.scope === name) return true;
    if (isKept(held)) return false;
    const step = clocks.get(item.key)?.step ?? item.step;
    return isInSpan(step, span) && !others.some((scope) => isOpenedBefore(scope, step));
  });

  function isKept(declared: ReturnType<typeof spanOf>): boolean {
    return declared !== null && judgeUntil(declared.declaration.until, clock, deliberate.scopes) !== "over";
  }
}

function isOpenedBefore({ openedStep }: Scope, step: number): boolean {
  return step > openedStep;
}
