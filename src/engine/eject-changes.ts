import type { Decision } from "../model/decision.ts";
import type { LedgerEntry } from "../model/ledger.ts";
import type { Clock } from "../model/transcript.ts";
import { type PastRequest, type PastRequests, placesOfItems } from "./eject-history.ts";
import type { PastSizes } from "./eject-sizes.ts";

/** One thing that goes out otherwise than the client sends it. */
export interface SentChange extends Clock {
  readonly what: "released" | "recalled inside the stream" | "note" | "tools" | "thinking left out";
  /** The decision, where it is one. */
  readonly decision: Decision | null;
  /** Request whose part of the history holds it; everything in front of that part goes out as the client sends it. */
  readonly request: number;
  readonly tokensBefore: number | null;
  /** First request that carried it; null: none yet. */
  readonly carriedBy: number | null;
  /** Thinking that came after it does not fit a history without it. */
  readonly isSignedOver: boolean;
}

/** All of them, in the order of their places. */
export function sentChanges(past: PastRequests, sizes: PastSizes): readonly SentChange[] {
  const all = [
    ...releases(past, sizes),
    ...asides(past, sizes),
    ...notes(past, sizes),
    ...tools(past),
    ...thinking(past, sizes),
  ];
  return all.toSorted(
    (one, other) => one.request - other.request || (one.tokensBefore ?? 0) - (other.tokensBefore ?? 0),
  );
}

function releases(past: PastRequests, sizes: PastSizes): readonly SentChange[] {
  const places = placesOfItems(past);
  const carriers = new Map<string, number>();
  for (const [index, { entries }] of past.requests.entries()) {
    for (const entry of entries) if (entry.type === "item-released") carriers.set(entry.decision.itemKey, index);
  }
  const own = ownStart(past);
  return Array.from(past.standing.decisions.values(), (decision): SentChange => {
    const place = places.get(decision.itemKey) ?? { request: 0, order: 0 };
    const clock = past.standing.acquired.get(decision.itemKey) ?? decision;
    return {
      what: "released",
      decision,
      request: place.request,
      tokensBefore: sizes.before(place.request, place.order),
      carriedBy: carriers.get(decision.itemKey) ?? own,
      isSignedOver: decision.moment !== "native" && decision.moment !== "server-clear",
      turn: clock.turn,
      step: clock.step,
    };
  });
}

/** The last attempt at each place: what was asked again before it was seen is no part of the history. */
function asides({ requests, later }: PastRequests, sizes: PastSizes): readonly SentChange[] {
  const attempts = new Map<string, string>();
  const found: { readonly aside: AsideEntry["aside"]; readonly before: number; readonly carriedBy: number | null }[] =
    [];
  const note = (entries: readonly LedgerEntry[], before: number, carriedBy: number | null) => {
    for (const entry of entries) {
      if (entry.type !== "aside-pinned") continue;
      attempts.set(entry.aside.anchor, entry.aside.attempt);
      found.push({ aside: entry.aside, before, carriedBy });
    }
  };
  for (const [index, { entries }] of requests.entries()) note(entries, index - 1, index);
  note(later, requests.length - 1, null);
  return found.flatMap(({ aside, before, carriedBy }): readonly SentChange[] => {
    if (attempts.get(aside.anchor) !== aside.attempt) return [];
    const clock = clockOf(requests[Math.max(0, before)]);
    const tokensBefore = sizes.before(before, Number.POSITIVE_INFINITY);
    const request = before + 1;
    return [
      {
        what: "recalled inside the stream",
        decision: null,
        request,
        tokensBefore,
        carriedBy,
        isSignedOver: true,
        ...clock,
      },
    ];
  });
}

type AsideEntry = Extract<LedgerEntry, { type: "aside-pinned" }>;

function notes({ requests }: PastRequests, sizes: PastSizes): readonly SentChange[] {
  return requests.flatMap((one, index) =>
    one.entries.some(
      (entry) => entry.type === "note-pinned" || (entry.type === "edit-pinned" && entry.block.note !== ""),
    )
      ? [
          {
            what: "note",
            decision: null,
            request: index,
            tokensBefore: sizes.before(index, Number.POSITIVE_INFINITY),
            carriedBy: index,
            isSignedOver: true,
            ...clockOf(one),
          } as const,
        ]
      : [],
  );
}

/** Tools stand in front of everything. */
function tools({ requests, later }: PastRequests): readonly SentChange[] {
  const isOffer = (entry: LedgerEntry) => entry.type === "tools-offered";
  const index = requests.findIndex(({ entries }) => entries.some(isOffer));
  if (index === -1 && !later.some(isOffer)) return [];
  const carriedBy = index === -1 ? null : index;
  const [first] = requests;
  return [
    { what: "tools", decision: null, request: 0, tokensBefore: 0, carriedBy, isSignedOver: true, ...clockOf(first) },
  ];
}

/** Thinking that was left out stands behind the first that was sent, at the earliest. */
function thinking({ requests, standing }: PastRequests, sizes: PastSizes): readonly SentChange[] {
  if (standing.thinking.stripped.size === 0) return [];
  const first = Math.max(
    0,
    requests.findIndex(({ thoughtCount }) => thoughtCount > 0),
  );
  const strips = requests.findLastIndex(({ entries }) => entries.some(({ type }) => type === "thinking-stripped"));
  return [
    {
      what: "thinking left out",
      decision: null,
      request: first,
      tokensBefore: sizes.before(first - 1, Number.POSITIVE_INFINITY),
      carriedBy: strips === -1 ? 0 : strips,
      isSignedOver: true,
      ...clockOf(requests[first]),
    },
  ];
}

/** What was inherited went out with the first request of the history's own. */
function ownStart({ requests }: PastRequests): number {
  const opened = requests.findLastIndex(({ entries }) => entries.some(({ type }) => type === "lineage-opened"));
  return Math.max(0, opened);
}

function clockOf(request: PastRequest | undefined): Clock {
  return { turn: request?.turn ?? 0, step: request?.step ?? 0 };
}
