import { expect, test } from "vitest";
import { createRunCounts } from "./run-counts.ts";

const USE = (share: string) => ["anthropic-ratelimit-unified-5h-utilization", share];

test("a run is counted for itself and for the proxy, and what came before it is not its own", () => {
  const counts = createRunCounts();
  counts.of(null).responded(USE("0.1"));
  counts.of("one-run-1").responded(USE("0.2"));
  counts.of("one-run-1").responded(USE("0.3"));
  counts.of("another-run").answered(200);
  expect(counts.stats(1, "one-run-1").rate_limits).toEqual({ "unified-5h": { first: 0.2, last: 0.3, highest: 0.3 } });
  expect(counts.stats(1).rate_limits).toEqual({ "unified-5h": { first: 0.1, last: 0.3, highest: 0.3 } });
  expect(counts.stats(1, "one-run-1").answers).toEqual({});
  expect(counts.stats(1).answers).toEqual({ "2xx": 1 });
  expect(counts.stats(1, "no-such-run")).toMatchObject({ answers: {}, passed: 0, rate_limits: {} });
});

test("everything that is noted of a run is noted of the proxy", () => {
  const counts = createRunCounts();
  const run = counts.of("a-run-name");
  run.answered(529);
  run.passed("bedrock");
  run.unedited("body over the limit");
  run.refused("busy");
  run.upstreamFailed("ECONNREFUSED");
  run.clientLeft();
  run.unwatched();
  run.responded(USE("0.5"));
  expect(counts.stats(0, "a-run-name")).toEqual(counts.stats(0));
  expect(counts.stats(0)).toMatchObject({ answers: { "5xx": 1 }, passed: 1, client_left: 1, unwatched: 1 });
});
