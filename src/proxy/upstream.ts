import { Pool } from "undici";
import { EbbError } from "../lib/ebb-error.ts";
import { EXCHANGES_MAX, HEADER_BYTES_MAX, UPSTREAM_CONNECT_MS, UPSTREAM_IDLE_MS } from "./limits.ts";

/** One place requests go to. */
export interface Upstream {
  /** Null: the one of requests that ask for none by name. */
  readonly name: string | null;
  readonly host: string;
  /** Keep-alive connections, to one origin only. */
  readonly pool: Pool;
  /** Path that stands before every client's path; empty for a bare origin. */
  readonly pathPrefix: string;
}

/**
 * Connections to `url`, opened when needed. Throws `config_invalid` for anything but an http(s) origin with an optional
 * path; the words never repeat the address, which might hold a secret.
 */
export function openUpstream(url: string, name: string | null = null): Upstream {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  const what = name === null ? "upstream" : `upstreams.${name}`;
  if (parsed === null || (parsed.protocol !== "http:" && parsed.protocol !== "https:")) {
    throw new EbbError("config_invalid", `${what}: expected an http:// or https:// address`);
  }
  if (parsed.username !== "" || parsed.password !== "") {
    throw new EbbError("config_invalid", `${what}: expected an address without credentials; clients send their own`);
  }
  if (parsed.search !== "" || parsed.hash !== "") {
    throw new EbbError("config_invalid", `${what}: expected an address without a query or fragment`);
  }
  const pool = new Pool(parsed.origin, {
    connections: EXCHANGES_MAX,
    pipelining: 1,
    headersTimeout: UPSTREAM_IDLE_MS,
    bodyTimeout: UPSTREAM_IDLE_MS,
    maxHeaderSize: HEADER_BYTES_MAX,
    connect: { timeout: UPSTREAM_CONNECT_MS },
  });
  return { name, host: parsed.hostname, pool, pathPrefix: parsed.pathname.replace(/\/+$/, "") };
}
