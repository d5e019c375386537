import type { z } from "zod";
import { SIZE_BOUND_DEFAULT } from "../policies/size-bound-default.ts";
import { ENDPOINTS } from "../providers/endpoints.ts";
import { optionalCacheEdits } from "./cache-edits-option.ts";
import { dialectMap, dialectName } from "./dialects-option.ts";
import { modelMap } from "./model-option.ts";
import { upstreamMap } from "./upstreams-option.ts";
import {
  amount,
  choice,
  httpAddress,
  integer,
  lifetimeList,
  mediaBudget,
  optionalChoices,
  optionalInteger,
  optionalText,
  sizeBound,
  text,
  texts,
  truth,
  type ValueType,
} from "./value-types.ts";

/** Commands that read the configuration. */
export type ConfiguredCommand =
  | "decide"
  | "proxy"
  | "run"
  | "analyze"
  | "replay"
  | "inspect"
  | "recall"
  | "mcp"
  | "hook"
  | "stats"
  | "doctor"
  | "init"
  | "remove"
  | "purge";

/** One option, declared once: flag, environment name, check, schema and reference page all come from it. */
export interface Option<T> {
  readonly type: ValueType<T>;
  readonly default: T;
  /** Stands in the reference for a default that is worked out at start. */
  readonly defaultWords?: string;
  readonly hasFlag: boolean;
  readonly unit: string | null;
  readonly description: string;
  readonly commands: readonly ConfiguredCommand[];
}

const DECIDING = ["proxy", "run", "analyze", "replay", "inspect", "doctor"] as const;
const STORING = [
  "proxy",
  "run",
  "recall",
  "decide",
  "mcp",
  "hook",
  "stats",
  "purge",
  "doctor",
  "init",
  "remove",
] as const;

/** Providers whose facts an upstream may be read by. */
const PROVIDER_NAMES = ["anthropic", "openai", "gemini", "deepseek", "openrouter", "groq", "compatible"] as const;

/** Every option by its key in the configuration file. The defaults of `components` are the seed's. */
export const OPTIONS = {
  host: option(text("a host name or address", "address"), "127.0.0.1", {
    hasFlag: true,
    description: "Address the proxy listens on; anything but a loopback address opens it to other machines.",
    commands: ["proxy", "stats", "doctor", "init"],
  }),
  port: option(integer(0, 65_535), 4141, {
    hasFlag: true,
    description: "Port the proxy listens on; 0 takes a free one.",
    commands: ["proxy", "stats", "doctor", "init"],
  }),
  upstream: option(httpAddress(), "https://api.anthropic.com", {
    hasFlag: true,
    defaultWords: "each request's own provider, by its format and its credentials; for `ebb init` Anthropic's",
    description:
      "Where requests go whose address names no upstream, with the credentials the client sent. Once stated, all of them.",
    commands: ["proxy", "run", "doctor", "init"],
  }),
  upstreams: option(
    upstreamMap(PROVIDER_NAMES),
    {},
    {
      defaultWords: `none beside ${ENDPOINTS.map(({ name }) => `\`${name}\``).join(", ")}`,
      description:
        "Where requests go whose address begins with a name, as `/NAME/v1/…`: the name is taken off. `provider` is the one by whose facts the models there are read. A built-in name may be given another address, or `off`.",
      commands: ["proxy", "run", "doctor"],
    },
  ),
  mode: option(choice(["enforce", "observe", "off"]), "enforce", {
    hasFlag: true,
    description:
      "`enforce` decides and acts, `observe` decides and forwards bytes as they came, `off` decides nothing; all three repeat what was already sent.",
    commands: ["proxy", "run", "doctor"],
  }),
  data_folder: option(optionalText("a folder", "folder"), null, {
    hasFlag: true,
    defaultWords: "the platform's data folder for the user",
    description: "Folder of the store and the token; a relative path counts from the configuration file's folder.",
    commands: STORING,
  }),
  record: option(optionalText("a folder", "folder"), null, {
    hasFlag: true,
    defaultWords: "none: nothing is recorded",
    description:
      "Folder in which requests and responses are written down as they came and as they were sent, a file a session, for `ebb analyze` and `ebb replay`. It holds whole conversations; only you can enter it. A relative path counts from the configuration file's folder.",
    commands: ["proxy", "run"],
  }),
  preset: option(choice(["standard", "tidy"]), "standard", {
    description:
      "Policies and their options where `pipeline` is not stated. `standard`: the size bound, and the read lifecycle at first send and where the cache is cold or broken. `tidy`: the same, and lifetimes for images in results, fetched pages and command output. Both keep the media budget.",
    commands: DECIDING,
  }),
  pipeline: option(optionalChoices(["sizebound", "readlifecycle"]), null, {
    defaultWords: "the preset's",
    description:
      "Policies in order, in place of the preset and of its option values; the size bound stays first unless `bound` is off.",
    commands: DECIDING,
  }),
  bound: option(sizeBound(), SIZE_BOUND_DEFAULT, {
    hasFlag: true,
    unit: "lines and bytes of UTF-8",
    description:
      "A result of more lines or more bytes leaves at first send, and one recall is capped by the same pair.",
    commands: [...DECIDING, "recall", "mcp"],
  }),
  "components.sizebound.marker_mode": option(choice(["full", "summary", "off"]), "full", {
    description: "What the size bound's marker says; every mode prints the address.",
    commands: DECIDING,
  }),
  "components.readlifecycle.min_tokens": option(integer(0), 100, {
    unit: "estimated tokens",
    description: "Only reads strictly above this size leave.",
    commands: DECIDING,
  }),
  "components.readlifecycle.stale": option(truth(), true, {
    description: "Release reads of files that were modified later in the conversation.",
    commands: DECIDING,
  }),
  "components.readlifecycle.superseded": option(truth(), true, {
    description: "Release reads whose window was read again later.",
    commands: DECIDING,
  }),
  "components.readlifecycle.bash_edits": option(truth(), false, {
    description: "Count shell commands that write a file named in their text as edits of it.",
    commands: DECIDING,
  }),
  "components.readlifecycle.stale_at_depth": option(truth(), false, {
    description: "Release stale reads at any depth, on models whose thinking is not bound to what stands before it.",
    commands: DECIDING,
  }),
  "components.readlifecycle.cold_cache": option(truth(), false, {
    description:
      "Release what was sent before where the provider's cache has certainly expired, or certainly does not reach it.",
    commands: DECIDING,
  }),
  "components.readlifecycle.marker_mode": option(choice(["full", "summary", "off"]), "full", {
    description: "What the read lifecycle's marker says; every mode prints the address.",
    commands: DECIDING,
  }),
  "components.readlifecycle.quiet_steps": option(integer(0), 0, {
    unit: "assistant messages",
    description: "How long a path must be untouched before a read of it leaves, unless a later read covers its lines.",
    commands: DECIDING,
  }),
  lifetimes: option(lifetimeList(), [], {
    defaultWords: "none; the preset `tidy` states some",
    description:
      "How long items stay that nobody declared a lifetime for, by tool, kind, path and media; the first rule that fits counts. What is over leaves when that costs nothing.",
    commands: DECIDING,
  }),
  media: option(
    mediaBudget(),
    {},
    {
      defaultWords: "the provider's limits: 32 MB and 100 images and documents",
      unit: "bytes of the body, and images and documents in it",
      description:
        "What one request may hold. Beyond it the oldest images and documents leave, as many as bring it to four fifths, although the prefix is cached; `off` lets the provider refuse.",
      commands: DECIDING,
    },
  ),
  pays: option(truth(), false, {
    defaultWords: "false; true in the presets",
    description:
      "Release what was sent before although the provider still caches it, as one batch, where that saves more than it costs. For policies that may act on what was sent.",
    commands: DECIDING,
  }),
  attention_price: option(amount(0), 0, {
    unit: "US dollars for a million tokens",
    description:
      "What it is worth to you that a stale or superseded read is not sent, each time, beside what it costs.",
    commands: DECIDING,
  }),
  pressure_tokens: option(optionalInteger(0), null, {
    defaultWords: "nine tenths of the model's window",
    unit: "tokens",
    description:
      "Size of a prompt from which what waits may leave for its price, if that keeps it below and costs no more than the client's compaction; 0 switches it off.",
    commands: DECIDING,
  }),
  spare_breakpoint: option(truth(), true, {
    description:
      "Put a cache breakpoint in front of a change at depth where the request has room for one, so that what stands before is still read from the cache.",
    commands: DECIDING,
  }),
  bound_thinking: option(choice(["hold", "strip_at_turn", "strip", "drop"]), "hold", {
    description:
      "What happens to thinking that a model signs over everything before it, where a release would change that. `hold`: nothing changes before it. `strip_at_turn`: when a person speaks and the provider writes that thinking again anyway, all thinking so far leaves with what it held back. `strip`: the same while it is cached, where that pays. `drop`: the provider is asked to drop what no longer fits, thinking that follows among it.",
    commands: DECIDING,
  }),
  server_clear: option(truth(), false, {
    description:
      "On models that sign their thinking over everything before it, ask for the provider's own context editing of old results (`clear_tool_uses_20250919`) where a release would be held back: the oldest leave, up to the one where that brings most, without tools of which a result must stay. A client that asks for its own keeps it.",
    commands: DECIDING,
  }),
  models: option(
    modelMap(),
    {},
    {
      defaultWords: "none; what is on record stands in [models](models.md)",
      unit: "minutes, tokens, and US dollars per million tokens",
      description:
        "Facts of models over those on record, by id or by the beginning of ids and a `*`; an id counts before a beginning, a longer beginning before a shorter one. `cache.kind` is how prompts are cached: at `breakpoints`, as a `prefix` by itself, in whole `units`, or `none`. Prices `from` a date take the place of all earlier ones, those `over_tokens` hold for longer prompts.",
      commands: DECIDING,
    },
  ),
  cache_edits: option(optionalCacheEdits(), null, {
    defaultWords: "none: deletions are never asked for",
    description:
      "Experimental. The names under which the provider is asked to delete results from its own cache; no provider documents any. `text_behind`: a text must stand behind the block; `beta_header`: the value of `anthropic-beta` that allows it. Asked of models stated with `deletes_in_cache: true`.",
    commands: DECIDING,
  }),
  dialect: option(dialectName(), "auto", {
    description:
      "Whose tools a request's calls are read as: `auto` tells it by the request's tools, system prompt and user agent; a name, built-in or of `dialects`, is taken for every request.",
    commands: DECIDING,
  }),
  dialects: option(
    dialectMap(),
    {},
    {
      defaultWords: "none beside the built-in ones",
      description:
        "Tools of agents Ebb does not know, or more tools of those it knows: what each call does, which argument is the path, how a range is stated, and how lines are numbered. See [a dialect of your own](../extend/dialect.md).",
      commands: DECIDING,
    },
  ),
  deliberate: option(choice(["next", "when_free"]), "next", {
    description:
      "When a release or keep that the agent or the user decided acts: at the `next` request, or at one where it costs nothing.",
    commands: [...DECIDING, "decide", "mcp"],
  }),
  inline_tools: option(choice(["off", "recall", "all"]), "recall", {
    description:
      "Tools that the proxy adds to conversations which offer none of Ebb's, and answers inside the response: `recall`, or `all` four. A conversation that began with them keeps them.",
    commands: ["proxy", "run"],
  }),
  inline_tools_on_subscription: option(truth(), false, {
    description: "Add them also to requests that go out with a subscription's OAuth credentials.",
    commands: ["proxy", "run"],
  }),
  harness_notices: option(truth(), true, {
    description: "Take the agent program's own notice that a command changed a file as evidence.",
    commands: DECIDING,
  }),
  shell_reads: option(choice(["auto", "on", "off"]), "auto", {
    description:
      "Take a shell command that prints lines of one named file, and nothing else, as a read of it; `auto`: of agents that have no other way to read.",
    commands: DECIDING,
  }),
  never_store: option(
    texts("a list of path globs"),
    [".env*", "*.pem", "*.key", "*.p12", "*.pfx", "*.keystore", "id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*"],
    {
      description:
        "Results of files that match are never stored and never released; a glob without a slash matches the file's name in any folder. A stated list replaces the default one.",
      commands: ["proxy", "run", "doctor"],
    },
  ),
  retention_days: option(integer(1, 36_500), 30, {
    unit: "days",
    description: "Originals are removed this long after their last reference.",
    commands: ["proxy", "run"],
  }),
  disk_max_bytes: option(integer(1), 10 * 1024 ** 3, {
    unit: "bytes",
    description: "Originals may take this much disk; beyond it nothing new is released, and nothing is lost.",
    commands: ["proxy", "run", "doctor"],
  }),
  recall_command: option(text("a command", "command"), "ebb recall", {
    description: "Command that markers name as the way back, for agents with a shell.",
    commands: DECIDING,
  }),
  log_level: option(choice(["silent", "error", "warn", "info", "debug"]), "warn", {
    hasFlag: true,
    description: "How much the log on standard error says.",
    commands: ["proxy", "run"],
  }),
};

/** Key of an option in the configuration file, dotted. */
export type OptionKey = keyof typeof OPTIONS;

/** A checked value for every option. */
export type OptionValues = { readonly [K in OptionKey]: z.output<(typeof OPTIONS)[K]["type"]["schema"]> };

/** Every option with its key, in the order of declaration. */
export function optionEntries(): readonly (readonly [OptionKey, Option<unknown>])[] {
  return Object.entries(OPTIONS) as unknown as readonly (readonly [OptionKey, Option<unknown>])[];
}

/** Environment name of an option: `components.readlifecycle.stale` is `EBB_READLIFECYCLE_STALE`. */
export function environmentNameOf(key: string): string {
  return `EBB_${key
    .replace(/^components\./, "")
    .replaceAll(".", "_")
    .toUpperCase()}`;
}

/** Flag of an option: `data_folder` is `--data-folder`. */
export function flagOf(key: string): string {
  return `--${key
    .replace(/^components\./, "")
    .replaceAll(".", "-")
    .replaceAll("_", "-")}`;
}

interface OptionWords {
  readonly hasFlag?: boolean;
  readonly unit?: string;
  readonly defaultWords?: string;
  readonly description: string;
  readonly commands: readonly ConfiguredCommand[];
}

function option<T>(type: ValueType<T>, value: T, words: OptionWords): Option<T> {
  return { hasFlag: false, unit: null, ...words, type, default: value };
}
