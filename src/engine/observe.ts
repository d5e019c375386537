import { resolvePath } from "../lib/paths.ts";
import type { Acquisition, FileChange, Observations, PlacedAcquisition, PlacedNotice } from "../model/acquisition.ts";
import type { CallItem, ItemKey } from "../model/item.ts";
import type { Dialect, ShellParser, WireSource } from "../model/ports.ts";
import type { Message, Transcript } from "../model/transcript.ts";
import { type CallPair, type MessageTexts, mediaCountsOf, walkTranscript } from "./call-pairs.ts";
import { settledCount } from "./settled-count.ts";
import { countMoves, nextPlace, pathFrom, type ShellPlace } from "./shell-directory.ts";

/** What a dialect read out of one call and its result, out of the texts of one message, or out of the system prompt. */
export type Observed = ObservedCall | ObservedTexts | ObservedSystem;

export interface ObservedCall {
  readonly kind: "call";
  readonly acquisition: Acquisition;
  readonly moves: number;
}

export interface ObservedTexts {
  readonly kind: "texts";
  readonly isGenuineUser: boolean;
  readonly isFold: boolean;
  readonly workingDirectory: string | null;
  readonly notices: readonly { readonly itemKey: ItemKey; readonly change: FileChange }[];
}

export interface ObservedSystem {
  readonly kind: "system";
  readonly workingDirectory: string | null;
}

/** Remembers what a dialect read, so that only new items are decoded. Bounded by its owner; forgetting is always safe. */
export interface ObservationMemo {
  get(key: string): Observed | undefined;
  set(key: string, value: Observed): void;
  /** The same of the very objects it was read from, for as long as they live; a transcript that goes on keeps them. */
  readonly seen?: WeakMap<object, Seen>;
}

/** What was read of one call and its result, or of one message; `prefix` says through which dialect. */
export interface Seen {
  readonly prefix: string;
  readonly call: CallItem | null;
  readonly observed: Observed;
}

/** Observations, and the media of each result that has any. */
export interface ObservedTranscript extends Observations {
  readonly mediaCounts: ReadonlyMap<ItemKey, number>;
}

interface Reader {
  readonly source: WireSource;
  readonly dialect: Dialect;
  readonly shell: ShellParser | null;
  readonly memo: ObservationMemo;
  /** Begins every key of the memo: answers of another dialect, or without a shell parser, are others. */
  readonly prefix: string;
}

/**
 * Reads a transcript through a dialect: acquisitions in their places, notices, turns and steps. `roundCalls` are calls of Ebb's
 * own tools whose rounds the client never saw: they make no step.
 */
export function observe(
  source: WireSource,
  dialect: Dialect,
  shell: ShellParser | null,
  memo: ObservationMemo,
  roundCalls?: ReadonlySet<string>,
): ObservedTranscript {
  const reader = { source, dialect, shell, memo, prefix: `${dialect.name}${shell === null ? "-" : "+"}` };
  const { pairs, texts, steps } = walkTranscript(source.transcript, roundCalls);
  const read = texts.map((one) => ({ place: one, facts: factsOf(one, reader) }));
  const stated = read.find(({ facts }) => facts.workingDirectory !== null)?.facts.workingDirectory ?? null;
  const workingDirectory = systemDirectoryOf(reader) ?? stated;
  const opening = openingOf(source.transcript);
  const spoken = read.filter(({ place, facts }) => place.message.role === "user" && facts.isGenuineUser);
  const genuine = new Set(spoken.map(({ place }) => place.message));
  return {
    acquisitions: placeCalls(pairs, workingDirectory, reader),
    notices: read.flatMap(({ place, facts }) => placeNotices(place, facts, workingDirectory)),
    turns: genuine.size,
    steps,
    workingDirectory,
    isFolded: read.some(({ place, facts }) => opening.has(place.message) && facts.isFold),
    settledCount: settledCount(source.transcript, (message) => genuine.has(message)),
    mediaCounts: mediaCountsOf(pairs),
  };
}

/** What the user's side says before the first answer: a client may put files it read again in front of its summary. */
function openingOf({ messages }: Transcript): ReadonlySet<Message> {
  const answered = messages.findIndex(({ role }) => role === "assistant");
  return new Set((answered === -1 ? messages : messages.slice(0, answered)).filter(({ role }) => role === "user"));
}

function placeCalls(pairs: readonly CallPair[], stated: string | null, reader: Reader): readonly PlacedAcquisition[] {
  let place: ShellPlace = { directory: stated, leaves: 0 };
  return pairs.map((pair) => {
    const { acquisition, moves } = readCall(pair, reader);
    const own = { ...place, directory: acquisition.workingDirectory ?? place.directory };
    if (reader.dialect.resetsDirectory !== true) place = nextPlace(acquisition, moves, place, stated);
    const after = place;
    return {
      acquisition,
      callKey: pair.call.key,
      resultKey: pair.result?.key ?? null,
      path: acquisition.path === null ? null : pathFrom(acquisition.path, own),
      // A notice names files as seen from where the shell stands when it is written.
      changedPaths: acquisition.changes.map(({ path, source }) => pathFrom(path, source === "notice" ? after : own)),
      step: pair.step,
      callIndex: pair.callIndex,
    };
  });
}

function placeNotices(
  { step }: MessageTexts,
  facts: ObservedTexts,
  workingDirectory: string | null,
): readonly PlacedNotice[] {
  return facts.notices.map(({ itemKey, change }) => {
    return { itemKey, change, path: resolvePath(change.path, workingDirectory), step };
  });
}

function readCall(pair: CallPair, reader: Reader): ObservedCall {
  const { call, result } = pair;
  const { memo, prefix } = reader;
  const seen = memo.seen?.get(result ?? call);
  if (seen?.observed.kind === "call" && seen.call === call && seen.prefix === prefix) return seen.observed;
  const observed = readNewCall(pair, reader);
  memo.seen?.set(result ?? call, { prefix, call, observed });
  return observed;
}

function readNewCall({ call, result }: CallPair, { source, dialect, shell, memo, prefix }: Reader): ObservedCall {
  const answer = result === null ? "" : `${result.key}${result.isError ? "!" : "."}${result.mediaCount}`;
  // A call's key leaves its input out, and only a client's word says that call ids are unique.
  const key = `${prefix}call ${call.key} ${call.digest} ${answer}`;
  const known = memo.get(key);
  if (known?.kind === "call") return known;
  const acquisition = dialect.acquire(call, result, result === null ? "" : source.textOf(result), shell);
  const observed = { kind: "call", acquisition, moves: countMoves(acquisition) } as const;
  memo.set(key, observed);
  return observed;
}

function factsOf(place: MessageTexts, reader: Reader): ObservedTexts {
  const { memo, prefix } = reader;
  const seen = memo.seen?.get(place.message);
  if (seen?.observed.kind === "texts" && seen.prefix === prefix) return seen.observed;
  const observed = newFactsOf(place, reader);
  memo.seen?.set(place.message, { prefix, call: null, observed });
  return observed;
}

function newFactsOf({ message, texts: items }: MessageTexts, { source, dialect, memo, prefix }: Reader): ObservedTexts {
  const key = `${prefix}${message.role} ${items.map((item) => item.key).join(" ")}`;
  const known = memo.get(key);
  if (known?.kind === "texts") return known;
  const texts = items.map((item) => source.textOf(item));
  const isUser = message.role === "user";
  // What a person typed, or pasted, is no word of the harness.
  const isHarness = texts.map((text) => !isUser || !dialect.isGenuineUser([text]));
  const observed: ObservedTexts = {
    kind: "texts",
    isGenuineUser: isUser && dialect.isGenuineUser(texts),
    isFold: isUser && dialect.isFold(texts),
    workingDirectory: dialect.workingDirectoryOf(texts.filter((_, index) => isHarness[index])),
    notices: items.flatMap((item, index) =>
      isHarness[index] ? dialect.noticesIn(texts[index] ?? "").map((change) => ({ itemKey: item.key, change })) : [],
    ),
  };
  memo.set(key, observed);
  return observed;
}

function systemDirectoryOf({ source, dialect, memo, prefix }: Reader): string | null {
  const { cacheKey, systemTexts } = source.transcript.header;
  const key = `${prefix}header ${cacheKey}`;
  const known = memo.get(key);
  if (known?.kind === "system") return known.workingDirectory;
  const workingDirectory = dialect.workingDirectoryOf(systemTexts);
  memo.set(key, { kind: "system", workingDirectory });
  return workingDirectory;
}
