import { expect, test } from "vitest";
import { acquired, itemOf, originalOf } from "../testing/test-store-samples.ts";
import { EMPTY_STANDING, foldLedger } from "./standing.ts";

const label = { tool: "Read", path: "/w/a", lineStart: 1, lineEnd: 2, command: null };

function readRecord(seq: number) {
  const entry = acquired({ ...itemOf(`call-${seq}`, originalOf(`text ${seq}`)), label });
  return { seq, atMs: seq, entry };
}

test("later reads of a path are added to a new standing, and the earlier one stays as it was", () => {
  const early = foldLedger(EMPTY_STANDING, [readRecord(1), readRecord(2)]);
  const late = foldLedger(early, [readRecord(3), readRecord(4)]);
  const other = foldLedger(early, [readRecord(5)]);
  const seqsOf = (standing: typeof early) =>
    standing.readsByPath.get("/w/a")?.map((record) => Number(record.callId?.slice("call-".length)));
  expect([early, late, other].map(seqsOf)).toEqual([
    [1, 2],
    [1, 2, 3, 4],
    [1, 2, 5],
  ]);
});
