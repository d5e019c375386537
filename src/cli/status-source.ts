import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Place } from "../config/folders.ts";
import type { ResolvedConfig } from "../config/resolved.ts";
import { createStatusBoard, statusOf } from "../keeper/status.ts";
import { openSqliteStore } from "../stores/sqlite.ts";
import { readToken, STORE_FILE_NAME } from "./data-folder.ts";
import { hasOpenFigures, ownAddressOf } from "./listening-address.ts";
import { LOCAL_TENANT } from "./local-tenant.ts";
import { askOwnProxy, type OwnQuestion } from "./own-proxy.ts";
import { isPausedIn } from "./pause-file.ts";
import { addressesOfRuns } from "./run/run-addresses.ts";
import type { StatusKnown } from "./status-line.ts";

/** How long a proxy may take, in milliseconds: with what starting costs, a prompt waits less than a second. */
const PROXY_TIMEOUT_MS = 400;
/** How long the store may be busy, in milliseconds. */
const STORE_TIMEOUT_MS = 100;

type Wanted = Pick<ResolvedConfig, "host" | "port" | "dataFolder">;

/**
 * What a status line tells: from the proxy that the surrounding agent uses, else the one that is configured, else that of the
 * newest `ebb run`, else from the store. Throws `EbbError` where the store fails.
 */
export async function knownStatus(sessionId: string | null, config: Wanted, place: Place): Promise<StatusKnown> {
  const token = readToken(config.dataFolder);
  for (const address of token === null ? [] : addressesOf(config, place)) {
    const answered = await askProxy(address, sessionId, { dataFolder: config.dataFolder, token: token ?? "" });
    if (answered !== null) return answered;
  }
  return fromStore(sessionId, config);
}

/**
 * The base URL that an agent was started with names its own proxy; where the configured one does not answer, that of the newest
 * run is left.
 */
function addressesOf({ host, port, dataFolder }: Wanted, { env }: Place): readonly string[] {
  const stated = env.ANTHROPIC_BASE_URL ?? "";
  const around = URL.canParse(stated) ? new URL(stated) : null;
  const isHere = around?.protocol === "http:" && hasOpenFigures(around.hostname.replace(/^\[|\]$/g, ""));
  const runs = addressesOfRuns(dataFolder).slice(0, 1);
  return [...new Set([...(isHere ? [around.origin] : []), ownAddressOf(host, port), ...runs])];
}

type User = Pick<OwnQuestion, "dataFolder" | "token">;

/** Null where nobody answers as a proxy of this data folder. */
async function askProxy(address: string, sessionId: string | null, user: User): Promise<StatusKnown | null> {
  const query = sessionId === null ? "" : `?${new URLSearchParams({ session: sessionId })}`;
  const answer = await askOwnProxy({ ...user, address, path: `/status${query}`, timeoutMs: PROXY_TIMEOUT_MS });
  const known = answer.kind === "answered" && answer.status === 200 ? parsed(answer.text) : null;
  return isKnown(known) ? known : null;
}

/** Whoever listens there may answer anything: only what a line can be made of counts. */
function isKnown(value: unknown): value is StatusKnown {
  if (!isObject(value)) return false;
  const { mode, paused, status } = value;
  if (!["enforce", "observe", "off"].includes(String(mode)) || typeof paused !== "boolean") return false;
  if (status === null) return true;
  if (!isObject(status) || typeof status.released_tokens !== "number") return false;
  const optional = [status.window_tokens, status.waiting_tokens, status.net_usd, status.guarded_since_ms];
  return optional.every((one) => one === null || typeof one === "number");
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

/** Null for what is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Makes no store where there is none. */
async function fromStore(sessionId: string | null, { dataFolder }: Wanted): Promise<StatusKnown> {
  const nothing = { status: null, mode: null, paused: isPausedIn(dataFolder) };
  const file = join(dataFolder, STORE_FILE_NAME);
  if (!existsSync(file)) return nothing;
  const store = openSqliteStore({ file, busyTimeoutMs: STORE_TIMEOUT_MS });
  try {
    const desk = { store, board: createStatusBoard(), mode: "off", isPaused: nothing.paused } as const;
    const told = await statusOf({ tenant: LOCAL_TENANT, sessionId }, desk);
    return told.ok ? { ...nothing, status: told.status } : nothing;
  } finally {
    await store.close();
  }
}
