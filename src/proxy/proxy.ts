import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Logger } from "pino";
import type { Keeper } from "../keeper/contract.ts";
import type { Provider, Wire } from "../model/ports.ts";
import { serveClaimed } from "./claimed.ts";
import { type AnswerTool, answerRefused, answerUnavailable, type Claim, type Desk, type Exchange } from "./exchange.ts";
import { forward } from "./forwarding.ts";
import { headerValues, tokensIn } from "./headers.ts";
import { EXCHANGES_MAX } from "./limits.ts";
import { isOwnPath, serveOwn } from "./own-endpoints.ts";
import { createBodyBudget } from "./request-body.ts";
import { createRunCounts } from "./run-counts.ts";
import { openUpstream } from "./upstream.ts";

export interface ProxyConfig {
  /** Origin, with an optional path that is put before every client's path. */
  readonly upstream: string;
  readonly keeper: Keeper;
  /** Answers calls of the tools that the keeper offers inside the stream; left out: they reach the client as any others. */
  readonly answerTool?: AnswerTool;
  /** The first that claims a request reads it; what none claims passes through. */
  readonly wires: readonly Wire[];
  /** Where a request of a wire goes, as far as its models are concerned. */
  readonly providerOf: (wire: string) => Provider;
  readonly tenant: string;
  /** Opens `/stats` and `/recall`; with an empty one they stay closed. */
  readonly token: string;
  readonly log: Logger;
  readonly version: string;
  readonly nowMs?: () => number;
}

/** A proxy without a port. */
export interface Proxy {
  /** Serves one request of a `node:http` server. Never throws. */
  handle(request: IncomingMessage, response: ServerResponse): void;
  /** Refuses what comes from now on, lets exchanges end for `graceMs`, then cuts them; resolves when all were recorded. */
  close(graceMs: number): Promise<void>;
}

/** A proxy in front of one upstream. Throws `config_invalid` for an upstream that is no address. */
export function createProxy(config: ProxyConfig): Proxy {
  const { keeper, log, tenant, token, version } = config;
  const upstream = openUpstream(config.upstream);
  const nowMs = config.nowMs ?? Date.now;
  const counts = createRunCounts();
  const desk: Desk = {
    keeper,
    answerTool: config.answerTool ?? null,
    upstream,
    providerOf: config.providerOf,
    budget: createBodyBudget(),
    counts,
    log,
    tenant,
    token,
    version,
    nowMs,
  };
  const active = new Map<Exchange, Promise<void>>();
  let isClosing = false;

  const serve = async (exchange: Exchange, ofRun: Desk): Promise<void> => {
    const refusal = refusalOf(exchange.request);
    if (refusal !== null) return answerRefused(ofRun, exchange, refusal.status, refusal.reason, refusal.words);
    if (isOwnPath(exchange.path)) return serveOwn(desk, exchange, active.size);
    if (isClosing) return answerUnavailable(ofRun, exchange, "closing", "the proxy is shutting down");
    if (active.size >= EXCHANGES_MAX)
      return answerUnavailable(ofRun, exchange, "busy", "too many requests are under way");
    if (exchange.claim !== null) return serveClaimed(ofRun, exchange, exchange.claim);
    ofRun.counts.passed();
    await forward(ofRun, exchange, { kind: "streamed" }, null);
  };

  return {
    handle(request, response) {
      const exchange = toExchange(request, response, config.wires, nowMs());
      const ofRun = { ...desk, counts: counts.of(exchange.run) };
      const work = serve(exchange, ofRun)
        .catch((error: unknown) => fail(ofRun, exchange, error))
        .then(() => handedOver(response))
        .finally(() => active.delete(exchange));
      active.set(exchange, work);
    },
    async close(graceMs) {
      isClosing = true;
      await settledWithin(active.values(), graceMs);
      for (const exchange of active.keys()) exchange.response.destroy();
      await Promise.all(active.values());
      await upstream.pool.destroy();
    },
  };
}

interface Refusal {
  readonly status: number;
  readonly reason: "target" | "transfer coding" | "upgrade";
  readonly words: string;
}

/** What no upstream should see: another place than the one configured, or a message two parsers read differently. */
function refusalOf(request: IncomingMessage): Refusal | null {
  if (request.url?.startsWith("/") !== true) {
    return { status: 400, reason: "target", words: "expected a path: this is not a proxy for other hosts" };
  }
  if (headerValues(request.rawHeaders, "host").length > 1) {
    return { status: 400, reason: "target", words: "expected one Host header" };
  }
  const coding = request.headers["transfer-encoding"];
  if (coding !== undefined && coding.toLowerCase() !== "chunked") {
    return { status: 501, reason: "transfer coding", words: "expected no transfer coding but chunked" };
  }
  if (tokensIn(request.headers.upgrade ?? "").some((protocol) => protocol !== "h2c")) {
    return { status: 426, reason: "upgrade", words: "upgrades are not carried: use plain HTTP requests" };
  }
  return null;
}

function toExchange(
  request: IncomingMessage,
  response: ServerResponse,
  wires: readonly Wire[],
  atMs: number,
): Exchange {
  const { run, target } = splitRun(request.url ?? "/");
  const mark = target.indexOf("?");
  const path = mark === -1 ? target : target.slice(0, mark);
  const query = mark === -1 ? "" : target.slice(mark + 1);
  const claim = claimOf(wires, request.method ?? "", path);
  return { id: randomUUID(), request, response, target, path, query, claim, run, atMs };
}

const RUN_PREFIX = /^\/run\/([A-Za-z0-9_-]{8,64})(?=\/)/;

/** Agents started for one run are given an address with the run's name in front. */
function splitRun(url: string): Pick<Exchange, "run" | "target"> {
  const [prefix, name] = RUN_PREFIX.exec(url) ?? [];
  return prefix === undefined || name === undefined
    ? { run: null, target: url }
    : { run: name, target: url.slice(prefix.length) };
}

function claimOf(wires: readonly Wire[], method: string, path: string): Claim | null {
  for (const wire of wires) {
    const route = wire.route(method, path);
    if (route !== null) return { wire, route };
  }
  return null;
}

/** Our own mistake, or that of a part that must not fail: the client is told to try again, the process goes on. */
function fail(desk: Desk, exchange: Exchange, error: unknown): void {
  desk.log.error({ request: exchange.id, fault: error instanceof Error ? error.name : typeof error }, "request failed");
  if (exchange.response.writableEnded) return;
  if (exchange.response.headersSent) exchange.response.destroy();
  else answerUnavailable(desk, exchange, "fault", "the request could not be prepared");
}

/** Resolves when the whole response was given to the system, or its connection ended. */
function handedOver(response: ServerResponse): Promise<void> {
  if (response.writableFinished || response.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    response.once("finish", resolve).once("close", resolve);
  });
}

async function settledWithin(active: Iterable<Promise<void>>, graceMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, graceMs);
  });
  await Promise.race([Promise.all(active), over]);
  clearTimeout(timer);
}
