import { join } from "node:path";
import { builtinKeeperSettings } from "../builtin-settings.ts";
import { createPathMatcher } from "../config/path-globs.ts";
import type { ResolvedConfig } from "../config/resolved.ts";
import type { Keeper } from "../keeper/contract.ts";
import { createKeeper } from "../keeper/keeper.ts";
import type { KeeperSettings } from "../keeper/settings.ts";
import { inlineDefinitions } from "../mcp/inline-definitions.ts";
import type { Policy, Provider } from "../model/ports.ts";
import type { Store } from "../model/store.ts";
import { createDeliberate } from "../policies/deliberate.ts";
import { lifetimes } from "../policies/lifetimes.ts";
import { createMediaBudget } from "../policies/media-budget.ts";
import { createReadLifecycle } from "../policies/read-lifecycle.ts";
import { createSizeBound } from "../policies/size-bound.ts";
import { SIZE_BOUND_DEFAULT } from "../policies/size-bound-default.ts";
import { stubRepair } from "../policies/stub-repair.ts";
import { withStatedModels } from "../providers/stated-models.ts";
import { withoutCacheDeletion } from "../providers/without-cache-deletion.ts";
import { openSqliteStore } from "../stores/sqlite.ts";
import { ensureDataFolder, STORE_FILE_NAME } from "./data-folder.ts";
import { dialectsOf } from "./dialect-list.ts";
import type { Io } from "./io.ts";
import { isPausedIn } from "./pause-file.ts";

export { LOCAL_TENANT } from "./local-tenant.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** A keeper with the store it works on. `close` waits for writes under way. */
export interface OpenedKeeper {
  readonly keeper: Keeper;
  readonly store: Store;
  close(): Promise<void>;
}

/** How long a process through which nothing streams waits for another one's writes, in milliseconds. */
export const PATIENT_TIMEOUT_MS = 3_000;

/**
 * Builds the keeper that `config` describes, on the user's own store. Throws `EbbError` when the store cannot be opened.
 * `busyTimeoutMs` is how long a call may wait for another process; left out, so short that no stream stalls.
 */
export function openKeeper(
  config: ResolvedConfig,
  onError: (code: string, words: string) => void,
  busyTimeoutMs?: number,
): OpenedKeeper {
  ensureDataFolder(config.dataFolder);
  const store = openSqliteStore({
    file: join(config.dataFolder, STORE_FILE_NAME),
    bytesMax: config.diskBytesMax,
    ...(busyTimeoutMs === undefined ? {} : { busyTimeoutMs }),
  });
  const isPaused = () => isPausedIn(config.dataFolder);
  const inlineTools = inlineToolsOf(config);
  const keeper = createKeeper({ ...keeperSettingsOf(config, onError), isPaused, inlineTools, store });
  return {
    keeper,
    store,
    async close() {
      await keeper.close();
      await store.close();
    },
  };
}

function inlineToolsOf({ inlineTools: { which, onSubscription } }: ResolvedConfig): KeeperSettings["inlineTools"] {
  return which === "off" ? null : { definitions: inlineDefinitions(which), onSubscription };
}

/** Settings of a keeper that `config` describes, all but the store. Nothing recorded was offered tools inside the stream. */
export function keeperSettingsOf(
  config: ResolvedConfig,
  onError: (code: string, words: string) => void,
): Omit<KeeperSettings, "store"> {
  const builtin = builtinKeeperSettings();
  return {
    ...builtin,
    dialects: dialectsOf(config, builtin.dialects),
    providers: providersOf(config, builtin.providers),
    mode: config.mode,
    isPaused: () => false,
    inlineTools: null,
    policies: policiesOf(config),
    evidence: {
      bashEdits: config.bashEdits,
      harnessNotices: config.harnessNotices,
      shellReads: config.shellReads,
    },
    lifetimeRules: config.lifetimeRules,
    paying: config.paying,
    boundThinking: config.boundThinking,
    serverClear: config.serverClear,
    deliberateWhenFree: config.deliberateWhenFree,
    bound: config.sizeBound?.bound ?? SIZE_BOUND_DEFAULT,
    recallCommand: config.recallCommand,
    isNeverStored: createPathMatcher(config.neverStore),
    retentionMs: config.retentionDays * DAY_MS,
    onError,
  };
}

/** Providers with what the configuration states of their models. */
export function providersOf(
  { models, cacheEdits }: Pick<ResolvedConfig, "models" | "cacheEdits">,
  providers: readonly Provider[],
): readonly Provider[] {
  const stated = providers.map((provider) => withStatedModels(provider, models));
  return cacheEdits === null ? stated.map(withoutCacheDeletion) : stated;
}

/** Opens the keeper for one use and closes it, whatever happens; survived errors go to the error stream. */
export async function withKeeper<T>(
  config: ResolvedConfig,
  io: Io,
  use: (opened: OpenedKeeper) => Promise<T>,
): Promise<T> {
  const opened = openKeeper(config, (code, words) => io.err(`ebb: ${words} (${code})\n`), PATIENT_TIMEOUT_MS);
  try {
    return await use(opened);
  } finally {
    await opened.close();
  }
}

/** What was decided comes first, then policies in pipeline order; whatever may release a read goes with the repair of answers that point to it. */
function policiesOf(config: ResolvedConfig): readonly Policy[] {
  const bound = config.sizeBound === null ? [] : [createSizeBound(config.sizeBound)];
  const reads = config.pipeline.includes("readlifecycle") ? [createReadLifecycle(config.readLifecycle)] : [];
  const deliberate = createDeliberate({ whenFree: config.deliberateWhenFree });
  const media = config.mediaBudget === null ? [] : [createMediaBudget(config.mediaBudget)];
  return [deliberate, ...bound, stubRepair, lifetimes, ...reads, ...media];
}
