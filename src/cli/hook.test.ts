import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { bash, bodyOf, EMPTY_TALK, user } from "../../test/support/conversation.ts";
import { createTestKeeper, send } from "../../test/support/keeper.ts";
import type { LedgerEntry } from "../model/ledger.ts";
import { openSqliteStore } from "../stores/sqlite.ts";
import { STORE_FILE_NAME } from "./data-folder.ts";
import { EVENT_BYTES_MAX, recordHook } from "./hook.ts";

const EVENT = JSON.stringify({ hook_event_name: "SessionStart", session_id: "session", source: "compact" });

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ebb-hook-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const given = (...parts: readonly (string | Uint8Array)[]): Readable =>
  Readable.from(parts.map((part) => Buffer.from(part)));

async function withConversation(): Promise<void> {
  const store = openSqliteStore({ file: join(folder, STORE_FILE_NAME) });
  const keeper = createTestKeeper({ store });
  await send(keeper, bodyOf(bash(user(EMPTY_TALK, "work"), "c1", "ls", "x")));
  await keeper.close();
  await store.close();
}

async function noted(): Promise<readonly LedgerEntry[]> {
  const store = openSqliteStore({ file: join(folder, STORE_FILE_NAME) });
  const entries: LedgerEntry[] = [];
  for (const { lineage } of await store.listLineages("local", 9)) {
    entries.push(...(await store.loadLineage("local", lineage)).map(({ entry }) => entry));
  }
  await store.close();
  return entries.filter(({ type }) => type === "boundary-noted");
}

describe("what a hook tells", () => {
  test("is recorded in the store, also where the event comes in pieces", async () => {
    await withConversation();
    await recordHook(given(EVENT.slice(0, 9), EVENT.slice(9)), folder, 5);
    expect(await noted()).toEqual([
      { type: "boundary-noted", what: "compacted", source: "SessionStart compact", turn: 1, step: 1 },
    ]);
  });

  test("makes no store where there is none", async () => {
    await recordHook(given(EVENT), folder, 5);
    expect(existsSync(join(folder, STORE_FILE_NAME))).toBe(false);
  });

  test.each([
    ["nothing", []],
    ["no JSON", ["{"]],
    ["bytes that are no text", [new Uint8Array([0xff, 0x00, 0xfe])]],
    ["more than may be read, around an event", [" ".repeat(EVENT_BYTES_MAX), EVENT]],
  ])("leaves no trace: %s", async (_, parts) => {
    await withConversation();
    await recordHook(given(...parts), folder, 5);
    expect(await noted()).toEqual([]);
  });

  test("is dropped where its stream breaks", async () => {
    await withConversation();
    const broken = new Readable({
      read() {
        this.push(EVENT);
        this.destroy(new Error("gone"));
      },
    });
    await recordHook(broken, folder, 5);
    expect(await noted()).toEqual([]);
  });

  test("is a failure with a code where the store is damaged", async () => {
    writeFileSync(join(folder, STORE_FILE_NAME), "this is no database, whatever its name says");
    await expect(recordHook(given(EVENT), folder, 5)).rejects.toMatchObject({ name: "EbbError" });
  });
});
