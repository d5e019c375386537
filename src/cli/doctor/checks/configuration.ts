import type { ResolvedConfig } from "../../../config/resolved.ts";
import { ownAddressOf } from "../../listening-address.ts";
import type { Check } from "../check.ts";
import { type Finding, fail, ok } from "../finding.ts";

const AREA = "configuration";

/** The configuration that would be in force for `ebb proxy`. */
export const configurationCheck: Check = {
  area: AREA,
  name: "file",
  deadlineMs: 500,
  run: async ({ config, refusal }) =>
    refusal === null ? [judgeFile(config), judgeUpstream(config), judgeMode(config)] : refusedFindings(refusal),
};

/** One finding for each reason of a refusal. */
export function refusedFindings(refusal: string): readonly Finding[] {
  return refusal.split("\n").map((words) => {
    const variable = /^(EBB_[A-Z0-9_]+): unknown name/.exec(words)?.[1];
    const fix =
      variable === undefined
        ? "correct it there; every option stands in docs/reference/options.md (the checks below use the defaults)"
        : `unset ${variable}, or rename it (the checks below use the defaults)`;
    return fail(AREA, "refused", { words, fix });
  });
}

function judgeFile({ file }: ResolvedConfig): Finding {
  return ok(AREA, "file", file ?? "none: defaults, environment and flags are in force");
}

/** An Ebb that forwards to itself would go round for ever. */
export function judgeUpstream(
  config: Pick<ResolvedConfig, "host" | "port" | "upstream" | "isUpstreamStated">,
): Finding {
  const { host, port, upstream, isUpstreamStated } = config;
  if (!isUpstreamStated) return ok(AREA, "upstream", "each request's own provider");
  const { hostname, port: upstreamPort, host: place } = new URL(upstream);
  const isHere = ["127.0.0.1", "localhost", "[::1]", new URL(ownAddressOf(host, port)).hostname].includes(hostname);
  if (!isHere || upstreamPort !== String(port)) return ok(AREA, "upstream", place);
  return fail(AREA, "upstream", {
    words: `${place} is the address of this proxy itself`,
    fix: "state your provider: --upstream https://api.anthropic.com",
  });
}

/** Why nothing can leave by itself under a configuration; null where something can. */
export function whyNothingLeaves(config: ResolvedConfig): string | null {
  if (config.mode !== "enforce") return `mode is ${config.mode}`;
  const { stale, superseded } = config.readLifecycle;
  const hasReads = config.pipeline.includes("readlifecycle") && (stale || superseded);
  const hasOthers = config.sizeBound !== null || config.lifetimeRules.length > 0 || config.mediaBudget !== null;
  return hasReads || hasOthers ? null : "no policy is in force";
}

function judgeMode(config: ResolvedConfig): Finding {
  const why = whyNothingLeaves(config);
  const names = config.pipeline.length === 0 ? "no pipeline" : config.pipeline.join(", ");
  return ok(AREA, "policies", why === null ? `mode ${config.mode}: ${names}` : `nothing leaves by itself: ${why}`);
}
