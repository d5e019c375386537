import { expect, it } from "vitest";
import { parseFault } from "./fault.ts";

it.each<[unknown, readonly string[]]>([
  [{ status: 200 }, ["status: expected a status from 400 to 599, got 200"]],
  [{ status: 529, times: 0 }, ["times: expected a whole number from 1, got 0"]],
  [{ cutAfterEvents: -1 }, ["cutAfterEvents: expected a whole number of 0 or more, got -1"]],
  [{ stallAfterEvents: 1, retryAfter: 3 }, ["retryAfter: unknown key"]],
  [null, ["expected a fault { status } or { cutAfterEvents } or { stallAfterEvents }, with times, got nothing"]],
])("a fault that cannot be meant is refused in words: %j", (value, problems) => {
  expect(parseFault(value)).toEqual({ ok: false, problems });
});
