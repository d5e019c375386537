import { createHash } from "node:crypto";
import type { Logger } from "pino";
import type { ResponseWatcher, Wire } from "../model/ports.ts";
import { type Exchange, upstreamOf } from "./exchange.ts";
import { headerValue, type RawHeaders } from "./headers.ts";
import { type DropReason, openRecordFiles, type RecordLimits } from "./record-files.ts";
import { toRecordLine } from "./record-line.ts";
import type { Forward } from "./round.ts";

/** Bytes of one response that are recorded; the rest is left out, and said to be. */
export const RECORDED_RESPONSE_BYTES_MAX = 16 * 1024 * 1024;

/** Bytes of all responses under way that are kept for their records; beyond it they are left out. */
export const RECORDING_BYTES_HELD_MAX = 256 * 1024 * 1024;

/** Writes down what clients send and providers answer. Nothing it does reaches an exchange. */
export interface Recorder {
  /** The body of an exchange as it came, decoded. */
  received(exchange: Exchange, body: Uint8Array): void;
  /** Begins the record of one request on its way upstream. */
  open(exchange: Exchange, wire: Wire, prepared: Forward): OpenRecord;
  /** Resolves when everything recorded is written. */
  close(): Promise<void>;
}

/** One request under way. */
export interface OpenRecord {
  /** The same watcher; what it is told is kept. */
  watched(watcher: ResponseWatcher, status: number, headers: RawHeaders): ResponseWatcher;
  /** To be called once. */
  finish(end: { readonly status: number; readonly error: string | null }): void;
}

export interface RecorderOptions {
  readonly folder: string;
  readonly log: Logger;
  readonly nowMs: () => number;
  readonly limits?: RecordLimits;
}

/** A recorder into that folder, one file a session. Throws `config_invalid` where the folder cannot be used. */
export function createRecorder({ folder, log, nowMs, limits }: RecorderOptions): Recorder {
  const told = new Set<string>();
  const onDrop = (reason: DropReason, code: string | null): void => {
    const name = `${reason} ${code}`;
    if (told.has(name)) return;
    told.add(name);
    log.warn({ reason, code }, "a request was not recorded; more of this kind are not told");
  };
  const files = openRecordFiles(folder, onDrop, limits);
  const held = { bytes: 0 };
  const bodies = new WeakMap<Exchange, Uint8Array>();
  const rounds = new WeakMap<Exchange, number>();
  return {
    received(exchange, body) {
      bodies.set(exchange, body);
    },
    open(exchange, wire, prepared) {
      const round = (rounds.get(exchange) ?? 0) + 1;
      rounds.set(exchange, round);
      const request = bodies.get(exchange) ?? null;
      bodies.delete(exchange);
      const slices = prepared.isEdited || request === null ? prepared.body : null;
      return openRecord({ exchange, wire, round, request, slices, held, nowMs, append: files.append });
    },
    close: () => files.drained(),
  };
}

interface Opened {
  readonly exchange: Exchange;
  readonly wire: Wire;
  readonly round: number;
  readonly request: Uint8Array | null;
  /** The body as it went upstream; null where that is the same. */
  readonly slices: readonly Uint8Array[] | null;
  /** What all records under way hold. */
  readonly held: { bytes: number };
  readonly nowMs: () => number;
  append(name: string, line: string): void;
}

function openRecord(opened: Opened): OpenRecord {
  const { exchange, wire, held } = opened;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  let isCut = false;
  let responseHeaders: RawHeaders = [];
  return {
    watched(watcher, _status, headers) {
      responseHeaders = headers;
      const keep = (chunk: Uint8Array): void => {
        isCut ||=
          bytes + chunk.length > RECORDED_RESPONSE_BYTES_MAX || held.bytes + chunk.length > RECORDING_BYTES_HELD_MAX;
        if (isCut) return;
        bytes += chunk.length;
        held.bytes += chunk.length;
        chunks.push(Uint8Array.from(chunk));
      };
      return {
        push(chunk) {
          keep(chunk);
          watcher.push(chunk);
        },
        finish: () => watcher.finish(),
      };
    },
    finish({ status, error }) {
      held.bytes -= bytes;
      const { request: message, path, query, run, atMs } = exchange;
      const headers = message.rawHeaders;
      const upstream = upstreamOf(exchange);
      const { sessionId } = wire.hintsOf((name) => headerValue(headers, name));
      const line = toRecordLine({
        ...{ atMs, path, query, run, headers, status, error, responseHeaders },
        method: message.method ?? "GET",
        wire: wire.name,
        upstream: upstream.name ?? upstream.host,
        session: sessionId,
        round: opened.round,
        request: opened.request,
        sent: opened.slices === null ? null : Buffer.concat(opened.slices),
        response: Buffer.concat(chunks),
        isResponseCut: isCut,
        endedMs: opened.nowMs(),
      });
      opened.append(fileNameOf(sessionId, run, atMs), line);
    },
  };
}

const NAME_CHARS = 16;

/** A file for each session; what states none goes into one for its run, or for its day. */
function fileNameOf(sessionId: string | null, run: string | null, atMs: number): string {
  if (sessionId !== null) return `session-${shortName(sessionId)}`;
  return run === null ? `day-${new Date(atMs).toISOString().slice(0, 10)}` : `run-${shortName(run)}`;
}

/** Names of sessions come from clients and may be anything. */
function shortName(name: string): string {
  return createHash("sha256").update(name).digest("hex").slice(0, NAME_CHARS);
}
