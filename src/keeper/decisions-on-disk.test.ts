import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { bash, bodyOf, EMPTY_TALK, read, user } from "../../test/support/conversation.ts";
import { createTestKeeper, resultIn, send } from "../../test/support/keeper.ts";
import { declare, FILE, FOREVER, keep, order, release, scope, turns, undeclare } from "../../test/support/orders.ts";
import type { LedgerEntry } from "../model/ledger.ts";
import { decodeEntry } from "../stores/entry-encoding.ts";
import { openSqliteStore } from "../stores/sqlite.ts";
import type { Order } from "./order.ts";

const start = read(user(EMPTY_TALK, "look"), "r1", "/w/a.ts", FILE);
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ebb-orders-"));
});

afterEach(() => rmSync(folder, { recursive: true }));

/** Entries in the database file as another program reads them, while the one that wrote them still has it open. */
function entriesInFile(): readonly LedgerEntry[] {
  const database = new Database(join(folder, "ebb.sqlite"), { readonly: true });
  try {
    const bodies = database.prepare<[], string>("SELECT body FROM entries ORDER BY lineage_id, seq").pluck().all();
    return bodies.map(decodeEntry);
  } finally {
    database.close();
  }
}

async function opened() {
  const store = openSqliteStore({ file: join(folder, "ebb.sqlite") });
  const keeper = createTestKeeper({ store });
  await send(keeper, bodyOf(start));
  return keeper;
}

describe("a decision", () => {
  const PATH = { paths: ["/w/a.ts"] };
  it.each<[string, Order, readonly LedgerEntry["type"][]]>([
    ["release", release("r1"), ["item-wished"]],
    ["keep", keep("r1", "1-5"), ["item-wished"]],
    ["keep of the whole", keep("r1", null), ["item-wished"]],
    ["hold", declare("hold", { ids: ["r1"] }, turns(2)), ["item-held"]],
    ["hold in a scope", declare("hold", PATH, scope("tmp_x")), ["scope-opened", "item-held", "path-held"]],
    ["protect", declare("protect", PATH, FOREVER), ["item-protected", "path-protected"]],
    ["unhold", undeclare("unhold", PATH), ["item-held", "path-held"]],
    ["unprotect", undeclare("unprotect", { ids: ["r1"] }), ["item-protected"]],
  ])("to %s is in the database file when the answer says so", async (_, given, types) => {
    const keeper = await opened();
    const before = entriesInFile().length;
    const answered = order(keeper, given).then((answer) => ({ answer, entries: entriesInFile().slice(before) }));
    const { answer, entries } = await answered;
    expect(answer).toMatchObject({ ok: true });
    expect(entries.map(({ type }) => type)).toEqual(types);
    expect(JSON.stringify(entries)).toContain(given.reason);
    await keeper.close();
    await keeper.store.close();
  });

  it("that is refused leaves nothing there", async () => {
    const keeper = await opened();
    const before = entriesInFile().length;
    for (const given of [release("nothing"), keep("r1", "900-"), declare("hold", { ids: ["r1"] }, turns(-1))]) {
      expect(await order(keeper, given)).toMatchObject({ ok: false });
    }
    expect(entriesInFile()).toHaveLength(before);
    await keeper.store.close();
  });

  it("acts in another process that only has the file", async () => {
    const keeper = await opened();
    await order(keeper, release("r1"));
    await order(keeper, declare("protect", { paths: ["/w/b.ts"] }, FOREVER));
    await keeper.close();
    await keeper.store.close();
    const store = openSqliteStore({ file: join(folder, "ebb.sqlite") });
    const later = createTestKeeper({ store, idPrefix: "later", bound: { lines: 20, bytes: 3_000 } });
    const sent = await send(later, bodyOf(read(bash(start, "b1", "ls", "x"), "r2", "/w/b.ts", FILE)));
    expect([resultIn(sent, "r1"), resultIn(sent, "r2")]).toEqual([
      expect.stringMatching(/^\[ebb /),
      expect.not.stringMatching(/^\[ebb /),
    ]);
    const bound = entriesInFile().findLast(({ type }) => type === "item-protected");
    expect(bound).toMatchObject({ held: { until: { kind: "forever" }, reason: "in use" } });
    await later.close();
    await store.close();
  });
});
