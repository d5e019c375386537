import { describe, expect, it } from "vitest";
import { inlineDefinitions } from "../../src/mcp/inline-definitions.ts";
import type { PlacedAside, WireSource } from "../../src/model/ports.ts";
import { withoutAsides } from "../../src/replay/law-asides.ts";
import { createLawChecker } from "../../src/replay/law-checker.ts";
import { createAnthropicMessages } from "../../src/wires/anthropic-messages/index.ts";
import { INLINE } from "../../src/wires/anthropic-messages/inline.ts";
import { recordedBodies } from "../support/recorded-bodies.ts";
import { recordedSessions } from "../support/shared.ts";

const wire = createAnthropicMessages();
const TOOLS = INLINE.toolsJson(inlineDefinitions("recall"));

interface Body {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly source: WireSource;
}

const bodies = recordedSessions === null ? [] : readable(recordedSessions);

describe.skipIf(recordedSessions === null)("what real clients sent", () => {
  it("has tools and asides put in, and every other byte as it came, by a checker of its own", () => {
    const counts = { offered: 0, asides: 0, thinking: 0 };
    for (const { name, bytes, source } of bodies) {
      const { toolNames } = source.transcript.header;
      const asides = roundsIn(source);
      const tools = toolNames.length > 0 && !toolNames.includes("ebb_recall") ? TOOLS : null;
      const forwarded = INLINE.insert(bytes, source, { tools, asides });
      if (forwarded === null) throw new Error(`${name}: no place`);
      const blocks = asides.map(({ calls, results }) => ({ calls: calls.map(({ json }) => json), results }));
      const { body, violations } = withoutAsides({ original: bytes, forwarded, asides: blocks, tools });
      const nothing = { declared: new Set<string>(), edits: [], insertions: new Set<string>() };
      const checked = createLawChecker().check({ conversation: name, original: bytes, forwarded: body, ...nothing });
      expect([name, ...violations, ...checked.violations]).toEqual([name]);
      expect(callsIn(forwarded)).toBe(callsIn(bytes) + asides.length);
      counts.offered += tools === null ? 0 : 1;
      counts.asides += asides.length;
      counts.thinking += source.transcript.items.filter(({ kind }) => kind === "thinking").length;
    }
    expect(bodies.length).toBeGreaterThanOrEqual(100);
    expect(counts.offered).toBeGreaterThan(50);
    expect(counts.asides).toBeGreaterThan(100);
    expect(counts.thinking).toBeGreaterThan(0);
  });
});

function readable(folder: string): readonly Body[] {
  return recordedBodies(folder).flatMap(({ name, bytes }) => {
    const read = wire.read(bytes, new Map());
    return read.ok ? [{ name, bytes, source: read.source }] : [];
  });
}

/** A round in the middle of every message of the model that shows something. */
function roundsIn(source: WireSource): readonly PlacedAside[] {
  return source.transcript.messages.flatMap(({ role }, messageIndex) => {
    const marks = role === "assistant" ? INLINE.marksOf(source, messageIndex) : [];
    const middle = marks[Math.floor(marks.length / 2)]?.blockIndex;
    if (middle === undefined) return [];
    const id = `toolu_own${messageIndex}`;
    const json = JSON.stringify({ type: "tool_use", id, name: "ebb_recall", input: { id: "0123456789ab" } });
    const answer = { content: [{ type: "text", text: `answer ${messageIndex}` }], failure: null } as const;
    const results = [INLINE.resultJson(id, answer)];
    return [{ messageIndex, calls: [{ blockIndex: middle, json }], partedAt: middle, results }];
  });
}

function callsIn(body: Uint8Array): number {
  const read = wire.read(body, new Map());
  if (!read.ok) throw new Error(read.words);
  return read.source.transcript.items.filter(({ kind }) => kind === "call").length;
}
