import { request } from "node:http";
import { hasOpenFigures, ownAddressOf, reachOf } from "./listening-address.ts";
import { type ProxyLock, readLocks } from "./run/proxy-lock.ts";

/** What an address of this machine answered. */
export type LocalAnswer =
  | { readonly kind: "answered"; readonly status: number; readonly text: string }
  /** Nothing listens there. */
  | { readonly kind: "refused" }
  /** Something listens there, and gave no answer in time, or none that is HTTP. */
  | { readonly kind: "silent" };

/** What a proxy of the user answered; `foreign`: no proxy of this data folder says that it listens there, so nobody was asked. */
export type OwnAnswer = LocalAnswer | { readonly kind: "foreign" };

/** What a proxy is asked, where, and as whom. */
export interface OwnQuestion {
  /** Of the proxy, as `ownAddressOf` has it. */
  readonly address: string;
  /** With its query. */
  readonly path: string;
  readonly dataFolder: string;
  /** Of the data folder. */
  readonly token: string;
  readonly timeoutMs: number;
}

/** Characters of an answer that are read. */
const ANSWER_CHARS_MAX = 1024 * 1024;

/**
 * Asks a proxy of the user with GET and the token. The token goes only to the loopback address that a live proxy of the data
 * folder names in its lock: whoever else listens on the port never sees it. Never throws.
 */
export async function askOwnProxy(question: OwnQuestion): Promise<OwnAnswer> {
  const { address, path, dataFolder, token, timeoutMs } = question;
  const lock = readLocks(dataFolder).find((one) => isReachedBy(address, one));
  if (lock === undefined) return { kind: "foreign" };
  return get(`${ownAddressOf(lock.host, lock.port)}${path}`, timeoutMs, { authorization: `Bearer ${token}` });
}

/** Asks whoever listens at an address of this machine with GET, without the token; follows nothing and never throws. */
export function askLocal(url: string, timeoutMs: number): Promise<LocalAnswer> {
  return get(url, timeoutMs, {});
}

/** `localhost` stands for either loopback address, and a proxy on every interface is reached by both. */
function isReachedBy(address: string, { host, port }: ProxyLock): boolean {
  if (!hasOpenFigures(host) || !URL.canParse(address)) return false;
  const asked = new URL(address);
  const own = new URL(ownAddressOf(host, port));
  if (asked.protocol !== own.protocol || asked.port !== own.port) return false;
  if (asked.hostname === own.hostname) return true;
  const isEither = [asked.hostname, own.hostname].includes("localhost") || reachOf(host) === "every address";
  return isEither && hasOpenFigures(asked.hostname.replace(/^\[|\]$/g, ""));
}

/** The first address of a name alone, as for listening, and through no proxy of the environment. */
const DIRECT = { agent: false, autoSelectFamily: false } as const;
const SILENT: LocalAnswer = { kind: "silent" };

function get(url: string, timeoutMs: number, headers: Readonly<Record<string, string>>): Promise<LocalAnswer> {
  return new Promise((resolve) => {
    const options = { ...DIRECT, headers, signal: AbortSignal.timeout(timeoutMs) };
    const asked = request(url, options, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (part: string) => {
        text += part;
        if (text.length > ANSWER_CHARS_MAX) response.destroy();
      });
      response.once("close", () => {
        const isRead = response.complete || text.length > ANSWER_CHARS_MAX;
        resolve(isRead ? { kind: "answered", status: response.statusCode ?? 0, text } : SILENT);
      });
    });
    asked.once("upgrade", (_response, socket) => {
      socket.destroy();
      resolve(SILENT);
    });
    asked.on("error", (error: NodeJS.ErrnoException) => {
      resolve(error.code === "ECONNREFUSED" ? { kind: "refused" } : SILENT);
    });
    asked.end();
  });
}
