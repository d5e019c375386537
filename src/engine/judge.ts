import { addressOf } from "../lib/hash.ts";
import type { CacheDeletion } from "../model/cache-edit.ts";
import type { Candidate, Decision, Decline, Moment, Proposal, Rendering, Restoration } from "../model/decision.ts";
import type { Item } from "../model/item.ts";
import type { Gate, TokenCounter } from "../model/ports.ts";
import type { View } from "../model/view.ts";
import { deletionOf } from "./cache-edit-note.ts";
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

/** A marker, and what beside its item it was made from. */
export interface RenderedMarker {
  readonly rendering: Rendering;
  readonly from: readonly unknown[];
}

/** The last marker of each item; forgetting is always safe. */
export interface RenderingMemo {
  get(item: Item): RenderedMarker | undefined;
  set(item: Item, marker: RenderedMarker): unknown;
}

/** What renders what stands in an item's place. */
export interface Renderer {
  readonly tokens: TokenCounter;
  readonly renderings: RenderingMemo;
}

/** A proposal that lacks nothing but a moment. */
export interface Waiting {
  readonly candidate: Candidate;
  /** Why it stays where no moment is found for it. */
  readonly decline: Decline;
}

/** What became of one proposal. */
export type Verdict =
  | { readonly kind: "decision"; readonly decision: Decision; readonly deletion: CacheDeletion | null }
  | { readonly kind: "restoration"; readonly restoration: Restoration }
  | { readonly kind: "decline"; readonly decline: Decline }
  | { readonly kind: "waiting"; readonly waiting: Waiting };

/** Asks the gates in their order about one proposal. What only the cache holds back may wait, if it may act on what was sent. */
export function judge(proposal: Proposal, item: Item, view: View, gates: readonly Gate[], renderer: Renderer): Verdict {
  const candidate = candidateOf(proposal, item, view, renderer);
  let held: Decline | null = null;
  for (const gate of gates) {
    const words = gate.refuse(candidate, view);
    if (words === null) continue;
    const decline = { itemKey: item.key, policy: proposal.policy, reason: gate.reason, words };
    if (held !== null || gate.reason !== "cached_prefix" || !proposal.allowsCold) {
      return { kind: "decline", decline: held ?? decline };
    }
    held = decline;
  }
  if (held !== null) return { kind: "waiting", waiting: { candidate, decline: held } };
  const { moment } = candidate;
  if (moment === null) {
    const reason = { reason: "cached_prefix", words: "no moment allows it now" } as const;
    return { kind: "decline", decline: { itemKey: item.key, policy: proposal.policy, ...reason } };
  }
  return settled(candidate, moment, view);
}

/** What a candidate comes to at a moment. */
export function settled(
  candidate: Candidate,
  moment: Moment,
  view: View,
): Extract<Verdict, { kind: "decision" | "restoration" }> {
  const { proposal, item } = candidate;
  const { step, turn } = view.clock;
  if (proposal.wish?.kind === "whole") {
    const restoration = { itemKey: item.key, address: addressOf(item.key), moment, step, turn };
    return { kind: "restoration", restoration };
  }
  const deletion = moment === "native" ? deletionFor(proposal, item, view) : null;
  return { kind: "decision", decision: decisionOf(candidate, moment, view), deletion };
}

function decisionOf({ proposal, item, rendering }: Candidate, moment: Moment, view: View): Decision {
  const { step, turn } = view.clock;
  const rendered = rendering();
  return {
    itemKey: item.key,
    address: addressOf(item.key),
    policy: proposal.policy,
    reason: proposal.reason,
    evidenceKey: proposal.evidenceKey,
    wish: proposal.wish,
    moment,
    thinkingBehind: view.thinkingBehind(item),
    step,
    turn,
    templateVersion: MARKER_TEMPLATE_VERSION,
    channel: view.channel,
    marker: rendered.text,
    originalDigest: item.digest,
    originalBytes: item.bytes,
    originalTokens: view.tokensOf(item),
    markerTokens: rendered.tokens,
  };
}

function candidateOf(proposal: Proposal, item: Item, view: View, renderer: Renderer): Candidate {
  let rendered: Rendering | null = null;
  const moment = momentOf(proposal, item, view);
  return {
    proposal,
    item,
    moment,
    rendering() {
      rendered ??=
        moment === "native"
          ? measure(deletionFor(proposal, item, view).line, renderer.tokens)
          : markerOf(proposal, item, view, renderer);
      return rendered;
    },
  };
}

function deletionFor({ reason, markerMode }: Proposal, item: Item, view: View): CacheDeletion {
  return deletionOf({
    item,
    address: addressOf(item.key),
    recalledFrom: view.recalledFrom(item),
    label: view.labelOf(item),
    reason,
    mode: markerMode,
    channel: view.channel,
    tokens: view.tokensOf(item),
  });
}

function measure(text: string, tokens: TokenCounter): Rendering {
  return { text, tokens: tokens.count(text), bytes: Buffer.byteLength(text) };
}

/** The marker of a rule's release of a result, made once for all that it is made from: it is asked for in each request that the item waits. */
function markerOf(proposal: Proposal, item: Item, view: View, { tokens, renderings }: Renderer): Rendering {
  const proof = proofOf(proposal, item, view);
  const make = () => measure(markerText(proposal, item, view, proof), tokens);
  if (item.kind !== "result" || proposal.wish !== null || proposal.reason === "stub_repair") return make();
  const { tool, path, lineStart, lineEnd, command } = view.labelOf(item);
  const { reason, markerMode } = proposal;
  const { kind, ...channel } = view.channel;
  const from = [
    reason,
    markerMode,
    proof,
    kind,
    ...Object.values(channel),
    view.recalledFrom(item),
    view.tokensOf(item),
  ];
  from.push(tool, path, lineStart, lineEnd, command, String(isFailure(item, view)));
  const known = renderings.get(item);
  if (known !== undefined && isSame(known.from, from)) return known.rendering;
  const rendering = make();
  renderings.set(item, { rendering, from });
  return rendering;
}

function isSame(left: readonly unknown[], right: readonly unknown[]): boolean {
  return left.length === right.length && left.every((value, index) => value === right[index]);
}

function markerText(proposal: Proposal, item: Item, view: View, proof: ChangeProof | null): string {
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
    proof,
    mode: proposal.markerMode,
    channel: view.channel,
    bytes: item.bytes,
    lines: item.lines,
    tokens: view.tokensOf(item),
    isError: isFailure(item, view),
    media: item.kind === "media" ? item : null,
    text: () => view.textOf(item),
  };
  if (proposal.wish?.kind !== "keep") return renderMarker(input);
  const kept = keptText(input.text(), proposal.wish.range, input.label);
  return kept === "" ? "" : renderKept(input, kept);
}

/** Some formats flag a failure; in others only the words of the result tell of it. */
function isFailure(item: Item, view: View): boolean {
  if (item.kind !== "result") return false;
  return item.isError || view.acquisitions.get(item.key)?.acquisition.outcome === "failed";
}

/** What the evidence is, where it stands behind the item; of a parallel call only the result does. */
function proofOf({ evidenceKey }: Proposal, item: Item, view: View): ChangeProof | null {
  const evidence = evidenceKey === null ? null : view.itemOf(evidenceKey);
  if (evidence === null || evidence.messageIndex <= item.messageIndex) return null;
  if (evidence.kind !== "call") return "notice";
  const kind = view.kindOf(evidence);
  if (kind === null) return null;
  return kind === "run" ? "command" : "edit";
}
