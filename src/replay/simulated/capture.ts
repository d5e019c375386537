import { mkdirSync, writeFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import { sha256Hex } from "../../lib/hash.ts";
import type { TokenBill } from "./price.ts";

/** How an exchange ended: not yet, whole, cut by an injected fault, or left by the client. */
export type ExchangeEnd = "open" | "whole" | "cut" | "left";

/** One request as it came, and what became of it. Credentials in headers are replaced. */
export interface CapturedRequest {
  /** Counts from 1 since the server started. */
  readonly number: number;
  /** Time at which it started, on the provider's clock. */
  readonly atMs: number;
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The body as text, decoded by its content-encoding. */
  readonly bodyRaw: string;
  readonly bodyBytes: number;
  /** SHA-256 of the decoded body's bytes. */
  readonly bodySha256: string;
  /** Null while it is being answered. */
  readonly status: number | null;
  readonly errorMessage: string | null;
  /** Null unless a model answered. */
  readonly usage: TokenBill | null;
  /** Null where the model has no price on record. */
  readonly costUsd: number | null;
  readonly end: ExchangeEnd;
}

/** Requests kept in memory. */
export const CAPTURED_REQUESTS_MAX = 2_000;
/** Body bytes kept in memory; the newest request stays even when it alone is longer. */
export const CAPTURED_BYTES_MAX = 134_217_728;

/** The newest requests, bounded in count and bytes, and the folder each one is written to. */
export interface Capture {
  open(request: IncomingMessage, body: Uint8Array, atMs: number): number;
  settle(number: number, outcome: Partial<Outcome>): void;
  list(): readonly CapturedRequest[];
  /** Requests that were forgotten because of the bounds. */
  dropped(): number;
}

type Outcome = Pick<CapturedRequest, "status" | "errorMessage" | "usage" | "costUsd" | "end">;

/** An empty capture. `folder` null: nothing is written to disk. */
export function createCapture(folder: string | null): Capture {
  const kept = new Map<number, CapturedRequest>();
  let bytes = 0;
  let count = 0;
  if (folder !== null) mkdirSync(folder, { recursive: true, mode: 0o700 });
  return {
    open(request, body, atMs) {
      count += 1;
      kept.set(count, recordOf(count, request, body, atMs));
      bytes += body.length;
      for (const [number, oldest] of kept) {
        if (number === count || (kept.size <= CAPTURED_REQUESTS_MAX && bytes <= CAPTURED_BYTES_MAX)) break;
        kept.delete(number);
        bytes -= oldest.bodyBytes;
      }
      return count;
    },
    settle(number, outcome) {
      const record = kept.get(number);
      if (record === undefined) return;
      const settled = { ...record, ...outcome };
      kept.set(number, settled);
      if (folder !== null && settled.end !== "open") writeRecord(folder, settled);
    },
    list: () => [...kept.values()],
    dropped: () => count - kept.size,
  };
}

function recordOf(number: number, request: IncomingMessage, body: Uint8Array, atMs: number): CapturedRequest {
  return {
    number,
    atMs,
    method: request.method ?? "",
    url: (request.url ?? "").replace(/([?&]key=)[^&]+/g, "$1(not-kept)"),
    headers: headersOf(request),
    bodyRaw: Buffer.from(body).toString("utf8"),
    bodyBytes: body.length,
    bodySha256: sha256Hex(body),
    status: null,
    errorMessage: null,
    usage: null,
    costUsd: null,
    end: "open",
  };
}

const SECRET = /^(?:authorization|proxy-authorization|x-api-key|x-goog-api-key|cookie)$/i;

function headersOf(request: IncomingMessage): Readonly<Record<string, string>> {
  const fields = Object.entries(request.headers).map(([name, value]) => [
    name,
    SECRET.test(name) ? "(not kept)" : String(value ?? ""),
  ]);
  return Object.fromEntries(fields);
}

function writeRecord(folder: string, record: CapturedRequest): void {
  const path = record.url.split("?")[0]?.replace(/[^a-z0-9]+/gi, "-") ?? "";
  const name = `${String(record.number).padStart(4, "0")}-${record.method}${path.slice(0, 60)}.json`;
  writeFileSync(join(folder, name), `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600 });
}
