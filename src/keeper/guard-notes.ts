import { isNetGuarded, NET_GUARD_REQUESTS, withNetCost } from "../engine/net-guard.ts";
import type { LineageStanding } from "../engine/standing.ts";
import { oneLine } from "../lib/visible.ts";
import type { Judged } from "./feedback.ts";
import type { GuardState } from "./feedback-counts.ts";
import type { KeeperSettings } from "./settings.ts";

/** Whether the net guard stands once a request is answered. Tells the operator where that changes. */
export function guardAfter(
  judged: Judged | null,
  stood: boolean,
  answered: { readonly lineage: string; readonly standing: LineageStanding; readonly atMs: number },
  { onError }: Pick<KeeperSettings, "onError">,
): GuardState {
  const { lineage, standing, atMs } = answered;
  const { netCosts, sessionId, guarded } = standing;
  const stands = judged === null ? stood : isNetGuarded(withNetCost(netCosts, judged.net));
  if (stood !== stands) onError("net_guard", `${nameOf(sessionId, lineage)}: ${stands ? STANDS : ENDED}`);
  return { stood, stands, lineage, sessionId, sinceMs: guarded?.atMs ?? atMs };
}

const STANDS = `Ebb cost more than it saved over the last ${NET_GUARD_REQUESTS} requests of this conversation: nothing new leaves by rule until that changes, and what left stays`;
const ENDED = `Ebb no longer costs more than it saves over the last ${NET_GUARD_REQUESTS} requests of this conversation: releases go on`;

const NAME_CHARS_MAX = 100;

function nameOf(sessionId: string | null, lineage: string): string {
  return sessionId === null ? `conversation ${lineage}` : `session ${oneLine(sessionId).slice(0, NAME_CHARS_MAX)}`;
}
