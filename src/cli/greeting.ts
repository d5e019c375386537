import type { ResolvedConfig } from "../config/resolved.ts";
import { ownAddressOf, reachOf } from "./listening-address.ts";
import { pausedLine } from "./time-words.ts";

/** What the greeting says of the configuration in force. */
export type Greeted = Pick<
  ResolvedConfig,
  | "host"
  | "upstream"
  | "isUpstreamStated"
  | "mode"
  | "dataFolder"
  | "file"
  | "pipeline"
  | "lifetimeRules"
  | "mediaBudget"
  | "models"
>;

/** What a person needs to point an agent at the proxy that listens on `port`, and where their files lie. */
export function greetingLines(config: Greeted, port: number, pausedSinceMs: number | null = null): readonly string[] {
  const url = ownAddressOf(config.host, port);
  const place = reachOf(config.host) === "every address" ? `every address of this machine, port ${port},` : url;
  return [
    `Ebb listens on ${place} and forwards to ${config.isUpstreamStated ? config.upstream : "each request's own provider"} (mode ${config.mode})`,
    `Store: ${config.dataFolder}`,
    `Configuration: ${config.file ?? "no file"}`,
    `Policies: ${policyNames(config).join(", ") || "none"}`,
    ...statedLines(config),
    ...(pausedSinceMs === null ? [] : [pausedLine(pausedSinceMs)]),
    ...openLines(config.host, url),
    "",
    "Point an agent at it:",
    `  export ANTHROPIC_BASE_URL=${url}`,
    `  Claude Code: ANTHROPIC_BASE_URL=${url} claude`,
    ...otherFormatLines(config, url),
    `  pi: in ~/.pi/agent/models.json { "providers": { "anthropic": { "baseUrl": "${url}" } } }`,
    "",
    "Stop with Ctrl-C.",
  ];
}

/** A name in the path leads past a stated upstream, to a provider that was not meant. */
function otherFormatLines({ isUpstreamStated }: Greeted, url: string): readonly string[] {
  const [openai, gemini] = isUpstreamStated ? ["", ""] : ["/openai", "/gemini"];
  return [
    `  OpenAI's formats: OPENAI_BASE_URL=${url}${openai}/v1`,
    `  Gemini CLI: GOOGLE_GEMINI_BASE_URL=${url}${gemini}`,
  ];
}

/** Those that release something under this configuration; decisions of the agent or the user are carried out in any case. */
function policyNames({ pipeline, lifetimeRules, mediaBudget }: Greeted): readonly string[] {
  return [
    ...pipeline,
    ...(lifetimeRules.length === 0 ? [] : ["lifetimes"]),
    ...(mediaBudget === null ? [] : ["mediabudget"]),
  ];
}

/** Facts that a file states of models decide what leaves. */
function statedLines({ models }: Greeted): readonly string[] {
  return models.length === 0 ? [] : [`Models stated: ${models.map(({ name }) => name).join(", ")}`];
}

function openLines(host: string, url: string): readonly string[] {
  if (reachOf(host) === "this machine") return [];
  return [
    "",
    "Other machines can reach this proxy, and whoever does can send requests through it.",
    `On this machine use ${url}; with --host 127.0.0.1 no other machine gets in.`,
  ];
}
