import { expect, test } from "vitest";
import type { LedgerEntry } from "../model/ledger.ts";
import { decodeEntry, encodeEntry } from "./entry-encoding.ts";

const entry: LedgerEntry = { type: "client-folded", fromLineage: "l\n\ud83d\u{1f600}" };

test("an entry comes back as it was", () => {
  expect(decodeEntry(encodeEntry(entry))).toEqual(entry);
});

test("one changed, missing or added character anywhere is refused as corrupt", () => {
  const body = encodeEntry(entry);
  const damaged = Array.from(body, (char, at) => [
    `${body.slice(0, at)}${char === "x" ? "y" : "x"}${body.slice(at + 1)}`,
    body.slice(0, at) + body.slice(at + 1),
    `${body.slice(0, at)} ${body.slice(at)}`,
  ]).flat();
  for (const text of [...damaged, "", "{}", body.slice(0, 20)]) {
    expect(() => decodeEntry(text)).toThrow(expect.objectContaining({ code: "store_corrupt" }));
  }
});
