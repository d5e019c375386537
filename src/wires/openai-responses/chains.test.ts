import { dirname } from "node:path";
import { describe, expect, it } from "vitest";
import { recordedRequests } from "../../../test/support/recorded-bodies.ts";
import { recordedSessions } from "../../../test/support/shared.ts";
import type { SampleBody } from "../../testing/test-wire.ts";
import { createOpenaiResponses } from "./index.ts";

const wire = createOpenaiResponses();

function keysOf({ bytes }: SampleBody, memo: Map<string, unknown>): readonly string[] {
  const outcome = wire.read(bytes, memo);
  if (!outcome.ok) throw new Error(outcome.words);
  return outcome.source.transcript.items.map(({ key }) => key);
}

/** By recording: how many requests have all keys of the one before them in front, and how many do not. */
function countsOf(bodies: readonly SampleBody[]): Record<string, readonly [number, number]> {
  const counts: Record<string, readonly [number, number]> = {};
  const last = new Map<string, readonly string[]>();
  const memo = new Map<string, unknown>();
  for (const body of bodies) {
    const folder = dirname(body.name);
    const keys = keysOf(body, memo);
    const before = last.get(folder);
    const isNext = before?.every((key, index) => keys[index] === key) === true;
    const [goOn, begin] = counts[folder] ?? [0, 0];
    counts[folder] = isNext ? [goOn + 1, begin] : [goOn, begin + 1];
    last.set(folder, keys);
  }
  return counts;
}

describe.skipIf(recordedSessions === null)("conversations of real clients", () => {
  const bodies =
    recordedSessions === null ? [] : recordedRequests(recordedSessions, (path) => path.endsWith("/responses"));

  // Codex sums up five times in the third one and begins anew; opencode asks for a title first; the SDKs talk three times.
  it("go on with the keys that they had, request by request", () => {
    expect(countsOf(bodies)).toEqual({
      "codex/c1-basic": [4, 1],
      "codex/c2-resume": [4, 1],
      "codex/c4-compact": [11, 6],
      "codex/c5-builtin-provider": [3, 1],
      "opencode/o3-responses": [4, 2],
      "pi/p3-responses": [4, 1],
      sdk: [2, 2],
    });
  });
});
