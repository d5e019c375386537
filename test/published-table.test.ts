import { readFileSync } from "node:fs";
import { join } from "node:path";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, test } from "vitest";
import { createClaudeCodeDialect } from "../src/dialects/claude-code.ts";
import { observe } from "../src/engine/observe.ts";
import { readFacts } from "../src/engine/reads.ts";
import type { JsonValue } from "../src/model/json.ts";
import { recordedSessions } from "./support/shared.ts";
import { calls, type PartsMessage, results, says, sourceOf } from "./support/source.ts";

interface RecordedSession {
  readonly calls: readonly { readonly tool: string; readonly args: JsonValue; readonly out: string }[];
}

type Count = readonly [reads: number, tokens: number];

describe.skipIf(recordedSessions === null)("the published table of read classes", () => {
  test("comes out of the recorded calls: 15 stale, none superseded, 19 fresh", () => {
    const file = join(recordedSessions ?? "", "sessions/anthropic-messages/cg-read-lifecycle.json");
    const sessions: readonly RecordedSession[] = JSON.parse(readFileSync(file, "utf8"));
    const reads = sessions.flatMap(classesOf);
    expect(reads).toHaveLength(34);
    expect(totalOf(reads, "stale")).toEqual([15, 6_889]);
    expect(totalOf(reads, "superseded")).toEqual([0, 0]);
    expect(totalOf(reads, "fresh")).toEqual([19, 25_761]);
  });
});

function classesOf(session: RecordedSession): readonly { readonly name: string; readonly tokens: number }[] {
  const steps = session.calls.flatMap(({ tool, args, out }, index): readonly PartsMessage[] => [
    calls([`call${index}`, tool, args]),
    results([`call${index}`, out]),
  ]);
  const source = sourceOf([says("go"), ...steps]);
  const observed = observe(source, createClaudeCodeDialect(), null, new Map());
  const facts = readFacts(observed, { bashEdits: false, harnessNotices: true, shellReads: false });
  return source.transcript.items.flatMap((item) => {
    const fact = facts.get(item.key);
    if (fact === undefined) return [];
    const name = fact.stale !== null ? "stale" : fact.superseded !== null ? "superseded" : "fresh";
    return [{ name, tokens: countTokens(source.textOf(item)) }];
  });
}

function totalOf(reads: readonly { readonly name: string; readonly tokens: number }[], name: string): Count {
  const own = reads.filter((read) => read.name === name);
  return [own.length, own.reduce((sum, read) => sum + read.tokens, 0)];
}
