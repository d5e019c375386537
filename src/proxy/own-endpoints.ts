import type { KeeperStats, RecallAnswer, RecallFailure } from "../keeper/contract.ts";
import type { StoreSize } from "../model/store.ts";
import { mayAsk } from "./access.ts";
import type { ProxyStats } from "./counts.ts";
import { type Answer, answer, type Desk, type Exchange } from "./exchange.ts";
import { RECALL_ID_CHARS_MAX } from "./limits.ts";

/** What `GET /stats` answers. `store` null: its size could not be read. */
export interface Stats extends KeeperStats {
  readonly version: string;
  readonly proxy: ProxyStats;
  readonly store: StoreSize | null;
}

/** True for the paths that Ebb answers itself; they never reach the upstream. */
export function isOwnPath(path: string): boolean {
  return path === "/healthz" || path === "/stats" || path === "/recall" || path.startsWith(RECALL);
}

/** Answers one of Ebb's own paths. Who may not ask learns nothing, not even that there is something. */
export async function serveOwn(desk: Desk, exchange: Exchange, active: number): Promise<void> {
  const { request, path } = exchange;
  if (request.method !== "GET" && request.method !== "HEAD") return answer(exchange, NOTHING);
  if (path === "/healthz") return answer(exchange, json(200, { status: "ok", version: desk.version }));
  const asker = { address: request.socket.remoteAddress, headers: request.rawHeaders };
  if (!mayAsk(asker, desk.token)) return answer(exchange, NOTHING);
  if (path === "/stats") return answer(exchange, json(200, await statsOf(desk, active)));
  const id = recallIdOf(path);
  answer(exchange, id === null ? NOTHING : await recall(desk, exchange, id));
}

const RECALL = "/recall/";
const NOTHING: Answer = { status: 404, contentType: "text/plain; charset=utf-8", body: "not found\n" };
const RANGES_OF_THE_WHOLE = new Set(["", "0", "all"]);
const SAFE_MEDIA_TYPE = /^image\/(?:png|jpeg|gif|webp)$|^application\/pdf$/;

const STATUS_OF_FAILURE: Readonly<Record<RecallFailure, number>> = {
  "unknown id": 404,
  "belongs to another session": 404,
  "expired by retention": 410,
  "not a finished result": 409,
  "empty result": 409,
  "bad range": 400,
  "bad pattern": 400,
  "selects nothing": 404,
  "attachment cannot be sliced": 400,
  "ambiguous session": 409,
  "not stored": 404,
  "purged by the user": 410,
  "damaged in store": 500,
  "store unavailable": 503,
};

async function statsOf(desk: Desk, active: number): Promise<Stats> {
  const store = await desk.keeper.storeSize().catch((error: unknown) => {
    desk.log.warn({ code: codeOf(error) }, "the store's size could not be read");
    return null;
  });
  return { version: desk.version, ...desk.keeper.stats(), proxy: desk.counts.stats(active), store };
}

async function recall(desk: Desk, exchange: Exchange, id: string): Promise<Answer> {
  const query = new URLSearchParams(exchange.query);
  const range = query.get("range");
  const pattern = query.get("pattern");
  const isRaw = isSet(query, "raw");
  if (isRaw && (pattern !== null || !RANGES_OF_THE_WHOLE.has(range ?? ""))) {
    return json(400, { failure: "bad range", words: "raw is the whole original: ask without range and pattern" });
  }
  const recalled = await desk.keeper.recall({
    tenant: desk.tenant,
    id,
    range,
    pattern,
    ignoreCase: isSet(query, "ignore_case"),
    chars: null,
    sessionId: null,
    by: "user",
    atMs: exchange.atMs,
  });
  return recalledAnswer(recalled, isRaw);
}

function recalledAnswer(recalled: RecallAnswer, isRaw: boolean): Answer {
  if (!recalled.ok) {
    return json(STATUS_OF_FAILURE[recalled.failure], { failure: recalled.failure, words: recalled.words });
  }
  const { item, raw, text } = recalled;
  if (isRaw) return { status: 200, contentType: "application/octet-stream", body: raw, headers: AS_ATTACHMENT };
  if (item.kind === "media") {
    const isSafe = SAFE_MEDIA_TYPE.test(item.mediaType ?? "");
    const contentType = isSafe && item.mediaType !== null ? item.mediaType : "application/octet-stream";
    return { status: 200, contentType, body: raw, headers: AS_ATTACHMENT };
  }
  return { status: 200, contentType: "text/plain; charset=utf-8", body: text };
}

const AS_ATTACHMENT = { "content-disposition": "attachment" };

/** Null: not an id, or one that no item can have. */
function recallIdOf(path: string): string | null {
  const id = decoded(path.slice(RECALL.length));
  return id === null || id === "" || id.length > RECALL_ID_CHARS_MAX ? null : id;
}

function decoded(encoded: string): string | null {
  try {
    return decodeURIComponent(encoded);
  } catch (error) {
    if (error instanceof URIError) return null;
    throw error;
  }
}

/** A flag without a value is set. */
function isSet(query: URLSearchParams, name: string): boolean {
  const value = query.get(name);
  return value !== null && value !== "0" && value !== "false";
}

function json(status: number, value: unknown): Answer {
  return { status, contentType: "application/json", body: `${JSON.stringify(value)}\n` };
}

function codeOf(error: unknown): string {
  const code: unknown = error instanceof Error ? Reflect.get(error, "code") : null;
  return typeof code === "string" ? code : "unknown";
}
