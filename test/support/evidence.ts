import { createClaudeCodeDialect } from "../../src/dialects/claude-code.ts";
import type { EvidenceSources } from "../../src/engine/evidence.ts";
import { type ObservedTranscript, observe } from "../../src/engine/observe.ts";
import { readFacts } from "../../src/engine/reads.ts";
import { createShellParser } from "../../src/keeper/shell-parser.ts";
import type { ReadFact } from "../../src/model/acquisition.ts";
import type { Dialect } from "../../src/model/ports.ts";
import { calls, type PartsMessage, results, says, sourceOf } from "./source.ts";

/** Every kind of evidence counts. */
export const ALL_SOURCES: EvidenceSources = { bashEdits: true, harnessNotices: true, shellReads: true };

/** What a transcript means: its observations, and the fact of a read by call id. */
export interface Evidence {
  readonly observed: ObservedTranscript;
  readonly facts: readonly ReadFact[];
  factOf(callId: string): ReadFact | undefined;
  /** `stale`, `superseded`, `fresh`, or null for what is no read. */
  classOf(callId: string): string | null;
}

export function evidenceOf(
  messages: readonly PartsMessage[],
  sources: EvidenceSources = ALL_SOURCES,
  dialect: Dialect = createClaudeCodeDialect(),
): Evidence {
  const source = sourceOf([says("go"), ...messages]);
  const observed = observe(source, dialect, createShellParser(), new Map());
  const facts = readFacts(observed, sources);
  const factOf = (callId: string) => {
    const placed = observed.acquisitions.find(({ acquisition }) => acquisition.callId === callId);
    return placed?.resultKey == null ? undefined : facts.get(placed.resultKey);
  };
  const classOf = (callId: string) => {
    const fact = factOf(callId);
    if (fact === undefined) return null;
    return fact.stale !== null ? "stale" : fact.superseded !== null ? "superseded" : "fresh";
  };
  return { observed, facts: [...facts.values()], factOf, classOf };
}

/** One call and its result as one step. */
export function step(id: string, name: string, input: Readonly<Record<string, string | number>>, text: string) {
  return [calls([id, name, input]), results([id, text])];
}

export const CONTENT = "1\tone\n2\ttwo\n3\tthree";
export const EDITED = "The file has been updated successfully.";

export function read(id: string, path = "/w/f.ts", text = CONTENT): readonly PartsMessage[] {
  return step(id, "Read", { file_path: path }, text);
}

export function edit(id: string, path = "/w/f.ts"): readonly PartsMessage[] {
  return step(id, "Edit", { file_path: path, old_string: "one", new_string: "two" }, EDITED);
}

export function bash(id: string, command: string, text = ""): readonly PartsMessage[] {
  return step(id, "Bash", { command }, text);
}
