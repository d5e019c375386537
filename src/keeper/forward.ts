import type { ItemLabel } from "../model/decision.ts";
import type { ItemKey } from "../model/item.ts";
import type { AcquiredItem, KeeperRequest, Prepared } from "./contract.ts";
import { type Draft, type DraftInput, inForceAfter } from "./draft.ts";
import { createFinish, type SentRequest } from "./finish.ts";
import { createInline } from "./inline.ts";
import type { Workshop } from "./keeper.ts";

/** A draft on its way to the provider, in the slices it settled on. */
export function forward(
  input: DraftInput,
  draft: Draft,
  slices: readonly Uint8Array[],
  sent: SentRequest | null,
  workshop: Workshop,
): Prepared {
  const acting = workshop.settings.mode === "enforce" ? draft.fresh : [];
  return {
    kind: "forward",
    body: slices,
    isEdited: isEdited(slices, input),
    headers: input.request.wire.headersFor([...draft.pinned, ...draft.extras]),
    plan: {
      lineage: input.placement.lineage.id,
      transcript: input.source.transcript,
      inForce: inForceAfter(draft.standing, { fresh: acting, restored: draft.restored }),
      fresh: draft.fresh,
      edits: [...draft.pinned, ...draft.extras],
      declines: draft.declines,
      turn: draft.clock.turn,
      step: draft.clock.step,
      sentItems: input.placement.sentCount,
      tokensOf: (item) => workshop.tokens.tokensOf(item, input.source),
      labelOf: (key) => labelByKey(draft, key),
      acquiredOf: (key) => acquiredByKey(input, draft, key),
    },
    problem: null,
    inline: createInline(input, workshop),
    finish: createFinish(input, sent, workshop),
  };
}

/** False where the body leaves as it came from the client. */
export function isEdited(slices: readonly Uint8Array[], { expansion }: Pick<DraftInput, "expansion">): boolean {
  return slices.length !== 1 || slices[0] !== expansion.received;
}

/** Sends the body as it came. */
export function untouched(request: KeeperRequest, problem: string): Prepared {
  return {
    kind: "forward",
    body: [request.body],
    isEdited: false,
    headers: [],
    plan: null,
    problem,
    inline: null,
    finish: async () => undefined,
  };
}

function labelByKey(draft: Draft, key: ItemKey): ItemLabel {
  const item = draft.view.itemOf(key);
  if (item === null) return { tool: null, path: null, lineStart: null, lineEnd: null, command: null };
  return draft.view.labelOf(item);
}

function acquiredByKey({ placement }: DraftInput, { view }: Draft, key: ItemKey): AcquiredItem | null {
  const clock = placement.lineage.standing.acquired.get(key);
  const item = view.itemOf(key);
  if (clock === undefined || item === null) return null;
  return { kind: view.kindOf(item), turn: clock.turn, step: clock.step };
}
