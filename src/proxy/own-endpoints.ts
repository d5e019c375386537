import type { KeeperStats } from "../keeper/contract.ts";
import type { StoreSize } from "../model/store.ts";
import { mayAsk } from "./access.ts";
import type { ProxyStats } from "./counts.ts";
import { type Answer, answer, type Desk, type Exchange } from "./exchange.ts";
import { failed, json } from "./own-endpoints-answer.ts";
import { contextOf, ORDER_PATHS, serveOrder } from "./own-endpoints-orders.ts";
import { readQuery } from "./own-endpoints-query.ts";
import { RECALL_PATH, serveRecall } from "./own-endpoints-recall.ts";
import { serveReport } from "./own-endpoints-report.ts";
import { serveStatus } from "./own-endpoints-status.ts";

/** What `GET /stats` answers. `store` null: its size could not be read. */
export interface Stats extends KeeperStats {
  readonly version: string;
  readonly proxy: ProxyStats;
  readonly store: StoreSize | null;
}

/** True for the paths that Ebb answers itself; they never reach the upstream. */
export function isOwnPath(path: string): boolean {
  return OWN_PATHS.has(path) || ORDER_PATHS.has(path) || path.startsWith(RECALL_PATH);
}

/** Answers one of Ebb's own paths. Who may not ask learns nothing, not even that there is something. */
export async function serveOwn(desk: Desk, exchange: Exchange, active: number): Promise<void> {
  const { request, path } = exchange;
  if (path === "/healthz") {
    const isAsked = READING_METHODS.includes(request.method ?? "");
    return answer(exchange, isAsked ? json(200, { status: "ok", version: desk.version }) : NOTHING);
  }
  const asker = { address: request.socket.remoteAddress, headers: request.rawHeaders };
  if (!mayAsk(asker, desk.token)) return answer(exchange, NOTHING);
  answer(exchange, await ownAnswer(desk, exchange, active));
}

const OWN_PATHS = new Set(["/healthz", "/stats", "/recall", "/window", "/status", "/report"]);
const READING_METHODS: readonly string[] = ["GET", "HEAD"];
const NOTHING: Answer = { status: 404, contentType: "text/plain; charset=utf-8", body: "not found\n" };

async function ownAnswer(desk: Desk, exchange: Exchange, active: number): Promise<Answer> {
  const { request, path } = exchange;
  const verb = ORDER_PATHS.get(path);
  const methods = verb === undefined ? READING_METHODS : ["POST"];
  if (!methods.includes(request.method ?? "")) return wrongMethod(methods, request.method);
  if (verb !== undefined) return serveOrder(desk, exchange, verb);
  if (path === "/stats") return serveStats(desk, exchange, active);
  if (path === "/window") return serveWindow(desk, exchange);
  if (path === "/status") return serveStatus(desk, exchange);
  if (path === "/report") return serveReport(desk, exchange);
  return (await serveRecall(desk, exchange)) ?? NOTHING;
}

function wrongMethod(methods: readonly string[], method: string | undefined): Answer {
  const refusal = failed("bad order", `expected the method ${methods.join(" or ")}, got ${method}`, 405);
  return { ...refusal, headers: { allow: methods.join(", ") } };
}

async function serveStats(desk: Desk, exchange: Exchange, active: number): Promise<Answer> {
  const query = readQuery(exchange.query, ["run"]);
  if (!query.ok) return failed("bad order", query.words);
  return json(200, await statsOf(desk, active, query.values.get("run")));
}

async function statsOf(desk: Desk, active: number, run: string | undefined): Promise<Stats> {
  const store = await desk.keeper.storeSize().catch((error: unknown) => {
    desk.log.warn({ code: codeOf(error) }, "the store's size could not be read");
    return null;
  });
  return { version: desk.version, ...desk.keeper.stats(run), proxy: desk.counts.stats(active, run), store };
}

async function serveWindow(desk: Desk, exchange: Exchange): Promise<Answer> {
  const query = readQuery(exchange.query, ["session"]);
  if (!query.ok) return failed("bad order", query.words);
  const listed = await desk.keeper.window(contextOf(desk, exchange, query.values.get("session") ?? null));
  if (!listed.ok) return failed(listed.failure, listed.words);
  const { ok: _, ...told } = listed;
  return json(200, told);
}

function codeOf(error: unknown): string {
  const code: unknown = error instanceof Error ? Reflect.get(error, "code") : null;
  return typeof code === "string" ? code : "unknown";
}
