import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { noteBoundary } from "../keeper/boundary-note.ts";
import { openSqliteStore } from "../stores/sqlite.ts";
import { STORE_FILE_NAME } from "./data-folder.ts";
import { toldBoundaryOf } from "./hook-event.ts";
import { LOCAL_TENANT } from "./local-tenant.ts";

/** Largest event that is read, in bytes; a hook carries the last answer of a sub-agent. */
export const EVENT_BYTES_MAX = 4 * 1024 * 1024;

/** How long an event may take to arrive, in milliseconds. */
const EVENT_MS_MAX = 2_000;

/** How long the store may be busy with another process, in milliseconds: the client waits for its hook. */
const BUSY_TIMEOUT_MS = 150;

/**
 * Reads one event of a client's hook and records the boundary it tells of. Makes no store where there is none. Throws `EbbError`
 * when the store fails.
 */
export async function recordHook(input: Readable, dataFolder: string, atMs: number): Promise<void> {
  const text = await readEvent(input);
  const told = text === null ? null : toldBoundaryOf(text);
  const file = join(dataFolder, STORE_FILE_NAME);
  if (told === null || !existsSync(file)) return;
  const store = openSqliteStore({ file, busyTimeoutMs: BUSY_TIMEOUT_MS });
  try {
    await noteBoundary(LOCAL_TENANT, told, atMs, store);
  } finally {
    await store.close();
  }
}

/** The whole input as text; null where it is too long, too late or broken. */
async function readEvent(input: Readable): Promise<string | null> {
  const parts: Buffer[] = [];
  let length = 0;
  const deadline = setTimeout(() => input.destroy(new Error("too late")), EVENT_MS_MAX);
  try {
    for await (const part of input) {
      const bytes = Buffer.from(part);
      length += bytes.length;
      if (length > EVENT_BYTES_MAX) return null;
      parts.push(bytes);
    }
    return Buffer.concat(parts).toString("utf8");
  } catch {
    // Whatever ends the input early, the event in it is not whole.
    return null;
  } finally {
    clearTimeout(deadline);
  }
}
