import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { recordedSessions } from "../../test/support/shared.ts";
import { observe } from "../engine/observe.ts";
import { readFacts } from "../engine/reads.ts";
import { createShellParser } from "../keeper/shell-parser.ts";
import type { WireSource } from "../model/ports.ts";
import { createAnthropicMessages } from "../wires/anthropic-messages/index.ts";
import { createClaudeCodeDialect } from "./claude-code.ts";
import { createPiDialect } from "./pi.ts";

const NOTICES_ALONE = { bashEdits: false, harnessNotices: true, shellReads: false };
const shell = createShellParser();

/** The last request of a recorded conversation whose tools are the agent's own. */
function lastOf(folder: string): { readonly source: WireSource; readonly userAgent: string | null } {
  const place = join(recordedSessions ?? "", "wire", folder);
  const bodies = readdirSync(place)
    .filter((name) => name.endsWith("_messages.json"))
    .map((name) => JSON.parse(readFileSync(join(place, name), "utf8")))
    .filter(({ bodyRaw }) => JSON.parse(bodyRaw).tools?.length > 3);
  const { bodyRaw, headers } = bodies.at(-1);
  const outcome = createAnthropicMessages().read(Buffer.from(bodyRaw), { get: () => undefined, set: () => {} });
  if (!outcome.ok) throw new Error(outcome.words);
  const agent = headers.find(([name]: readonly string[]) => name?.toLowerCase() === "user-agent");
  return { source: outcome.source, userAgent: agent?.[1] ?? null };
}

function classesOf(source: WireSource, dialect = createClaudeCodeDialect()): readonly string[] {
  const observed = observe(source, dialect, shell, new Map());
  return Array.from(readFacts(observed, NOTICES_ALONE).values(), ({ path, stale, superseded }) => {
    const name = path.slice(path.lastIndexOf("/") + 1);
    return `${name} ${stale !== null ? "stale" : superseded !== null ? "superseded" : "fresh"}`;
  });
}

describe.skipIf(recordedSessions === null)("recorded requests of real clients", () => {
  test.each(["p1-basic", "p3-tools", "p9-old-1.0.113", "p10-2.0.75"])("Claude Code is recognised in %s", (name) => {
    const { source, userAgent } = lastOf(`claude-code/${name}`);
    expect(createClaudeCodeDialect().recognises(source.transcript.header, userAgent)).toBe(true);
    expect(createPiDialect().recognises(source.transcript.header, userAgent)).toBe(false);
  });

  test.each(["p1-basic", "p9-old-1.0.113", "p10-2.0.75"])("an edit makes the read before it stale in %s", (name) => {
    expect(classesOf(lastOf(`claude-code/${name}`).source)).toEqual(["hello.txt stale", "hello.txt fresh"]);
  });

  test("the client's own notice of a shell edit makes every read before it stale", () => {
    const { source } = lastOf("claude-code/p3-tools");
    expect(classesOf(source)).toEqual(["big.txt stale", "big.txt stale", "big.txt stale", "big.txt fresh"]);
    const observed = observe(source, createClaudeCodeDialect(), shell, new Map());
    expect(observed.workingDirectory).toMatch(/\/ws\/p3$/);
    expect([observed.turns, observed.steps, observed.isFolded]).toEqual([1, 9, false]);
    const outcomes = observed.acquisitions.map(({ acquisition }) => `${acquisition.tool} ${acquisition.outcome}`);
    expect(outcomes).toContain("recall failed");
    expect(outcomes.filter((one) => one.endsWith("failed"))).toHaveLength(3);
  });

  test("pi's reads are seen without line numbers", () => {
    expect(classesOf(lastOf("pi/p1-anthropic").source, createPiDialect())).toEqual([
      "hello.txt stale",
      "hello.txt fresh",
    ]);
  });
});
