import { addressOf } from "../lib/hash.ts";
import type { Candidate, Decision, Decline, Proposal, Rendering, Restoration } from "../model/decision.ts";
import type { Item, ItemKey } from "../model/item.ts";
import type { Gate, Policy, TokenCounter } from "../model/ports.ts";
import type { View } from "../model/view.ts";
import { boundRestorations } from "./bound-restorations.ts";
import { keptText } from "./kept-text.ts";
import {
  type ChangeProof,
  MARKER_TEMPLATE_VERSION,
  type MarkerInput,
  renderKept,
  renderMarker,
  renderStubRepair,
} from "./marker.ts";
import { momentOf } from "./moment.ts";

/** What one request decides: new decisions in transcript order, and why everything else stays. */
export interface Plan {
  readonly decisions: readonly Decision[];
  /** Items that stand in full again. */
  readonly restorations: readonly Restoration[];
  readonly declines: readonly Decline[];
}

/** Policies propose, gates refuse in their order. One decision or one reason per item; the first policy to pass wins. */
export function planRequest(
  view: View,
  policies: readonly Policy[],
  gates: readonly Gate[],
  tokens: TokenCounter,
): Plan {
  const decisions = new Map<ItemKey, Decision>();
  const restorations = new Map(boundRestorations(view).map((restoration) => [restoration.itemKey, restoration]));
  const declines = new Map<ItemKey | null, Decline>();
  for (const policy of policies) {
    const opinion = policy.propose(view);
    for (const decline of opinion.declines) if (!declines.has(decline.itemKey)) declines.set(decline.itemKey, decline);
    for (const proposal of opinion.proposals) {
      const item = view.itemOf(proposal.itemKey);
      if (item === null || decisions.has(item.key) || restorations.has(item.key)) continue;
      if (proposal.reason === "stub_repair" && isTargetHeld(item, view, { decisions, restorations })) continue;
      const outcome = judge(proposal, item, view, gates, tokens);
      if ("marker" in outcome) decisions.set(item.key, outcome);
      else if ("moment" in outcome) restorations.set(item.key, outcome);
      else noteRefusal(declines, outcome, gates);
    }
  }
  return {
    decisions: decisions.size === 0 ? [] : view.transcript.items.flatMap((item) => decisions.get(item.key) ?? []),
    restorations: Array.from(restorations.values()),
    declines: Array.from(declines.values()).filter(
      ({ itemKey }) => itemKey === null || !(decisions.has(itemKey) || restorations.has(itemKey)),
    ),
  };
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
  const places = gates.map((gate) => gate.reason);
  const place = known === undefined ? -1 : places.indexOf(known.reason);
  if (place === -1 || places.indexOf(refusal.reason) < place) declines.set(refusal.itemKey, refusal);
}

function judge(
  proposal: Proposal,
  item: Item,
  view: View,
  gates: readonly Gate[],
  tokens: TokenCounter,
): Decision | Restoration | Decline {
  const candidate = candidateOf(proposal, item, view, tokens);
  for (const gate of gates) {
    const words = gate.refuse(candidate, view);
    if (words !== null) return { itemKey: item.key, policy: proposal.policy, reason: gate.reason, words };
  }
  if (candidate.moment === null) {
    return { itemKey: item.key, policy: proposal.policy, reason: "cached_prefix", words: "no moment allows it now" };
  }
  const { step, turn } = view.clock;
  if (proposal.wish?.kind === "whole") {
    return { itemKey: item.key, address: addressOf(item.key), moment: candidate.moment, step, turn };
  }
  const rendering = candidate.rendering();
  return {
    itemKey: item.key,
    address: addressOf(item.key),
    policy: proposal.policy,
    reason: proposal.reason,
    evidenceKey: proposal.evidenceKey,
    wish: proposal.wish,
    moment: candidate.moment,
    thinkingBehind: view.thinkingBehind(item),
    step,
    turn,
    templateVersion: MARKER_TEMPLATE_VERSION,
    channel: view.channel,
    marker: rendering.text,
    originalDigest: item.digest,
    originalBytes: item.bytes,
    originalTokens: view.tokensOf(item),
    markerTokens: rendering.tokens,
  };
}

function candidateOf(proposal: Proposal, item: Item, view: View, tokens: TokenCounter): Candidate {
  let rendered: Rendering | null = null;
  return {
    proposal,
    item,
    moment: momentOf(proposal, item, view),
    rendering() {
      rendered ??= measure(markerText(proposal, item, view), tokens);
      return rendered;
    },
  };
}

function measure(text: string, tokens: TokenCounter): Rendering {
  return { text, tokens: tokens.count(text), bytes: Buffer.byteLength(text) };
}

function markerText(proposal: Proposal, item: Item, view: View): string {
  if (proposal.reason === "stub_repair") {
    const lost = view.lostReadOf(item.key);
    if (lost === null) return "";
    return lost.text ?? renderStubRepair(lost.address, view.channel);
  }
  const input: MarkerInput = {
    address: addressOf(item.key),
    recalledFrom: view.recalledFrom(item),
    label: view.labelOf(item),
    reason: proposal.reason,
    proof: proofOf(proposal, item, view),
    mode: proposal.markerMode,
    channel: view.channel,
    bytes: item.bytes,
    lines: item.lines,
    tokens: view.tokensOf(item),
    isError: item.kind === "result" && item.isError,
    media: item.kind === "media" ? item : null,
    text: () => view.textOf(item),
  };
  if (proposal.wish?.kind !== "keep") return renderMarker(input);
  const kept = keptText(input.text(), proposal.wish.range, input.label.lineStart);
  return kept === "" ? "" : renderKept(input, kept);
}

/** What the evidence is, where it stands behind the item; of a parallel call only the result does. */
function proofOf({ evidenceKey }: Proposal, item: Item, view: View): ChangeProof | null {
  const evidence = evidenceKey === null ? null : view.itemOf(evidenceKey);
  if (evidence === null || evidence.messageIndex <= item.messageIndex) return null;
  if (evidence.kind !== "call") return "notice";
  for (const { callKey, acquisition } of view.acquisitions.values()) {
    if (callKey === evidenceKey) return acquisition.kind === "run" ? "command" : "edit";
  }
  return null;
}
