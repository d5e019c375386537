import { createBoundedMap } from "../lib/bounded-map.ts";
import { sha256Hex } from "../lib/hash.ts";
import type { Decision } from "../model/decision.ts";
import type { Edit } from "../model/edit.ts";
import type { ReadMemo, TokenCounter, Wire, WireRoute, WireSource } from "../model/ports.ts";
import { markersOf, readBack } from "./self-check.ts";
import { insertedParts } from "./self-check-parts.ts";
import { namesOf, splicesOf } from "./self-check-splices.ts";
import { unstatedFault } from "./self-check-stated.ts";

/** A body about to leave, beside the one that came. */
export interface Leaving {
  readonly wire: Wire;
  readonly route: WireRoute | null;
  readonly body: Uint8Array;
  readonly slices: readonly Uint8Array[];
  readonly source: WireSource;
  /** Decisions whose markers it must hold, each once and in this order; null where only the body itself is known. */
  readonly inForce: readonly Decision[] | null;
  /** Edits beside the markers; nothing else may have been put in. */
  readonly extras: readonly Edit[];
  /** It was read back already. */
  readonly isReadBack: boolean;
}

/**
 * Ebb's own check of every body that leaves changed, by the laws its bytes can break: untouched, paired, never worse. Its cost
 * grows with the markers, not with the body: only a splice that was not seen before has the body read back.
 */
export interface BodyCheck {
  /** Words for the first fault; null when the body may leave. */
  faultIn(leaving: Leaving): string | null;
}

const SPLICES_MAX = 50_000;

/** A check that has seen nothing yet. */
export function createBodyCheck(tokens: TokenCounter, memo: ReadMemo): BodyCheck {
  const proven = createBoundedMap<string, true>(SPLICES_MAX);
  const measured = new WeakSet<Decision>();

  function worseMarker(inForce: readonly Decision[], source: WireSource): string | null {
    const unmeasured = inForce.filter((decision) => !measured.has(decision));
    if (unmeasured.length === 0) return null;
    const items = new Map(source.transcript.items.map((item) => [item.key, item]));
    for (const decision of unmeasured) {
      const { marker, itemKey, address, originalTokens, reason } = decision;
      const bytes = items.get(itemKey)?.bytes ?? 0;
      // A pointer in the place of an "unchanged" answer is an insertion.
      const isSmaller = Buffer.byteLength(marker) < bytes && tokens.count(marker) < originalTokens;
      if (reason !== "stub_repair" && !isSmaller) return `never worse: the marker ${address} saves nothing`;
      measured.add(decision);
    }
    return null;
  }

  return {
    faultIn({ wire, route, body, slices, source, inForce, extras, isReadBack }) {
      const splices = splicesOf(body, slices);
      if (splices === null) return "untouched: bytes that came would leave in another order";
      const parts = insertedParts(splices);
      if (parts === null) return "untouched: something else than a text was put in";
      const { texts } = parts;
      const unlike = inForce === null ? null : unlikeMarkers(texts, inForce, source);
      if (unlike !== null) return unlike;
      const unstated = unstatedFault(parts, extras, source);
      if (unstated !== null) return unstated;
      const worse = inForce === null ? null : worseMarker(inForce, source);
      if (worse !== null) return worse;
      const names = proofsOf(namesOf(body, splices), extras);
      if (names.every((name) => proven.get(name) === true)) return null;
      const written = { wire, route, slices, before: source, memo };
      const fault = isReadBack ? null : readBackFault(written, texts, inForce, extras);
      if (fault !== null) return fault;
      for (const name of names) proven.set(name, true);
      return null;
    },
  };
}

/** Which edits a splice stands for is proven with all that stand beside it: the same bytes may once have been meant, and not now. */
function proofsOf(names: readonly string[], extras: readonly Edit[]): readonly string[] {
  return extras.length === 0 ? names : [...names, sha256Hex(JSON.stringify([extras, names]))];
}

function unlikeMarkers(
  texts: readonly string[],
  inForce: readonly Decision[],
  { transcript }: WireSource,
): string | null {
  if (texts.length !== inForce.length) {
    return `steady: ${inForce.length} markers are in force, ${texts.length} texts were put in`;
  }
  const index = inForce.findIndex(({ marker }, at) => texts[at] !== marker);
  if (index === -1) return null;
  // The media of a result may stand before its text.
  const places = new Map(transcript.items.map((item) => [item.key, `${item.messageIndex} ${item.blockIndex}`]));
  const inBlocks = (put: readonly (string | undefined)[]) =>
    inForce.map(({ itemKey }, at) => JSON.stringify([places.get(itemKey), put[at]])).sort();
  const meant = inBlocks(inForce.map(({ marker }) => marker));
  const isMeant = inBlocks(texts).every((one, at) => one === meant[at]);
  return isMeant ? null : `steady: the marker ${inForce[index]?.address} is not in its place`;
}

function readBackFault(
  written: Parameters<typeof readBack>[0],
  texts: readonly string[],
  inForce: readonly Decision[] | null,
  extras: readonly Edit[],
): string | null {
  const left = texts.slice();
  const fault = readBack(written, inForce === null ? { kind: "texts", left } : markersOf(inForce), extras);
  if (fault !== null) return `paired: ${fault}`;
  return inForce === null && left.length > 0 ? "paired: a text stands where no item gave way" : null;
}
