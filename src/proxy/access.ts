import { createHash, timingSafeEqual } from "node:crypto";
import type { RawHeaders } from "./headers.ts";
import { headerValue, headerValues } from "./headers.ts";

/** Who asks for what only the user may see. */
export interface Asker {
  /** Address of the connection's other end. */
  readonly address: string | undefined;
  readonly headers: RawHeaders;
}

/**
 * True for this user on this machine alone: a local connection to a loopback name, with the user's token, from no web
 * page and through no other proxy.
 */
export function mayAsk(asker: Asker, token: string): boolean {
  return (
    isLoopbackAddress(asker.address) &&
    isLoopbackHost(headerValues(asker.headers, "host")) &&
    !isFromPage(asker.headers) &&
    !isForwarded(asker.headers) &&
    hasToken(headerValues(asker.headers, "authorization"), token)
  );
}

const LOOPBACK_ADDRESS = /^(?:::ffff:)?127\.\d{1,3}\.\d{1,3}\.\d{1,3}$|^::1$/;
const LOOPBACK_HOST = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/i;
const FETCH_SITES_OF_NO_OTHER_PAGE = new Set(["none", "same-origin"]);

function isLoopbackAddress(address: string | undefined): boolean {
  return address !== undefined && LOOPBACK_ADDRESS.test(address);
}

/** A page that rebinds its own name to 127.0.0.1 still sends its own name here. */
function isLoopbackHost(hosts: readonly string[]): boolean {
  const [host] = hosts;
  return hosts.length === 1 && host !== undefined && LOOPBACK_HOST.test(host);
}

function isFromPage(headers: RawHeaders): boolean {
  const site = headerValue(headers, "sec-fetch-site");
  return headerValue(headers, "origin") !== null || (site !== null && !FETCH_SITES_OF_NO_OTHER_PAGE.has(site));
}

/** A reverse proxy on this machine makes every stranger look local. */
function isForwarded(headers: RawHeaders): boolean {
  return headers.some((name, index) => {
    if (index % 2 === 1) return false;
    const lower = name.toLowerCase();
    return lower === "forwarded" || lower === "via" || lower === "x-real-ip" || lower.startsWith("x-forwarded-");
  });
}

/** Compared as digests, in constant time. */
function hasToken(authorizations: readonly string[], token: string): boolean {
  const [authorization] = authorizations;
  if (token === "" || authorizations.length !== 1 || authorization === undefined) return false;
  return timingSafeEqual(digestOf(authorization), digestOf(`Bearer ${token}`));
}

function digestOf(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
