import type { ReadEvidence, ReadFact } from "../model/acquisition.ts";
import type { ItemKey } from "../model/item.ts";
import type { EvidenceSources } from "./evidence.ts";
import { createLaterReads, createLineCover, type LaterReads } from "./line-cover.ts";
import type { ObservedTranscript } from "./observe.ts";
import { type PathHistory, pathHistories, type ReadEvent } from "./path-events.ts";
import { type StubTargets, stubTargetsOf } from "./stub-targets.ts";

/**
 * Where each successful read of a transcript stands, by the key of its result and in order. Later events alone prove
 * anything, and the first of them is the proof named, so that a longer transcript never takes a class back.
 */
export function readFacts(observed: ObservedTranscript, sources: EvidenceSources): ReadonlyMap<ItemKey, ReadFact> {
  const found = new Map<ItemKey, ReadFact>();
  for (const history of pathHistories(observed, sources).values()) addFacts(history, observed, found);
  const ordered = new Map<ItemKey, ReadFact>();
  for (const { resultKey } of observed.acquisitions) {
    const fact = resultKey === null ? undefined : found.get(resultKey);
    if (fact !== undefined) ordered.set(fact.resultKey, fact);
  }
  return ordered;
}

/** What stands behind a read, while the events of its path are met from the last to the first. */
interface Behind {
  change: ReadEvidence | null;
  readonly sameWindow: Map<string, LaterReads>;
  /** Reads behind the last change of the path. */
  readonly current: ReturnType<typeof createCurrentReads>;
}

function addFacts(history: PathHistory, observed: ObservedTranscript, found: Map<ItemKey, ReadFact>): void {
  const targets = stubTargetsOf(history);
  const behind: Behind = { change: null, sameWindow: new Map(), current: createCurrentReads() };
  const quietSteps = observed.steps - history.lastStep;
  for (let index = history.events.length - 1; index >= 0; index--) {
    const event = history.events[index];
    if (event === undefined) continue;
    if (event.kind === "change") {
      behind.change = event.evidence;
      continue;
    }
    const mediaCount = observed.mediaCounts.get(event.resultKey) ?? 0;
    found.set(event.resultKey, factOf(event, behind, { targets, quietSteps, mediaCount }));
    if (!event.placed.acquisition.isUnchangedStub) addRead(event, behind);
  }
}

interface Circumstances {
  readonly targets: StubTargets;
  readonly quietSteps: number;
  readonly mediaCount: number;
}

function factOf(event: ReadEvent, behind: Behind, { targets, quietSteps, mediaCount }: Circumstances): ReadFact {
  const { placed, resultKey, path } = event;
  const { window, isUnchangedStub } = placed.acquisition;
  return {
    resultKey,
    path,
    window,
    stale: behind.change,
    superseded: behind.sameWindow.get(event.windowKey)?.find(event.lines) ?? null,
    isLoadBearing: targets.loadBearing.has(resultKey),
    isUnchangedStub,
    stubTarget: targets.byStub.get(resultKey) ?? null,
    quietSteps,
    isCoveredLater: behind.current.has(event),
    mediaCount,
    step: placed.step,
  };
}

function addRead(event: ReadEvent, behind: Behind): void {
  const later = behind.sameWindow.get(event.windowKey) ?? createLaterReads();
  later.add(event.lines, { itemKey: event.placed.callKey, step: event.placed.step });
  behind.sameWindow.set(event.windowKey, later);
  if (behind.change === null) behind.current.add(event);
}

/** Reads of one path by what they show: lines, or a part that is not lines and equals only itself. */
function createCurrentReads() {
  const lines = createLineCover();
  const parts = new Set<string>();
  const partOf = ({ placed }: ReadEvent) => placed.acquisition.window?.part ?? null;
  return {
    add(event: ReadEvent) {
      const part = partOf(event);
      if (part === null) lines.add(event.lines);
      else parts.add(part);
    },
    has(event: ReadEvent): boolean {
      const part = partOf(event);
      return part === null ? lines.has(event.lines) : parts.has(part);
    },
  };
}
