import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { recordedSessions } from "../../test/support/shared.ts";
import { dialects, wires } from "../builtins.ts";
import { evidenceSourcesOf } from "../engine/evidence.ts";
import { type ObservedTranscript, observe } from "../engine/observe.ts";
import { readFacts } from "../engine/reads.ts";
import { createShellParser } from "../keeper/shell-parser.ts";
import type { WireSource } from "../model/ports.ts";

const shell = createShellParser();

interface Recorded {
  readonly source: WireSource;
  readonly userAgent: string | null;
}

/** Bodies of a folder with tools in them, read by the wire that takes their path. */
function recordedIn(folder: string): readonly Recorded[] {
  const place = join(recordedSessions ?? "", "wire", folder);
  return readdirSync(place)
    .sort()
    .flatMap((name): readonly Recorded[] => {
      const { method, url, headers, bodyRaw } = JSON.parse(readFileSync(join(place, name), "utf8"));
      const path = String(url).split("?")[0] ?? "";
      const wire = wires.find((one) => one.route(method, path) !== null);
      if (wire === undefined) throw new Error(`no wire takes ${path}`);
      const outcome = wire.read(
        Buffer.from(bodyRaw),
        { get: () => undefined, set: () => {} },
        wire.route(method, path),
      );
      if (!outcome.ok) throw new Error(outcome.words);
      const agent = headers.find(([one]: readonly string[]) => one?.toLowerCase() === "user-agent");
      const isWithTools = outcome.source.transcript.header.toolNames.length > 2;
      return isWithTools ? [{ source: outcome.source, userAgent: agent?.[1] ?? null }] : [];
    });
}

function observed({ source, userAgent }: Recorded): ObservedTranscript {
  return observe(source, dialectOf(source, userAgent), shell, new Map());
}

function dialectOf({ transcript }: WireSource, userAgent: string | null) {
  const dialect = dialects.find((one) => one.recognises(transcript.header, userAgent));
  if (dialect === undefined) throw new Error("no dialect");
  return dialect;
}

function classesOf(recorded: Recorded): readonly string[] {
  const options = { bashEdits: true, harnessNotices: true, shellReads: "auto" } as const;
  const sources = evidenceSourcesOf(options, dialectOf(recorded.source, recorded.userAgent));
  return Array.from(readFacts(observed(recorded), sources).values(), ({ path, stale, superseded }) => {
    const name = path.slice(path.lastIndexOf("/") + 1);
    return `${name} ${stale !== null ? "stale" : superseded !== null ? "superseded" : "fresh"}`;
  });
}

const AGENTS = [
  ["opencode/o1-chat", "opencode"],
  ["opencode/o2-anthropic", "opencode"],
  ["opencode/o3-responses", "opencode"],
  ["codex/c1-basic", "codex"],
  ["codex/c4-compact", "codex"],
  ["codex/c5-builtin-provider", "codex"],
  ["gemini/g1-basic", "gemini-cli"],
  ["pi/p1-anthropic", "pi"],
  ["pi/p2-chat", "pi"],
  ["pi/p3-responses", "pi"],
  ["pi/p4-gemini", "pi"],
  ["claude-code/p1-basic", "claude-code"],
] as const;

describe.skipIf(recordedSessions === null)("what real clients send in any format", () => {
  test.each(AGENTS)("%s is read as %s, by its user agent and by what it offers alone", (folder, name) => {
    for (const { source, userAgent } of recordedIn(folder)) {
      expect(dialectOf(source, userAgent).name).toBe(name);
      expect(dialectOf(source, null).name).toBe(name);
    }
  });

  test.each([
    "opencode/o1-chat",
    "opencode/o2-anthropic",
    "codex/c1-basic",
    "gemini/g1-basic",
    "pi/p1-anthropic",
    "pi/p2-chat",
    "pi/p3-responses",
    "pi/p4-gemini",
  ])("in %s an edit makes the read before it stale, and the read behind it stays", (folder) => {
    const last = recordedIn(folder).at(-1);
    if (last === undefined) throw new Error("no body");
    expect(classesOf(last)).toEqual(["hello.txt stale", "hello.txt fresh"]);
    expect(observed(last).turns).toBe(1);
  });

  test("a patch that did not fit changes nothing: the file was read again", () => {
    const last = recordedIn("opencode/o3-responses").at(-1);
    expect(last === undefined ? [] : classesOf(last)).toEqual(["hello.txt superseded", "hello.txt fresh"]);
  });

  test("Codex states its directory, and its summary is a fold", () => {
    const bodies = recordedIn("codex/c4-compact").map(observed);
    expect(bodies.every(({ workingDirectory }) => workingDirectory?.endsWith("/ws/cx"))).toBe(true);
    expect(bodies.map(({ isFolded }) => isFolded).slice(0, 4)).toEqual([false, false, true, true]);
  });
});
