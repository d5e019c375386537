import { reachOf } from "../listening-address.ts";
import type { Agent, AgentCall } from "./agent.ts";
import type { ProxyLock } from "./proxy-lock.ts";

/** Where a run's requests go. */
export interface RouteEnds {
  /** Base URL of the provider, as a proxy takes it. */
  readonly upstream: string;
  /** What the agent's base URL ends in behind the proxy's; empty for nothing. */
  readonly version: string;
}

/** What tells where requests go, the stronger first. */
export interface Upstreams {
  /** What the configuration states; null for nothing. */
  readonly configured: string | null;
  /** Proxies that run. */
  readonly locks: readonly ProxyLock[];
  /** Port that the configuration names for `ebb proxy`. */
  readonly ownPort: number;
}

/** The configuration's upstream, else the base URL that the agent has already, else its provider's. */
export function routeEndsOf(agent: Agent, call: AgentCall, { configured, locks, ownPort }: Upstreams): RouteEnds {
  if (configured !== null)
    return { upstream: withoutVersion(trimmed(configured), agent.version), version: agent.version };
  const stated = agent.statedUrl(call);
  if (stated === null) return split(agent.defaultUrl(call), agent.version);
  const port = localPortOf(stated);
  if (port === null) return split(stated, agent.version);
  const lock = locks.find((one) => one.port === port);
  // An address of Ebb stands for what lies behind it: two proxies in a row help nobody.
  if (lock !== undefined) return { upstream: lock.upstream, version: agent.version };
  return split(port === ownPort ? agent.defaultUrl(call) : stated, agent.version);
}

/** A base URL without a version at its end is one that the client puts nothing in front of. */
function split(url: string, version: string): RouteEnds {
  const base = trimmed(url);
  const upstream = withoutVersion(base, version);
  return { upstream, version: upstream === base ? "" : version };
}

function withoutVersion(base: string, version: string): string {
  return version !== "" && base.endsWith(version) ? base.slice(0, -version.length) : base;
}

function trimmed(url: string): string {
  return url.replace(/\/+$/, "");
}

/** Port of an address of this machine; null for every other. */
function localPortOf(url: string): number | null {
  if (!URL.canParse(url)) return null;
  const { hostname, port, protocol } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, "");
  if (reachOf(host) !== "this machine") return null;
  return port === "" ? (protocol === "https:" ? 443 : 80) : Number(port);
}
