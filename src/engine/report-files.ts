import type { ChangeText } from "../model/acquisition.ts";
import type { Digest } from "../model/item.ts";
import type { SeenChange } from "../model/ledger.ts";
import type { ChangeActor, DiffEngine, ReportedChange, ReportedFile } from "../model/report.ts";
import type { Clock } from "../model/transcript.ts";
import { createFileReplay, type FileReplay } from "./file-replay.ts";
import { netOf } from "./report-net.ts";
import { firstSeen, type History, isInSpan, type Span } from "./report-span.ts";

/** Look-ups and tools that a report of changes needs. */
export interface ChangeSources {
  /** What a call states; null when it is not kept. */
  changeTextOf(digest: Digest): ChangeText | null;
  /** The file that a whole read printed; null when it is not kept or not clear. */
  wholeTextOf(digest: Digest): string | null;
  readonly diff: DiffEngine;
}

/** Changes of the asked lineage and of what was compacted into it, in order, each once. */
export function changesOf(history: History): readonly SeenChange[] {
  const changes = new Map<string, SeenChange>();
  const clocks = firstSeen(history);
  for (const { relation, records } of history) {
    if (relation === "shared") continue;
    for (const { entry } of records) {
      if (entry.type !== "change-seen") continue;
      const name = JSON.stringify([entry.change.itemKey, entry.change.path]);
      const turn = clocks.get(entry.change.itemKey)?.turn ?? entry.change.turn;
      if (!changes.has(name)) changes.set(name, { ...entry.change, turn });
    }
  }
  return Array.from(changes.values());
}

/** The files that changed in a span, or were to change, replayed from the first record of each. */
export function reportedFiles(
  changes: readonly SeenChange[],
  span: Span,
  sources: ChangeSources,
): readonly ReportedFile[] {
  const files = new Map<string, FileStory>();
  for (const change of changes) {
    if (change.step > span.upTo || change.path === null) continue;
    const text = change.text === null ? null : sources.changeTextOf(change.text);
    const cell = cellOf(change, text);
    const name = JSON.stringify([change.path, cell]);
    const story = files.get(name) ?? { path: change.path, cell, replay: createFileReplay(), changes: [], losses: 0 };
    files.set(name, story);
    tell(story, { change, text }, isInSpan(change.step, span), sources);
    if (change.outcome === "ok") disturb(files, story);
  }
  return Array.from(files.values())
    .filter((story) => story.changes.length > 0)
    .map(({ path, cell, replay, changes: told, losses }) => {
      return { path, cell, changes: told, net: netOf(replay.stretches(), losses, told, sources.diff) };
    });
}

interface FileStory {
  readonly path: string;
  readonly cell: string | null;
  readonly replay: FileReplay;
  readonly changes: ReportedChange[];
  /** Changes in the span that no recorded call states. */
  losses: number;
}

interface Told {
  readonly change: SeenChange;
  readonly text: ChangeText | null;
}

function tell(story: FileStory, told: Told, isCounted: boolean, sources: ChangeSources): void {
  const { change } = told;
  if (change.outcome !== "ok") {
    if (isCounted) story.changes.push(reported(change, true, WORDS_OF_ATTEMPTS[change.outcome]));
    return;
  }
  const base = change.base === null ? null : sources.wholeTextOf(change.base);
  const isExpected = base === null || story.replay.see(base);
  if (isCounted && !story.changes.some(({ outcome }) => outcome === "ok")) story.replay.begin();
  else if (isCounted && !isExpected) loseTo(story, UNRECORDED, change);
  if (told.text === null) {
    story.replay.lose();
    if (!isCounted) return;
    story.losses++;
    story.changes.push(reported(change, false, lossWords(change)));
    return;
  }
  const fits = story.replay.apply(told.text);
  if (!isCounted) return;
  if (!fits && story.changes.some(({ outcome }) => outcome === "ok")) loseTo(story, UNFIT, change);
  story.changes.push(reported(change, true, ""));
}

/** Words for what was found between the recorded changes. */
const UNRECORDED = "the file as it was read then differs from what the recorded calls give: another actor changed it";
const UNFIT = "the next change does not fit what the recorded calls give: another actor changed the file before it";

const WORDS_OF_ATTEMPTS: Readonly<Record<SeenChange["outcome"], string>> = {
  ok: "",
  failed: "failed: changed nothing",
  interrupted: "refused or interrupted: no change is proven",
  missing: "without a result: no change is proven",
};

function loseTo(story: FileStory, words: string, { turn, step }: Clock): void {
  story.losses++;
  story.changes.push({
    by: "unknown",
    tool: null,
    callId: null,
    kind: "edit",
    outcome: "ok",
    isProven: false,
    words,
    turn,
    step,
  });
}

/** What is known of a notebook's cells ends with a change of the file, and the other way round. */
function disturb(files: ReadonlyMap<string, FileStory>, { path, cell }: FileStory): void {
  for (const other of files.values()) {
    if (other.path === path && (other.cell === null) !== (cell === null)) other.replay.lose();
  }
}

function reported(change: SeenChange, isProven: boolean, words: string): ReportedChange {
  const { tool, callId, kind, outcome, turn, step } = change;
  return { by: actorOf(change), tool, callId, kind, outcome, isProven, words, turn, step };
}

/** A notice in a command's own result speaks of that command; one in a text of the harness names nobody. */
function actorOf({ source, callId }: SeenChange): ChangeActor {
  if (source === "tool") return "tool";
  return callId === null ? "unknown" : "command";
}

function lossWords(change: SeenChange): string {
  switch (actorOf(change)) {
    case "tool":
      return change.text === null
        ? "the call does not state the change, or its text may not be stored: no diff recorded"
        : "the text of the call is not kept: no diff recorded";
    case "command":
      return "by command, no diff recorded";
    case "unknown":
      return "by an unknown actor, no diff recorded";
  }
}

/** A cell that a call inserts has no name of its own there. */
function cellOf({ callId, itemKey }: SeenChange, text: ChangeText | null): string | null {
  if (text?.kind !== "cell") return null;
  if (text.mode !== "insert") return text.cell ?? "the first";
  return `new, ${text.cell === null ? "the first" : `after ${text.cell}`} (${callId ?? itemKey})`;
}
