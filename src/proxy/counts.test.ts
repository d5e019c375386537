import { expect, test } from "vitest";
import { createCounts } from "./counts.ts";

test("counts by class, reason and code", () => {
  const counts = createCounts();
  counts.answered(200);
  counts.answered(204);
  counts.answered(529);
  counts.passed("vertex");
  counts.passed("other");
  counts.passed("other");
  counts.unedited("body over the limit");
  counts.refused("busy");
  counts.upstreamFailed("ECONNREFUSED");
  counts.clientLeft();
  counts.unwatched();
  expect(counts.stats(4)).toEqual({
    active: 4,
    answers: { "2xx": 2, "5xx": 1 },
    passed: 3,
    passed_by: { vertex: 1, other: 2 },
    unedited: { "body over the limit": 1 },
    refused: { busy: 1 },
    upstream_errors: { ECONNREFUSED: 1 },
    client_left: 1,
    unwatched: 1,
    rate_limits: {},
  });
});

test("keeps a bounded number of upstream error codes", () => {
  const counts = createCounts();
  for (let code = 0; code < 100; code += 1) counts.upstreamFailed(`E${code}`);
  const errors = counts.stats(0).upstream_errors;
  expect(Object.keys(errors)).toHaveLength(33);
  expect(errors.other).toBe(68);
});
