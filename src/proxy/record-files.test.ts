import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type DropReason, openRecordFiles, type RecordLimits } from "./record-files.ts";

const LIMITS: RecordLimits = { queueBytesMax: 1_000, fileBytesMax: 40, folderBytesMax: 10_000 };

let folder: string;
let dropped: DropReason[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ebb-record-files-"));
  dropped = [];
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function open(limits: Partial<RecordLimits> = {}) {
  return openRecordFiles(folder, (reason) => dropped.push(reason), { ...LIMITS, ...limits });
}

test("lines of one name follow each other, and go on in another file where one is full", async () => {
  const files = open();
  for (const line of ["1".repeat(15), "2".repeat(15), "3".repeat(15)]) files.append("a", line);
  await files.drained();
  expect(readFileSync(join(folder, "a.jsonl"), "utf8")).toBe(`${"1".repeat(15)}\n${"2".repeat(15)}\n`);
  expect(readFileSync(join(folder, "a-2.jsonl"), "utf8")).toBe(`${"3".repeat(15)}\n`);
  const again = open();
  again.append("a", "4".repeat(15));
  await again.drained();
  expect(readFileSync(join(folder, "a-2.jsonl"), "utf8")).toBe(`${"3".repeat(15)}\n${"4".repeat(15)}\n`);
  expect(dropped).toEqual([]);
});

test("a line longer than a file has one of its own", async () => {
  const files = open();
  files.append("a", "x".repeat(100));
  files.append("a", "y");
  await files.drained();
  expect(readdirSync(folder).sort()).toEqual(["a-2.jsonl", "a.jsonl"]);
});

test("what the queue or the folder has no room for is dropped and told, never waited for", async () => {
  const files = open({ queueBytesMax: 50 });
  for (let count = 0; count < 5; count += 1) files.append("a", "x".repeat(20));
  expect(dropped).toEqual(["queue full", "queue full", "queue full"]);
  await files.drained();
  const full = open({ folderBytesMax: 60 });
  full.append("b", "x".repeat(20));
  expect(dropped.slice(3)).toEqual(["folder full"]);
});

test("a disk that refuses is told, and the next line is tried again", async () => {
  const files = open();
  rmSync(folder, { recursive: true });
  files.append("a", "lost");
  await files.drained();
  expect(dropped).toEqual(["not writable"]);
  mkdirSync(folder);
  files.append("a", "kept");
  await files.drained();
  expect(readFileSync(join(folder, "a.jsonl"), "utf8")).toBe("kept\n");
});

test.skipIf(process.platform === "win32")("a folder that others can enter is refused where it holds anything", () => {
  writeFileSync(join(folder, "notes.txt"), "mine");
  chmodSync(folder, 0o755);
  expect(() => open()).toThrow(/other users can enter this folder/);
  writeFileSync(join(folder, "file"), "");
  expect(() => openRecordFiles(join(folder, "file"), () => {})).toThrow(/cannot be used \(EEXIST\)/);
});

test("a line that was cut short takes no other with it", async () => {
  writeFileSync(join(folder, "a.jsonl"), '{"v":1,"cut');
  const files = open();
  files.append("a", "next");
  files.append("a", "last");
  await files.drained();
  expect(readFileSync(join(folder, "a.jsonl"), "utf8")).toBe('{"v":1,"cut\nnext\nlast\n');
});
