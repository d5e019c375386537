import { setTimeout } from "node:timers/promises";
import type { Chain } from "../engine/chain.ts";
import type { Renderer } from "../engine/judge.ts";
import type { ObservationMemo } from "../engine/observe.ts";
import { type BoundedMap, createBoundedMap } from "../lib/bounded-map.ts";
import type { ReadMemo } from "../model/ports.ts";
import { type Accounting, createAccounting } from "./accounting.ts";
import { type Aftermath, createAftermath } from "./aftermath.ts";
import { type Anchors, createAnchors } from "./anchors.ts";
import { type Answers, createAnswers } from "./answers.ts";
import { appendNote } from "./append.ts";
import { type AsideOriginals, createAsideOriginals } from "./aside-originals.ts";
import { BIND_PAUSE_MS, bindCall } from "./bind.ts";
import type { Keeper, KeeperRequest } from "./contract.ts";
import { type DecisionDesk, decide } from "./decide.ts";
import { ejectOf } from "./eject.ts";
import type { Offer } from "./expansion.ts";
import { createFeedback, type Feedback } from "./feedback.ts";
import { createLineages, type Lineages } from "./lineages.ts";
import { createLock, type Lock } from "./lock.ts";
import { prepare } from "./prepare.ts";
import { providerNamed } from "./provider-names.ts";
import { createReadMemo, lookOnly } from "./read-memo.ts";
import { recallItem } from "./recall.ts";
import { createLineIndexes, type LineIndexes } from "./regrets.ts";
import { answerReport } from "./report.ts";
import { createRunAccounts, type RunAccounts } from "./run-accounts.ts";
import { createSelfCheck, type SelfCheck } from "./self-check-draft.ts";
import type { KeeperSettings } from "./settings.ts";
import { createOriginals, type Originals } from "./settle-originals.ts";
import { createStatusBoard, type StatusBoard, statusOf } from "./status.ts";
import { createTokenMemo, type TokenMemo } from "./token-memo.ts";
import { createObservationMemo } from "./understand.ts";
import { createUnderway } from "./underway.ts";
import { windowOf } from "./window.ts";

/** What the parts of a keeper share. */
export interface Workshop {
  readonly settings: KeeperSettings;
  readonly lineages: Lineages;
  readonly accounting: Accounting;
  readonly aftermath: Aftermath;
  readonly originals: Originals;
  readonly selfCheck: SelfCheck;
  readonly answers: Answers;
  readonly feedback: Feedback;
  readonly board: StatusBoard;
  readonly tokens: TokenMemo;
  readonly renderer: Renderer;
  readonly lineIndexes: LineIndexes;
  readonly lock: Lock;
  readonly wireMemo: ReadMemo;
  readonly observationMemo: ObservationMemo;
  /** The last chain of each conversation, so that only what is new is hashed. */
  readonly recentChains: BoundedMap<string, Chain>;
  readonly anchors: Anchors;
  readonly asides: AsideOriginals;
  /** What each conversation offered last. */
  readonly recentOffers: BoundedMap<string, Offer>;
  /** Digests of asides that are not put back, each told of once. */
  readonly lostAsides: BoundedMap<string, true>;
}

const PATHS_MAX = 20_000;
/** Bodies of running conversations, and what was read of them. */
const WIRE_MEMO_BOUNDS = { entriesMax: 256, bytesMax: 128 * 1024 * 1024 };
const OBSERVATION_MEMO_ENTRIES = 100_000;
const RECENT_CHAINS = 512;
const LOST_ASIDES = 1_000;

/** A keeper on a store; see `Keeper` for what it promises. */
export function createKeeper(given: KeeperSettings): Keeper {
  const settings = { ...given, isNeverStored: remembered(given.isNeverStored) };
  const accounting = createAccounting();
  const tokens = createTokenMemo(settings.tokens, providerNamed(undefined, settings.providers));
  const wireMemo = createReadMemo(WIRE_MEMO_BOUNDS);
  const workshop: Workshop = {
    settings,
    accounting,
    tokens,
    renderer: { tokens: settings.tokens, renderings: new WeakMap() },
    lineIndexes: createLineIndexes(),
    lineages: createLineages(settings.store, settings.newId),
    aftermath: createAftermath(settings, tokens),
    answers: createAnswers(),
    feedback: createFeedback(),
    board: createStatusBoard(),
    lock: createLock(),
    originals: createOriginals(settings.store),
    selfCheck: createSelfCheck(settings.tokens, lookOnly(wireMemo)),
    wireMemo,
    observationMemo: createObservationMemo(OBSERVATION_MEMO_ENTRIES),
    recentChains: createBoundedMap(RECENT_CHAINS),
    anchors: createAnchors(settings.store),
    asides: createAsideOriginals(settings.store),
    recentOffers: createBoundedMap(RECENT_CHAINS),
    lostAsides: createBoundedMap(LOST_ASIDES),
  };
  const { store } = settings;
  const underway = createUnderway();
  const runs = createRunAccounts(accounting);
  return {
    mode: settings.mode,
    prepare: (request) => underway.track(prepare(request, deskOf(request, workshop, runs))),
    recall: (query) =>
      recallItem(query, {
        store,
        patterns: settings.patterns,
        bound: settings.bound,
        accounting,
        append: (entry) => workshop.lock.run(() => appendNote(entry, workshop.lineages, store)),
        whenStored: () => workshop.aftermath.whenIdle(),
      }),
    decide: (order, context) => decide(order, context, decisionDesk(workshop)),
    ...tellers(workshop),
    window: (context) => windowOf(context, decisionDesk(workshop)),
    bind: (call) => bindCall(call, { store, pause: () => setTimeout(BIND_PAUSE_MS) }),
    report: (query, context) => answerReport(query, context, decisionDesk(workshop)),
    stats: (run) =>
      run === undefined
        ? accounting.stats(settings.mode, workshop.lineages.count, settings.isPaused())
        : runs.stats(run, settings.mode),
    storeSize: () => store.size(),
    purge: (tenant, selection, atMs) =>
      workshop.lock.run(async () => {
        // Originals still on their way would be kept after all.
        await workshop.aftermath.whenIdle();
        const removed = await store.purge(tenant, selection, atMs);
        workshop.lineages.forgetAll();
        workshop.asides.forgetAll();
        return removed;
      }),
    sweep: (atMs) =>
      underway.track(store.sweep(atMs - settings.retentionMs, atMs).finally(() => forgetStored(workshop))),
    close: async () => {
      await underway.whenDone();
      await workshop.lock.run(async () => undefined);
      await workshop.aftermath.whenIdle();
    },
  };
}

/** What tells of conversations without changing anything. */
function tellers({ settings, board }: Workshop): Pick<Keeper, "status" | "eject"> {
  const { store, mode, providers, isPaused } = settings;
  return {
    status: (query) => statusOf(query, { store, board, mode, isPaused: isPaused() }),
    eject: (query) => ejectOf(query, { store, providers }),
  };
}

function decisionDesk({ settings, aftermath, lock, lineages }: Workshop): DecisionDesk {
  const { store, tokens, diff } = settings;
  return {
    store,
    tokens,
    diff,
    mode: settings.mode,
    isPaused: settings.isPaused(),
    whenFree: settings.deliberateWhenFree,
    whenStored: () => aftermath.whenIdle(),
    append: (lineage, entries, { tenant, atMs }) =>
      lock.run(() => appendNote({ tenant, lineage, atMs, entries }, lineages, store)),
  };
}

function forgetStored({ lineages, asides }: Workshop): void {
  lineages.forgetStored();
  asides.forgetAll();
}

/** Paths come again in every request of a session. */
function remembered(isMatch: (path: string) => boolean): (path: string) => boolean {
  const answers = createBoundedMap<string, boolean>(PATHS_MAX);
  return (path) => {
    const known = answers.get(path);
    if (known !== undefined) return known;
    const answer = isMatch(path);
    answers.set(path, answer);
    return answer;
  };
}

/** What one request is prepared with: the mode holds from its beginning to its end. */
function deskOf({ run, provider }: KeeperRequest, workshop: Workshop, runs: RunAccounts): Workshop {
  const { settings } = workshop;
  const own = { ...workshop, accounting: runs.of(run ?? null), tokens: workshop.tokens.under(provider) };
  return settings.isPaused() ? { ...own, settings: { ...settings, mode: "off", isPaused: () => true } } : own;
}
