import type { Candidate, Decision, Proposal } from "../model/decision.ts";
import type { Item, ItemKey, ResultItem } from "../model/item.ts";
import type { Gate } from "../model/ports.ts";
import type { ServerClearing } from "../model/server-clear.ts";
import type { View } from "../model/view.ts";
import { gainOf, quoteBatches, type WaitingItem } from "./batch.ts";
import { type Ground, groundOf } from "./batch-ground.ts";
import { leavesWhole } from "./cache-edit-placement.ts";
import { settled } from "./judge.ts";
import type { Mark } from "./kept-prefix.ts";
import type { ServerClears } from "./server-clear.ts";
import { type Cut, cutsOf, type JudgedUse, type LeavingUse, leavingBy } from "./server-clear-cuts.ts";
import { lineOf } from "./server-clear-note.ts";
import { toolUsesOf } from "./tool-uses.ts";
import { type PayingOptions, STALE } from "./waiting.ts";

/** What the provider is to be asked from this request on. */
export interface ClearPlan {
  readonly clearing: ServerClearing;
  /** What leaves by it that was not asked for before. */
  readonly fresh: readonly Decision[];
  /** What stands behind in the provider's cache is written again. */
  readonly isPriced: boolean;
  /** A breakpoint that keeps what stands in front; null where the client's own suffice. */
  readonly breakpoint: Mark | null;
}

/** What the request decided otherwise: proposals that were refused or wait, and the items that change. */
export interface OtherPlan {
  readonly unsettled: readonly Proposal[];
  readonly changed: ReadonlySet<ItemKey>;
  readonly breakpoint: Mark | null;
}

interface ClearParts {
  readonly gates: readonly Gate[];
  readonly paying: PayingOptions;
}

/** The provider acts on any prompt: what leaves is told by the tool uses that stay. */
const TRIGGER_TOKENS = 1;
/** About as long as what the provider puts in the place of a result. */
export const PLACEHOLDER_TOKENS = 12;
/** About as long as what the note says of a result. */
const NOTE_LINE_TOKENS = 30;

/**
 * Translates what only signed thinking, or the cache, holds back into context editing by the provider, on models that sign their
 * thinking over all that stands before it. The oldest tool uses leave, up to the one where that brings most; a tool of which a
 * result in front of that must stay is left out by its name. Null where nothing is worth asking for.
 */
export function planServerClear(
  view: View,
  state: ServerClears,
  other: OtherPlan,
  { gates, paying }: ClearParts,
): ClearPlan | null {
  if (!mayAsk(view, state)) return null;
  const uses = judgedUses(view, state, other, gates);
  if (uses === null) return null;
  const ground = groundOf(view, other.changed, paying);
  let best: { readonly cut: Cut; readonly worth: Worth } | null = null;
  for (const cut of cutsOf(uses, ground.heldCount)) {
    const worth = worthOf(cut, ground, paying);
    if (worth !== null && worth.gain > (best?.worth.gain ?? 0)) best = { cut, worth };
  }
  if (best === null) return null;
  const { cut, worth } = best;
  const breakpoint = worth.tokensMin === null ? null : ground.keeping.before(cut.start).breakpoint;
  // There is room for one: what another change needs in front of it is not needed here.
  if (breakpoint !== null && other.breakpoint !== null && other.breakpoint.itemKey !== breakpoint.itemKey) return null;
  const known = new Map(state.asked?.leaving.map((decision) => [decision.itemKey, decision]));
  const leaving = leavingBy(uses, cut).flatMap((use) =>
    use.state === "leaves" ? decisionOf(use, view) : (known.get(use.item.key) ?? []),
  );
  const clearTokensMin = state.asked === null ? worth.tokensMin : state.asked.clearTokensMin;
  return {
    clearing: { leaving, triggerTokens: TRIGGER_TOKENS, clearTokensMin, exceptTools: cut.exceptTools },
    fresh: leaving.filter(({ itemKey }) => !known.has(itemKey)),
    isPriced: worth.tokensMin !== null,
    breakpoint,
  };
}

/** Nothing is asked of unknown models, for requests beside the conversation, and where it is not known what the cache holds. */
function mayAsk(view: View, { off }: ServerClears): boolean {
  const { model, cache, isTrusted, isNetGuarded, isRefused } = view;
  const { header } = view.transcript;
  if (off !== null || header.hasServerClear || header.toolNames.length === 0) return false;
  return (
    model.isKnown && model.thinkingBinding === "prefix" && cache.isKnown && isTrusted && !isNetGuarded && !isRefused
  );
}

function judgedUses(
  view: View,
  { asked }: ServerClears,
  { unsettled, changed }: OtherPlan,
  gates: readonly Gate[],
): readonly JudgedUse[] | null {
  const leaving = new Set(asked?.leaving.map(({ itemKey }) => itemKey));
  const proposals = new Map<ItemKey, Proposal>();
  for (const proposal of unsettled) if (!proposals.has(proposal.itemKey)) proposals.set(proposal.itemKey, proposal);
  const uses = proposals.size === 0 ? null : toolUsesOf(view.transcript);
  if (uses === null) return null;
  const noteTokens = view.channel.kind === "none" ? 0 : NOTE_LINE_TOKENS;
  return uses.map(({ call: { name: tool }, result: item, resultIndex: index }): JudgedUse => {
    if (item === null) return { state: "stays", tool };
    if (leaving.has(item.key)) return { state: "asked", tool, item };
    const proposal = proposals.get(item.key);
    if (proposal === undefined || changed.has(item.key) || !mayLeave(proposal, item, view, gates)) {
      return { state: "stays", tool };
    }
    const savedTokens = view.tokensOf(item) - PLACEHOLDER_TOKENS - noteTokens;
    return { state: "leaves", tool, item, proposal, index, savedTokens, isStale: STALE.has(proposal.reason) };
  });
}

/** Gates that hold back a marker, and not what the provider does by itself. */
const BESIDE: ReadonlySet<Gate["reason"]> = new Set(["bound_thinking", "cached_prefix", "marker_no_win"]);

function mayLeave(proposal: Proposal, item: ResultItem, view: View, gates: readonly Gate[]): boolean {
  const mayActOnSent = proposal.allowsCold || proposal.wish !== null;
  if (!mayActOnSent || !leavesWhole(proposal) || item.mediaCount > 0 || view.exposureOf(item) !== "sent") return false;
  const candidate = candidateOf(proposal, item, "");
  return gates.every((gate) => BESIDE.has(gate.reason) || gate.refuse(candidate, view) === null);
}

function candidateOf(proposal: Proposal, item: Item, text: string): Candidate {
  const rendering = { text, tokens: PLACEHOLDER_TOKENS, bytes: Buffer.byteLength(text) };
  return { proposal, item, moment: "server-clear", rendering: () => rendering };
}

/** Thinking behind it goes on being valid: nothing puts it back for that. */
function decisionOf(use: LeavingUse, view: View): readonly Decision[] {
  const verdict = settled(candidateOf(use.proposal, use.item, lineOf(use, view)), "server-clear", view);
  return verdict.kind === "decision" ? [{ ...verdict.decision, thinkingBehind: null }] : [];
}

interface Worth {
  /** What it brings, in US dollars; in tokens where no price is on record. */
  readonly gain: number;
  /** Fewer cleared tokens than this would not pay; null where it costs nothing. */
  readonly tokensMin: number | null;
}

function worthOf({ start, saved }: Cut, ground: Ground, { pays }: PayingOptions): Worth | null {
  const savedTokens = saved.held + saved.heldStale + saved.rest + saved.restStale;
  const isFree = start >= ground.heldCount;
  if (savedTokens <= 0 || !(isFree || pays)) return null;
  const priced = isFree ? { ...ground, heldCount: 0, lostBefore: () => 0 } : ground;
  const [quote] = quoteBatches(batchOf({ start, saved }, ground), priced) ?? [];
  if (quote === undefined) return isFree ? { gain: savedTokens, tokensMin: null } : null;
  const { costUsd, savedUsd, requestsExpected, freedTokens } = quote;
  const tokensMin = isFree ? null : Math.max(1, Math.ceil((freedTokens * costUsd) / (savedUsd * requestsExpected)));
  return { gain: gainOf(quote), tokensMin };
}

/** One item in the place of all that are alike: in what is held in the cache, and behind it. */
function batchOf({ start, saved }: Pick<Cut, "start" | "saved">, { heldCount, sizes }: Ground): readonly WaitingItem[] {
  const behind = Math.max(start, heldCount);
  return [
    { index: start, freedTokens: sizes.rate * saved.held, isStale: false },
    { index: start, freedTokens: sizes.rate * saved.heldStale, isStale: true },
    { index: behind, freedTokens: sizes.rate * saved.rest, isStale: false },
    { index: behind, freedTokens: sizes.rate * saved.restStale, isStale: true },
  ];
}
