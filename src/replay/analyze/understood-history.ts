import { type EvidenceOptions, evidenceSourcesOf } from "../../engine/evidence.ts";
import { type ObservationMemo, observe } from "../../engine/observe.ts";
import { readFacts } from "../../engine/reads.ts";
import type { Observations, PlacedAcquisition, ReadFact } from "../../model/acquisition.ts";
import type { ItemKey, MediaItem, ResultItem } from "../../model/item.ts";
import type { Dialect, ReadMemo, ShellParser, TokenCounter, Wire, WireSource } from "../../model/ports.ts";
import type { SizeBound } from "../../model/view.ts";
import { unknownWireWords, wireNamed } from "../recorded-wire.ts";

/** The parts an analysis works with. */
export interface AnalysisParts {
  /** One of them reads a body, by the name that its recording states. */
  readonly wires: readonly Wire[];
  /** The first that recognises a body reads it; the last recognises any. */
  readonly dialects: readonly Dialect[];
  /** Null: shell commands are never edits. */
  readonly shell: ShellParser | null;
  readonly evidence: EvidenceOptions;
  readonly counter: TokenCounter;
  readonly bound: SizeBound;
}

/** A whole history, read as the keeper reads a request. */
export interface UnderstoodHistory {
  readonly source: WireSource;
  readonly observations: Observations;
  readonly reads: ReadonlyMap<ItemKey, ReadFact>;
  /** By call id. */
  readonly results: ReadonlyMap<string, ResultItem>;
  readonly placed: ReadonlyMap<string, PlacedAcquisition>;
  readonly media: readonly MediaItem[];
}

export type HistoryOutcome =
  | { readonly ok: true; readonly history: UnderstoodHistory }
  | { readonly ok: false; readonly words: string };

/** Reads a body in the format of the named wire, through its dialect and the rules of evidence. */
export function understandHistory(body: Uint8Array, wireName: string, parts: AnalysisParts): HistoryOutcome {
  const wire = wireNamed(wireName, parts.wires);
  if (wire === null) return { ok: false, words: unknownWireWords(wireName) };
  const outcome = wire.read(body, forgetful());
  if (!outcome.ok) return { ok: false, words: outcome.words };
  const { source } = outcome;
  const { header, items } = source.transcript;
  const dialect = parts.dialects.find((candidate) => candidate.recognises(header, null));
  if (dialect === undefined) return { ok: false, words: "no dialect recognises the request" };
  const memo: ObservationMemo = new Map();
  const observations = observe(source, dialect, parts.shell, memo);
  const results = new Map<string, ResultItem>();
  const media: MediaItem[] = [];
  for (const item of items) {
    if (item.kind === "result" && !results.has(item.callId)) results.set(item.callId, item);
    if (item.kind === "media") media.push(item);
  }
  const placed = new Map<string, PlacedAcquisition>();
  for (const acquisition of observations.acquisitions) placed.set(acquisition.acquisition.callId, acquisition);
  const reads = readFacts(observations, evidenceSourcesOf(parts.evidence, dialect));
  return { ok: true, history: { source, observations, reads, results, placed, media } };
}

/** A history is read once, so nothing is worth remembering. */
function forgetful(): ReadMemo {
  return { get: () => undefined, set: () => {} };
}
