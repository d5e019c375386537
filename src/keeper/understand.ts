import { type Chain, chainOf } from "../engine/chain.ts";
import { type EvidenceOptions, evidenceSourcesOf } from "../engine/evidence.ts";
import { type ObservationMemo, type Observed, observe } from "../engine/observe.ts";
import { readFacts } from "../engine/reads.ts";
import { recallChannelOf } from "../engine/recall-channel.ts";
import { createBoundedMap } from "../lib/bounded-map.ts";
import type { ChangeText, Observations, ReadFact } from "../model/acquisition.ts";
import type { RecallChannel } from "../model/decision.ts";
import type { CallItem, ItemKey } from "../model/item.ts";
import type { Dialect, ShellParser, WireSource } from "../model/ports.ts";

/** What a request means, before any lineage is known. */
export interface Understood {
  readonly observations: Observations;
  readonly reads: ReadonlyMap<ItemKey, ReadFact>;
  readonly chain: Chain;
  readonly channel: RecallChannel;
  /** What a successful call states that it changes, given the text of its result. */
  changeText(call: CallItem, text: string): ChangeText | null;
}

export interface Understanding {
  readonly dialects: readonly Dialect[];
  readonly shell: ShellParser | null;
  readonly evidence: EvidenceOptions;
  readonly recallCommand: string;
  readonly memo: ObservationMemo;
}

/** A memo of at most `entriesMax` readings, and of those whose items are alive. */
export function createObservationMemo(entriesMax: number): ObservationMemo {
  const memo = createBoundedMap<string, Observed>(entriesMax);
  return { get: memo.get, set: memo.set, seen: new WeakMap() };
}

/** A request as it is to be understood. */
export interface Understandable {
  readonly source: WireSource;
  readonly chain: Chain;
  readonly userAgent: string | null;
  /** Calls whose rounds the client never saw. */
  readonly roundCalls: ReadonlySet<string>;
}

/** Reads a request through the first dialect that recognises it. */
export function understand(
  { source, chain, userAgent, roundCalls }: Understandable,
  settings: Understanding,
): Understood {
  const { header } = source.transcript;
  const dialect = settings.dialects.find((one) => one.recognises(header, userAgent));
  if (dialect === undefined) throw new Error("no dialect recognises the request; the last one must recognise any");
  const observations = observe(source, dialect, settings.shell, settings.memo, roundCalls);
  return {
    observations,
    reads: readFacts(observations, evidenceSourcesOf(settings.evidence, dialect)),
    chain,
    channel: recallChannelOf(header.toolNames, dialect.hasShell(header.toolNames) ? settings.recallCommand : null),
    changeText: (call, text) => dialect.changeText(call, text),
  };
}

/** What can be said of a request whose dialect failed: its items in order, and nothing of what they mean. */
export function understandWithoutDialect(source: WireSource): Understood {
  return {
    observations: {
      acquisitions: [],
      notices: [],
      turns: 0,
      steps: 0,
      workingDirectory: null,
      isFolded: false,
      settledCount: 0,
    },
    reads: new Map(),
    chain: chainOf(source.transcript, null),
    channel: { kind: "none" },
    changeText: () => null,
  };
}
