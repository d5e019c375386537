import type { LineageStanding } from "../engine/standing.ts";
import type { ThinkingStanding } from "../engine/thinking-standing.ts";
import { pinnedThinking } from "../engine/thinking-way.ts";
import type { Decision } from "../model/decision.ts";
import type { Script } from "../model/edit.ts";
import type { Item, ItemKey } from "../model/item.ts";
import type { LedgerEntry } from "../model/ledger.ts";
import type { Clock } from "../model/transcript.ts";
import type { Draft, DraftInput } from "./draft.ts";

/** What a lineage replays of what left of signed thinking. */
export function repeatedThinking(
  { source, understood, request }: Pick<DraftInput, "source" | "understood" | "request">,
  { thinking }: Pick<LineageStanding, "thinking">,
): Script {
  return pinnedThinking(source, thinking, {
    model: request.provider.modelFacts(source.transcript.header.model),
    settledCount: understood.observations.settledCount,
  });
}

/** The record of new edits of signed thinking. */
export function thinkingEntries(edits: Script, { turn, step }: Clock): readonly LedgerEntry[] {
  const itemKeys = edits.flatMap((edit) => (edit.kind === "omit" ? [edit.itemKey] : []));
  const drops = edits.some(({ kind }) => kind === "drop-thinking");
  return [
    ...(itemKeys.length === 0 ? [] : [{ type: "thinking-stripped", itemKeys, turn, step } as const]),
    ...(drops ? [{ type: "thinking-dropped", isOn: true, turn, step } as const] : []),
  ];
}

/** True for thinking that is no part of the prompt which a draft writes. */
export function goneFrom({ view, extras }: Pick<Draft, "view" | "extras">): (item: Item) => boolean {
  const omitted = new Set(extras.flatMap((edit) => (edit.kind === "omit" ? [edit.itemKey] : [])));
  return (item) => omitted.has(item.key) || view.isGone(item);
}

/** Thinking that left is gone from the histories that leave this one, and what is decided since holds there. */
export interface InheritedThinking {
  readonly entries: readonly LedgerEntry[];
  /** False for what was decided when thinking left that stands in full in this history. */
  holds(decision: Decision): boolean;
  /** Thinking that stands in full again. */
  readonly restored: ReadonlySet<ItemKey>;
}

/**
 * What a new history takes over of that. Where it ends in the middle of the round that some of this thinking belongs to, that must
 * stand as it came: then it does so in the form it had before.
 */
export function inheritedThinking(
  { stripped, isDropping }: ThinkingStanding,
  keys: readonly ItemKey[],
  settledCount: number,
): InheritedThinking {
  const present = new Set(stripped.size === 0 ? [] : keys);
  const open = keys.slice(settledCount).flatMap((key) => stripped.get(key) ?? []);
  const undoneTurn = Math.min(...open.map(({ turn }) => turn));
  const restored = new Set<ItemKey>();
  const kept = new Map<string, { readonly itemKeys: ItemKey[]; readonly clock: Clock }>();
  for (const [key, clock] of stripped) {
    if (!present.has(key)) continue;
    if (clock.turn >= undoneTurn) {
      restored.add(key);
      continue;
    }
    const name = `${clock.turn} ${clock.step}`;
    const same = kept.get(name) ?? { itemKeys: [], clock };
    same.itemKeys.push(key);
    kept.set(name, same);
  }
  const entries = Array.from(kept.values(), ({ itemKeys, clock }): LedgerEntry => {
    return { type: "thinking-stripped", itemKeys, turn: clock.turn, step: clock.step };
  });
  const dropping: readonly LedgerEntry[] = isDropping
    ? [{ type: "thinking-dropped", isOn: true, turn: 0, step: 0 }]
    : [];
  return { entries: [...entries, ...dropping], holds: ({ turn }) => turn < undoneTurn, restored };
}
