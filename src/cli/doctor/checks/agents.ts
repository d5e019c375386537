import { join } from "node:path";
import type { Place } from "../../../config/folders.ts";
import type { ResolvedConfig } from "../../../config/resolved.ts";
import { claude } from "../../agent-routes/claude.ts";
import { codex } from "../../agent-routes/codex.ts";
import { gemini } from "../../agent-routes/gemini.ts";
import { opencode } from "../../agent-routes/opencode.ts";
import { pi } from "../../agent-routes/pi.ts";
import { type Route, type RoutedAgent, UnreadableFile } from "../../agent-routes/route.ts";
import { ownAddressOf } from "../../listening-address.ts";
import type { Check, Premises } from "../check.ts";
import { type Finding, fail, ok, warn } from "../finding.ts";
import { findProgram } from "../program-search.ts";
import { ebbVersionAt, type ProxySeen } from "../proxy-look.ts";
import { quoted } from "../quoted.ts";

const AREA = "agents";
const AGENTS: readonly RoutedAgent[] = [claude, codex, opencode, gemini, pi];
const TIMEOUT_MS = 1_000;
const LOCAL_NAME = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Where the requests of each agent on this machine go. */
export const agentsCheck: Check = {
  area: AREA,
  name: "agents",
  deadlineMs: 3_000,
  run: async (premises) => Promise.all(AGENTS.map((agent) => lookAtAgent(agent, premises))),
};

/** What was seen of an agent. */
export type Destination =
  | { readonly kind: "not installed" }
  | { readonly kind: "unreadable"; readonly words: string }
  | { readonly kind: "default" }
  | { readonly kind: "service"; readonly service: string; readonly from: string }
  | Led
  | { readonly kind: "no address"; readonly from: string };

/** Where an address that is stated at `from` leads. */
export interface Led extends Behind {
  readonly from: string;
}

interface Behind {
  /** A proxy of Ebb, nothing that answers, or something else. */
  readonly kind: "ebb" | "nothing" | "other";
  /** Holds neither user name nor query. */
  readonly address: string;
  /** The proxy there tells that no request ever came. */
  readonly isUnused: boolean;
}

/** What to think of where an agent's requests go. */
export function judgeAgent({ name, title }: Omit<RoutedAgent, "routeOf">, destination: Destination): Finding {
  const fix = `\`ebb run ${name}\` for one session, or \`ebb init ${name}\` for every one`;
  switch (destination.kind) {
    case "not installed":
      return ok(AREA, title, "not installed");
    case "unreadable":
      return warn(AREA, title, { words: destination.words, fix: "correct that file: the agent reads it too" });
    case "no address":
      return fail(AREA, title, { words: `${destination.from} states no address as base URL`, fix: "correct it there" });
    case "default":
      return warn(AREA, title, { words: "goes to its provider directly, past Ebb", fix });
    case "service":
      return warn(AREA, title, {
        words: `goes to ${destination.service}, past Ebb (${destination.from})`,
        fix: `Ebb does not stand in front of it; without that setting: ${fix}`,
      });
    case "ebb":
      return ok(AREA, title, throughWords(destination));
    case "nothing":
      return fail(AREA, title, {
        words: `goes to ${destination.address} (${destination.from}), where nothing answers`,
        fix: startWords(name, destination),
      });
    case "other":
      return judgeOther({ name, title }, destination);
  }
}

function judgeOther({ name, title }: Omit<RoutedAgent, "routeOf">, { address, from }: Led): Finding {
  const words = `goes to ${address} (${from}), which is not Ebb`;
  // These addresses end with the version that the client's own paths begin with elsewhere.
  const upstream = quoted(VERSIONED.has(name) ? address.replace(/\/v1$/, "") : address);
  const init = `ebb init ${name} --upstream ${upstream}`;
  return warn(AREA, title, {
    words,
    fix: `put Ebb in front of it: \`ebb proxy --upstream ${upstream}\`, and \`${init}\` beside it`,
  });
}

const VERSIONED: ReadonlySet<string> = new Set(["opencode", "codex"]);

function throughWords({ address, from, isUnused }: Led): string {
  return `through Ebb on ${address} (${from})${isUnused ? "; no request of it yet" : ""}`;
}

function startWords(name: string, { address, from }: Led): string {
  const port = new URL(address).port;
  const isVariable = /^[A-Z_]+$/.test(from);
  const leave = isVariable ? `\`unset ${from}\`` : `\`ebb remove ${name}\`, or take it out of ${from}`;
  return `start one there: \`ebb proxy${port === "" ? "" : ` --port ${port}`}\`; or leave: ${leave}`;
}

async function lookAtAgent(agent: RoutedAgent, premises: Premises): Promise<Finding> {
  return judgeAgent(agent, await destinationOf(agent, premises));
}

async function destinationOf(agent: RoutedAgent, { place, proxy, config }: Premises): Promise<Destination> {
  if (findProgram(agent.name, place) === null) return { kind: "not installed" };
  const route = routeOf(agent, place);
  if (route.kind !== "stated") return route;
  const url = parsedUrl(route.url);
  if (url === null) return { kind: "no address", from: shortened(route.from, place) };
  return { ...(await lookBehind(url, await proxy(), config)), from: shortened(route.from, place) };
}

function routeOf(agent: RoutedAgent, place: Place): Route | Extract<Destination, { kind: "unreadable" }> {
  try {
    return agent.routeOf(place);
  } catch (error) {
    if (error instanceof UnreadableFile) return { kind: "unreadable", words: error.message };
    throw error;
  }
}

async function lookBehind(
  url: URL,
  proxy: ProxySeen,
  { host, port }: Pick<ResolvedConfig, "host" | "port">,
): Promise<Behind> {
  const address = `${url.origin}${url.pathname === "/" ? "" : url.pathname}`;
  const own = new URL(ownAddressOf(host, port));
  const isHere = LOCAL_NAME.test(url.hostname) || url.hostname === own.hostname;
  if (!isHere) return { kind: "other", address, isUnused: false };
  const version = await ebbVersionAt(url.origin, TIMEOUT_MS);
  if (version === "refused") return { kind: "nothing", address, isUnused: false };
  if (version === null) return { kind: "other", address, isUnused: false };
  return { kind: "ebb", address, isUnused: url.port === own.port && isUnused(proxy) };
}

function isUnused(proxy: ProxySeen): boolean {
  if (proxy.kind !== "ebb" || proxy.stats === null || proxy.stats === "refused") return false;
  return proxy.stats.requests + proxy.stats.counted === 0;
}

function parsedUrl(text: string): URL | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  return url.protocol === "http:" || url.protocol === "https:" ? url : null;
}

/** A file of the user's by its short name. */
function shortened(from: string, { home }: Place): string {
  return from.startsWith(join(home, "/")) ? `~/${from.slice(join(home, "/").length)}` : from;
}
