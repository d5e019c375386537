import { dirname } from "node:path";
import { DIALECT_NAMES } from "../dialects/dialect-names.ts";
import { sha256Hex } from "../lib/hash.ts";
import type { LifetimeRule } from "../model/lifetime-rule.ts";
import type { MediaBudgetOptions } from "../policies/media-budget.ts";
import type { SizeBoundOptions } from "../policies/size-bound.ts";
import { SIZE_BOUND_DEFAULT } from "../policies/size-bound-default.ts";
import { toCacheEditsAdapter } from "./cache-edits-option.ts";
import { findConfigFile, readConfigFile } from "./config-file.ts";
import { absolutePath, dataFolderOf, type Place } from "./folders.ts";
import { type ConfigIssue, refuseIssues, valueIssues } from "./issues.ts";
import { nearestName } from "./nearest-name.ts";
import { environmentNameOf, flagOf, type OptionKey, type OptionValues, optionEntries } from "./options.ts";
import { createPathMatcher } from "./path-globs.ts";
import { PRESETS, type Preset } from "./presets.ts";
import type { PolicyName, ResolvedConfig } from "./resolved.ts";
import { toDialectDescriptions } from "./stated-dialects.ts";
import { toStatedModels } from "./stated-models.ts";
import { toUpstreams } from "./upstreams-option.ts";
import type { StatedLifetime } from "./value-types.ts";

/** What the command line states: the configuration file, and option values as text by option key. */
export interface StatedFlags {
  readonly configFile: string | null;
  readonly values: ReadonlyMap<string, string>;
}

/** Environment name of the configuration file. */
export const CONFIG_FILE_ENVIRONMENT_NAME = "EBB_CONFIG";

const PRESET_NAMES = ["standard", "tidy"] as const;
const TEST_NAME_START = "EBB_TEST_";

/**
 * The configuration in force: defaults, then preset, file, environment and flags, the later ones winning. Throws
 * `config_invalid` with every problem found, each with its place, what was expected and what was given.
 */
export function resolveConfig(flags: StatedFlags, place: Place): ResolvedConfig {
  const file = findConfigFile(flags.configFile ?? place.env[CONFIG_FILE_ENVIRONMENT_NAME] ?? null, place);
  return resolveFrom(file, flags.values, place);
}

/** The same with the file that is given, or with none: no other one is looked for. */
export function resolveFrom(file: string | null, flagValues: StatedFlags["values"], place: Place): ResolvedConfig {
  const fromFile = file === null ? { values: new Map<OptionKey, unknown>(), issues: [] } : readConfigFile(file);
  const fromEnvironment = readTexts("environment", (key) => place.env[environmentNameOf(key)]);
  const fromFlags = readTexts("flag", (key) => flagValues.get(key));
  refuseIssues([...fromFile.issues, ...unknownEnvironmentNames(place), ...fromEnvironment.issues, ...fromFlags.issues]);
  const stated = new Map([...fromFile.values, ...fromEnvironment.values, ...fromFlags.values]);
  const values = withDefaults(stated);
  refuseIssues(contradictions(values, file));
  const isFolderStatedOutside = fromEnvironment.values.has("data_folder") || fromFlags.values.has("data_folder");
  const base = file === null || isFolderStatedOutside ? place.cwd : dirname(file);
  return {
    ...toResolved(values, file, {
      dataFolder: folderOf(values.data_folder, base, place),
      recordFolder: values.record === null ? null : absolutePath(values.record, base, place),
    }),
    isUpstreamStated: stated.has("upstream"),
    digest: digestOf(values),
  };
}

/** Where a proxy listens, what it forwards to and how much it logs is no part of what it decides. */
const UNDECIDING: ReadonlySet<OptionKey> = new Set([
  "host",
  "port",
  "upstream",
  "upstreams",
  "mode",
  "data_folder",
  "record",
  "log_level",
]);

function digestOf(values: OptionValues): string {
  return sha256Hex(JSON.stringify(Object.entries(values).filter(([key]) => !UNDECIDING.has(key as OptionKey))));
}

function folderOf(stated: string | null, base: string, place: Place): string {
  return stated === null ? dataFolderOf(place) : absolutePath(stated, base, place);
}

interface TextLayer {
  readonly values: Map<OptionKey, unknown>;
  readonly issues: readonly ConfigIssue[];
}

function readTexts(kind: "environment" | "flag", textOf: (key: string) => string | undefined): TextLayer {
  const values = new Map<OptionKey, unknown>();
  const issues: ConfigIssue[] = [];
  for (const [key, option] of optionEntries()) {
    const text = textOf(key);
    if (text === undefined) continue;
    const value = option.type.fromText(text);
    const where = kind === "environment" ? environmentNameOf(key) : flagOf(key);
    const found = valueIssues(key, value, option.type.schema);
    issues.push(...found.map((issue) => ({ where, words: issue.words })));
    if (found.length === 0) values.set(key, value);
  }
  return { values, issues };
}

function unknownEnvironmentNames(place: Place): readonly ConfigIssue[] {
  const known = [CONFIG_FILE_ENVIRONMENT_NAME, ...optionEntries().map(([key]) => environmentNameOf(key))];
  return Object.keys(place.env)
    .filter((name) => name.startsWith("EBB_") && !name.startsWith(TEST_NAME_START) && !known.includes(name))
    .map((name) => {
      const meant = nearestName(name, known);
      return { where: name, words: `unknown name${meant === null ? "" : `, did you mean ${meant}?`}` };
    });
}

/** A stated pipeline takes the place of the preset, its option values included. */
function withDefaults(stated: ReadonlyMap<OptionKey, unknown>): OptionValues {
  const isPipelineStated = (stated.get("pipeline") ?? null) !== null;
  const name = PRESET_NAMES.find((one) => one === stated.get("preset")) ?? "standard";
  const preset: Preset["values"] = isPipelineStated ? {} : PRESETS[name].values;
  const values = optionEntries().map(([key, option]) => {
    const value = stated.get(key) ?? preset[key] ?? option.default;
    return [key, option.type.schema.parse(value)];
  });
  return Object.fromEntries(values) as OptionValues;
}

function contradictions(values: OptionValues, file: string | null): readonly ConfigIssue[] {
  const isImpossible = values.bound === "off" && values.pipeline?.includes("sizebound") === true;
  const words = isImpossible ? ["pipeline: expected no sizebound while bound is off, got sizebound"] : [];
  return [...words, ...unknownDialect(values)].map((one) => ({ where: file ?? "configuration", words: one }));
}

function unknownDialect({ dialect, dialects }: OptionValues): readonly string[] {
  const known = ["auto", ...Object.keys(dialects), ...DIALECT_NAMES];
  if (known.includes(dialect)) return [];
  const meant = nearestName(dialect, known);
  const hint = meant === null ? "" : `, did you mean ${meant}?`;
  return [`dialect: expected auto or the name of a dialect that is built in or stated, got "${dialect}"${hint}`];
}

function toResolved(
  values: OptionValues,
  file: string | null,
  folders: Pick<ResolvedConfig, "dataFolder" | "recordFolder">,
): Omit<ResolvedConfig, "isUpstreamStated" | "digest"> {
  return {
    file,
    host: values.host,
    port: values.port,
    upstream: values.upstream,
    upstreams: toUpstreams(values.upstreams),
    mode: values.mode,
    ...folders,
    pipeline: toPipeline(values),
    sizeBound: toSizeBound(values),
    readLifecycle: {
      minTokens: values["components.readlifecycle.min_tokens"],
      stale: values["components.readlifecycle.stale"],
      superseded: values["components.readlifecycle.superseded"],
      staleAtDepth: values["components.readlifecycle.stale_at_depth"],
      coldCache: values["components.readlifecycle.cold_cache"],
      markerMode: values["components.readlifecycle.marker_mode"],
      quietSteps: values["components.readlifecycle.quiet_steps"],
    },
    bashEdits: values["components.readlifecycle.bash_edits"],
    harnessNotices: values.harness_notices,
    shellReads: values.shell_reads,
    lifetimeRules: values.lifetimes.map(toLifetimeRule),
    mediaBudget: toMediaBudget(values),
    paying: {
      pays: values.pays,
      attentionPrice: values.attention_price,
      pressureTokens: values.pressure_tokens,
      marks: values.spare_breakpoint,
    },
    boundThinking: values.bound_thinking,
    serverClear: values.server_clear,
    models: toStatedModels(values.models),
    dialect: values.dialect === "auto" ? null : values.dialect,
    dialects: toDialectDescriptions(values.dialects),
    cacheEdits: toCacheEditsAdapter(values.cache_edits),
    deliberateWhenFree: values.deliberate === "when_free",
    inlineTools: { which: values.inline_tools, onSubscription: values.inline_tools_on_subscription },
    neverStore: values.never_store,
    retentionDays: values.retention_days,
    diskBytesMax: values.disk_max_bytes,
    recallCommand: values.recall_command,
    logLevel: values.log_level,
  };
}

function toMediaBudget({ media }: OptionValues): MediaBudgetOptions | null {
  return media === "off" ? null : { bytesMax: media.bytes_max ?? null, imagesMax: media.images_max ?? null };
}

function toLifetimeRule({ tools, kinds, paths, media, turns, steps }: StatedLifetime): LifetimeRule {
  return {
    tools: tools ?? null,
    kinds: kinds ?? null,
    fitsPath: paths === undefined ? null : createPathMatcher(paths),
    media: media ?? null,
    turns: turns ?? null,
    steps: steps ?? null,
  };
}

function toPipeline(values: OptionValues): readonly PolicyName[] {
  const listed = values.pipeline ?? PRESETS[values.preset].pipeline;
  const others = listed.filter((name) => name !== "sizebound");
  return values.bound === "off" ? others : ["sizebound", ...others];
}

function toSizeBound(values: OptionValues): SizeBoundOptions | null {
  if (values.bound === "off") return null;
  const { lines, bytes, tools = {} } = values.bound;
  const bound = lines === undefined || bytes === undefined ? SIZE_BOUND_DEFAULT : { lines, bytes };
  return { bound, tools, markerMode: values["components.sizebound.marker_mode"] };
}
