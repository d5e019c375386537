import type { CacheDeletion } from "../model/cache-edit.ts";
import type { Decision, Decline, DeclineReason, Moment, Proposal, Restoration } from "../model/decision.ts";
import type { Edit, Script } from "../model/edit.ts";
import type { Item, ItemKey } from "../model/item.ts";
import type { Gate, Policy } from "../model/ports.ts";
import type { View } from "../model/view.ts";
import { boundRestorations } from "./bound-restorations.ts";
import { judge, type Renderer, settled, type Waiting } from "./judge.ts";
import { prefixKeeping } from "./kept-prefix.ts";
import { repeatedMark } from "./repeated-mark.ts";
import { thinkingEditsFor } from "./thinking-way.ts";
import { momentsOfWaiting, type PayingOptions } from "./waiting.ts";

/** What one request decides: new decisions in transcript order, and why everything else stays. */
export interface Plan {
  readonly decisions: readonly Decision[];
  /** Items that stand in full again. */
  readonly restorations: readonly Restoration[];
  /** What the provider is to delete from its cache, for the decisions of which that is the moment. */
  readonly deletions: readonly CacheDeletion[];
  readonly declines: readonly Decline[];
  /** Proposals that nothing came of. */
  readonly unsettled: readonly Proposal[];
  /** A breakpoint that keeps what stands before a change at depth, in this request or the next; null for none. */
  readonly breakpoint: Extract<Edit, { kind: "breakpoint" }> | null;
  /** What the decisions take of thinking that was signed over what they change. */
  readonly thinking: Script;
}

/** Who plans a request. */
export interface PlanParts {
  readonly policies: readonly Policy[];
  readonly gates: readonly Gate[];
  readonly renderer: Renderer;
  readonly paying: PayingOptions;
}

/** Nothing is decided. */
export const NO_PLAN: Plan = {
  decisions: [],
  restorations: [],
  deletions: [],
  declines: [],
  unsettled: [],
  breakpoint: null,
  thinking: [],
};

/**
 * Policies propose, gates refuse in their order. One decision or one reason per item; the first policy to pass wins. What lacks only a
 * moment is looked at together, once everything else is settled.
 */
export function planRequest(view: View, parts: PlanParts): Plan {
  const found: Found = {
    decisions: new Map(),
    restorations: new Map(boundRestorations(view).map((restoration) => [restoration.itemKey, restoration])),
    declines: new Map(),
    deletions: new Map(),
    waiting: new Map(),
    unsettled: [],
  };
  for (const policy of parts.policies) askPolicy(policy, view, parts, found);
  const { decisions, restorations, declines } = found;
  const { marks } = parts.paying;
  const breakpoint = settleWaiting(view, parts, found) ?? decidedMark(view, marks, found) ?? repeatedMark(view, marks);
  return {
    decisions: decisions.size === 0 ? [] : view.transcript.items.flatMap((item) => decisions.get(item.key) ?? []),
    restorations: Array.from(restorations.values()),
    deletions: Array.from(found.deletions.values()),
    declines: Array.from(declines.values()).filter(({ itemKey }) => itemKey === null || !isSettled(itemKey, found)),
    breakpoint,
    unsettled: found.unsettled.filter(({ itemKey }) => !isSettled(itemKey, found)),
    thinking: thinkingEditsFor(view.thinkingWay, Array.from(decisions.values())),
  };
}

/** Moments at which somebody decided what the provider holds is written again for. */
const DECIDED: ReadonlySet<Moment> = new Set(["deliberate", "limit"]);

/** The breakpoint that keeps what stands in front of the first change decided on purpose, or due at a limit. */
function decidedMark(view: View, marks: boolean, { decisions, restorations }: Found): Plan["breakpoint"] {
  const first = view.transcript.items.findIndex(({ key }) => {
    const { moment } = decisions.get(key) ?? restorations.get(key) ?? { moment: null };
    return moment !== null && DECIDED.has(moment);
  });
  return first === -1 || first >= view.cache.heldCount ? null : prefixKeeping(view, marks).before(first).breakpoint;
}

/** What is found while the policies are asked. */
interface Found {
  readonly decisions: Map<ItemKey, Decision>;
  readonly restorations: Map<ItemKey, Restoration>;
  readonly deletions: Map<ItemKey, CacheDeletion>;
  readonly declines: Map<ItemKey | null, Decline>;
  readonly waiting: Map<ItemKey, Waiting>;
  readonly unsettled: Proposal[];
}

function isSettled(key: ItemKey, { decisions, restorations }: Found): boolean {
  return decisions.has(key) || restorations.has(key);
}

function askPolicy(policy: Policy, view: View, { gates, renderer }: PlanParts, found: Found): void {
  const { declines, waiting } = found;
  const opinion = policy.propose(view);
  for (const decline of opinion.declines) if (!declines.has(decline.itemKey)) declines.set(decline.itemKey, decline);
  for (const proposal of opinion.proposals) {
    const item = view.itemOf(proposal.itemKey);
    if (item === null || isSettled(item.key, found)) continue;
    if (proposal.reason === "stub_repair" && isTargetHeld(item, view, found)) continue;
    const verdict = judge(proposal, item, view, gates, renderer);
    if (verdict.kind === "decline" || verdict.kind === "waiting") found.unsettled.push(proposal);
    if (verdict.kind === "decline") noteRefusal(declines, verdict.decline, gates);
    else if (verdict.kind !== "waiting") settle(verdict, found);
    else if (!waiting.has(item.key)) waiting.set(item.key, verdict.waiting);
  }
}

function settle(verdict: ReturnType<typeof settled>, { decisions, restorations, deletions }: Found): void {
  if (verdict.kind === "restoration") restorations.set(verdict.restoration.itemKey, verdict.restoration);
  else {
    const { decision, deletion } = verdict;
    decisions.set(decision.itemKey, decision);
    if (deletion !== null) deletions.set(decision.itemKey, deletion);
  }
}

/** Finds moments for what lacked only one; answers the breakpoint that this takes. */
function settleWaiting(view: View, { gates, paying }: PlanParts, found: Found): Plan["breakpoint"] {
  const waiting = Array.from(found.waiting.values()).filter(({ candidate: { item } }) => !isSettled(item.key, found));
  const replaced = Array.from(found.decisions.keys()).filter((key) => !found.deletions.has(key));
  const changed = new Set([...replaced, ...found.restorations.keys()]);
  const moments = momentsOfWaiting(waiting, changed, view, paying);
  for (const { candidate, moment } of moments.acting) settle(settled(candidate, moment, view), found);
  for (const decline of moments.declines) noteRefusal(found.declines, decline, gates);
  return moments.breakpoint;
}

/** The read that an "unchanged" answer points to stands in full once this plan acts: then the answer is true as it is. */
function isTargetHeld(
  stub: Item,
  view: View,
  { decisions, restorations }: Record<"decisions" | "restorations", ReadonlyMap<ItemKey, unknown>>,
): boolean {
  const target = view.reads.get(stub.key)?.stubTarget ?? null;
  if (target === null || decisions.has(target)) return false;
  return restorations.has(target) || view.standingOf(target).state === "held";
}

/** Of several refusals of one item the one of the first gate is named; a policy that proposed nothing says less than any. */
function noteRefusal(declines: Map<ItemKey | null, Decline>, refusal: Decline, gates: readonly Gate[]): void {
  const known = declines.get(refusal.itemKey);
  const place = known === undefined ? -1 : placeOf(known.reason, gates);
  if (place === -1 || placeOf(refusal.reason, gates) < place) declines.set(refusal.itemKey, refusal);
}

/** What is too dear is held back by the cache. */
function placeOf(reason: DeclineReason, gates: readonly Gate[]): number {
  const gate = reason === "does_not_pay" ? "cached_prefix" : reason;
  return gates.findIndex((one) => one.reason === gate);
}
