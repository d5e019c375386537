import { isReplacing, scriptOf } from "../engine/script.ts";
import type { Decision } from "../model/decision.ts";
import type { Edit } from "../model/edit.ts";
import type { ReadMemo, TokenCounter } from "../model/ports.ts";
import { type Draft, type DraftInput, inForceAfter, withoutNew } from "./draft.ts";
import type { Lineage } from "./lineage.ts";
import { areSameForms, type SentForms, unsteadyForm } from "./self-check-forms.ts";
import { createBodyCheck } from "./self-check-leaving.ts";

/** A draft that may leave, and the faults of those that may not. */
export interface Checked {
  /** Null when no form may leave that is sure to be the one sent before. */
  readonly draft: Draft | null;
  readonly faults: readonly string[];
}

/** Ebb's own check of what is about to leave, by laws 1, 2, 3 and 5; it shares nothing with what decides and writes. */
export interface SelfCheck {
  /** The draft, or the last valid form: as it was sent, without new decisions; as it came, where nothing was released. */
  lastSound(input: DraftInput, draft: Draft): Checked;
  /** The fault in a body of which no draft is known, only its edits beside the markers; null when it may leave. */
  faultIn(
    request: Pick<DraftInput, "request" | "source">,
    slices: readonly Uint8Array[],
    extras?: readonly Edit[],
  ): string | null;
  /** Remembers the forms of a checked draft that left, for as long as nobody else goes on with the lineage. */
  noteSent(lineage: Lineage, draft: Draft): void;
  /** What left last was refused: the lineage goes back to an earlier form. */
  forgetSent(lineage: Lineage): void;
}

/** A check that has seen nothing yet. */
export function createSelfCheck(tokens: TokenCounter, memo: ReadMemo): SelfCheck {
  const bodies = createBodyCheck(tokens, memo);
  const sentForms = new WeakMap<Lineage, SentForms>();
  const checkedForms = new WeakMap<Draft, SentForms>();

  function faultOf(input: DraftInput, draft: Draft): string | null {
    const inForce = inForceOf(input, draft);
    const unsteady = unsteadiness(input, draft, inForce);
    if (unsteady !== null) return `steady: ${unsteady}`;
    const { request, source } = input;
    const { wire, route, body } = request;
    const isReadBack = isChanged(draft);
    const { slices } = draft;
    return bodies.faultIn({ wire, route, body, slices, source, inForce, extras: extrasOf(draft), isReadBack });
  }

  function unsteadiness({ placement, understood }: DraftInput, draft: Draft, inForce: readonly Decision[]) {
    const own = sentForms.get(placement.lineage);
    const sent = own ?? sentForms.get(placement.known);
    if (sent === undefined) return null;
    const changes = isChanged(draft) ? [...draft.fresh, ...draft.restored] : [];
    const decided = new Set(changes.map(({ itemKey }) => itemKey));
    const { keys } = understood.chain;
    return unsteadyForm(sent, { keys, inForce, decided, isFork: own === undefined, undoneTurn: undoneTurn(placement) });
  }

  return {
    lastSound(input, draft) {
      const faults = draft.violation === null ? [] : [draft.violation];
      for (const form of formsOf(input, draft, sentForms.get(input.placement.lineage) ?? null)) {
        const fault = faultOf(input, form);
        if (fault === null) {
          checkedForms.set(form, formsSent(input, form, sentForms.get(input.placement.lineage)));
          return { draft: form, faults };
        }
        faults.push(fault);
      }
      return { draft: null, faults };
    },
    faultIn: ({ request, source }, slices, extras = []) =>
      bodies.faultIn({
        wire: request.wire,
        route: request.route,
        body: request.body,
        slices,
        source,
        inForce: null,
        extras,
        isReadBack: false,
      }),
    noteSent(lineage, draft) {
      const checked = checkedForms.get(draft);
      if (checked !== undefined) sentForms.set(lineage, checked);
    },
    forgetSent(lineage) {
      sentForms.delete(lineage);
    },
  };
}

/** The forms a request may leave in, in the order in which they are tried. */
function* formsOf(input: DraftInput, draft: Draft, sent: SentForms | null): Iterable<Draft> {
  yield draft;
  const { request, source } = input;
  const nothingNew = withoutNew(draft);
  if (isChanged(draft)) yield { ...nothingNew, slices: draft.slicesBefore };
  if (sent === null && draft.standing.length > 0) return;
  const byItem = new Map(sent?.decisions.map((decision) => [decision.itemKey, decision]));
  const standing = source.transcript.items.flatMap((item) => byItem.get(item.key) ?? []);
  const script = [...scriptOf(standing), ...draft.pinned];
  const slices = script.length === 0 ? [request.body] : request.wire.write(request.body, source, script);
  yield { ...nothingNew, standing, slices, slicesBefore: slices };
}

/** Copies: what left stays known, whatever becomes of the decisions in memory. */
function formsSent(input: DraftInput, draft: Draft, before: SentForms | undefined): SentForms {
  const { keys } = input.understood.chain;
  const inForce = inForceOf(input, draft);
  const isSame = before !== undefined && areSameForms(before.decisions, inForce);
  return { keys, decisions: isSame ? before.decisions : inForce.map((decision) => ({ ...decision })) };
}

/** The edits that a draft holds beside its markers. */
function extrasOf(draft: Draft): readonly Edit[] {
  return isChanged(draft) ? [...draft.pinned, ...draft.extras] : draft.pinned;
}

/** True where new decisions act; in `observe` they are only counted. */
function isChanged(draft: Draft): boolean {
  return draft.slices !== draft.slicesBefore;
}

/** The decisions whose markers stand in the place of items, in the order of these. */
function inForceOf({ source }: DraftInput, draft: Draft): readonly Decision[] {
  if (!isChanged(draft)) return draft.standing.filter(isReplacing);
  const inForce = inForceAfter(draft.standing, draft).filter(isReplacing);
  const byItem = new Map(inForce.map((decision) => [decision.itemKey, decision]));
  return source.transcript.items.flatMap((item) => byItem.get(item.key) ?? []);
}

/** The first turn from which a fork takes nothing over: what left with thinking that must stand there as it came. */
function undoneTurn({ known, lineage }: DraftInput["placement"]): number {
  const kept = lineage.standing.thinking.stripped;
  const { stripped } = known.standing.thinking;
  return Math.min(...Array.from(stripped, ([key, { turn }]) => (kept.has(key) ? Number.POSITIVE_INFINITY : turn)));
}
