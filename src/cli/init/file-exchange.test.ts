import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readClientFile } from "./client-file.ts";
import { type Exchange, exchangeFiles } from "./file-exchange.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ebb-exchange-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function exchangeOf(name: string, text: string, lock: string | null = null): Exchange {
  return { file: readClientFile(join(folder, name)), bytes: Buffer.from(text), newMode: 0o600, lock, folders: [] };
}

test("puts the first file back, or takes it away, when the second cannot be written", () => {
  writeFileSync(join(folder, "a"), "before");
  const blocked = exchangeOf("c", "after");
  const exchanges = [exchangeOf("a", "after"), exchangeOf("b", "after"), blocked];
  // The place of a folder is taken by a file.
  const target = join(folder, "a", "c");
  const withBlocked = [...exchanges.slice(0, 2), { ...blocked, file: { ...blocked.file, target } }];
  expect(() => exchangeFiles(withBlocked)).toThrow(/c: the file cannot be written/);
  expect([readFileSync(join(folder, "a"), "utf8"), readdirSync(folder)]).toEqual(["before", ["a"]]);
});

test("leaves no lock behind, and takes none for a file that is made", () => {
  writeFileSync(join(folder, "a"), "before");
  exchangeFiles([
    exchangeOf("a", "after", join(folder, "a.lock")),
    exchangeOf("b", "new", join(folder, "gone", "b.lock")),
  ]);
  expect(readdirSync(folder)).toEqual(["a", "b"]);
});
