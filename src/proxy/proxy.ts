import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Logger } from "pino";
import type { Keeper } from "../keeper/contract.ts";
import type { Provider, Wire } from "../model/ports.ts";
import { serveClaimed } from "./claimed.ts";
import {
  type AnswerTool,
  answerRefused,
  answerUnavailable,
  type Claim,
  type Desk,
  type Destination,
  type Exchange,
} from "./exchange.ts";
import { forward } from "./forwarding.ts";
import { headerValues, tokensIn } from "./headers.ts";
import { EXCHANGES_MAX } from "./limits.ts";
import { isOwnPath, serveOwn } from "./own-endpoints.ts";
import { passedKindOf } from "./passing.ts";
import type { Recorder } from "./record.ts";
import { createBodyBudget } from "./request-body.ts";
import { createRunCounts } from "./run-counts.ts";
import { readTarget } from "./target.ts";
import { openUpstreams, type UpstreamSettings } from "./upstreams.ts";

export interface ProxyConfig extends UpstreamSettings {
  readonly keeper: Keeper;
  /** Answers calls of the tools that the keeper offers inside the stream; left out: they reach the client as any others. */
  readonly answerTool?: AnswerTool;
  /** Writes down what is carried; left out: nothing is. */
  readonly recorder?: Recorder;
  /** The first that claims a request reads it; what none claims passes through. */
  readonly wires: readonly Wire[];
  /** Whose models answer what goes there. */
  readonly providerOf: (to: Destination) => Provider;
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

/** A proxy in front of its upstreams. Throws `config_invalid` for an upstream that is no address. */
export function createProxy(config: ProxyConfig): Proxy {
  const { keeper, log, tenant, token, version } = config;
  const upstreams = openUpstreams(config);
  const nowMs = config.nowMs ?? Date.now;
  const counts = createRunCounts();
  const desk: Desk = {
    keeper,
    answerTool: config.answerTool ?? null,
    recorder: config.recorder ?? null,
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
    if (isClosing) return answerUnavailable(ofRun, exchange, "closing", "the proxy is shutting down");
    if (active.size >= EXCHANGES_MAX)
      return answerUnavailable(ofRun, exchange, "busy", "too many requests are under way");
    if (exchange.claim !== null) return serveClaimed(ofRun, exchange, exchange.claim);
    ofRun.counts.passed(passedKindOf(exchange.path));
    await forward(ofRun, exchange, { kind: "streamed" }, null);
  };

  /** Answers what no upstream is to see, and sends the rest on its way. */
  const admit = async ({ exchange, name }: Received, ofRun: Desk): Promise<void> => {
    const { request, path, query, claim } = exchange;
    const refusal = refusalOf(request);
    if (refusal !== null) return answerRefused(ofRun, exchange, refusal.status, refusal.reason, refusal.words);
    if (name === null && isOwnPath(path)) return serveOwn(desk, exchange, active.size);
    const headers = request.rawHeaders;
    const chosen = upstreams.choose({ name, wire: claim?.wire.name ?? null, path, query, headers });
    if (!chosen.ok) return answerRefused(ofRun, exchange, 400, "target", chosen.words);
    return serve({ ...exchange, upstream: chosen.upstream }, ofRun);
  };

  return {
    handle(request, response) {
      const received = receive(request, response, config.wires, upstreams.namesFor(request.rawHeaders), nowMs());
      const ofRun = { ...desk, counts: counts.of(received.exchange.run) };
      const { exchange } = received;
      const work = admit(received, ofRun)
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
      await upstreams.close();
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

/** A request as it came, before it is known where it goes. */
interface Received {
  readonly exchange: Exchange;
  /** Name of the upstream it asks for; null for none. */
  readonly name: string | null;
}

function receive(
  request: IncomingMessage,
  response: ServerResponse,
  wires: readonly Wire[],
  names: ReadonlySet<string>,
  atMs: number,
): Received {
  const { name, ...target } = readTarget(request.url ?? "/", names);
  const claim = claimOf(wires, request.method ?? "", target.path);
  return { name, exchange: { id: randomUUID(), request, response, ...target, claim, upstream: null, atMs } };
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
