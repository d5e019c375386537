import { describe, expect, it } from "vitest";
import { RESPONSES } from "../../test/support/wires/responses.ts";
import { WIRE_NAMES } from "../../test/support/wires/writers.ts";
import { wires } from "../builtins.ts";
import type { ResponseWatcher, Wire } from "../model/ports.ts";
import type { ResponseFacts } from "../model/usage.ts";
import { testWire } from "./test-wire.ts";
import { factsOfWhole } from "./test-wire-responses.ts";

const samplesOf = (name: string) => WIRE_NAMES.flatMap((known) => (known === name ? RESPONSES[known] : []));
const checksOf = (wire: Wire, name: string) => testWire({ wire, bodies: [], reshapes: [], responses: samplesOf(name) });

describe.each(wires.map((wire) => ({ name: wire.name, wire })))("$name", ({ name, wire }) => {
  for (const check of checksOf(wire, name)) it(check.name, check.run);

  it.each(samplesOf(name))("learns what $name says", (sample) => {
    const { usage, isComplete, errorType, calls } = factsOfWhole(wire, sample);
    expect([isComplete, errorType, usage?.cacheReadTokens]).toEqual([true, null, 70]);
    expect(calls.map((call) => call.name)).toEqual(sample.calls);
  });
});

const FACTS: ResponseFacts = {
  usage: null,
  messageId: null,
  stopReason: null,
  errorType: null,
  calls: [],
  isComplete: false,
};

/** A watcher that answers the texts of its chunks, read in some way, as the message's id. */
function watcherOf(read: (chunks: readonly Uint8Array[]) => string, keep: (chunk: Uint8Array) => Uint8Array) {
  return (): ResponseWatcher => {
    const chunks: Uint8Array[] = [];
    return {
      push: (chunk) => void chunks.push(keep(chunk)),
      finish() {
        const messageId = read(chunks);
        return { ...FACTS, messageId, isComplete: messageId.endsWith("\n\n") };
      },
    };
  };
}

const copy = (chunk: Uint8Array) => Buffer.from(chunk);
const together = (chunks: readonly Uint8Array[]) => Buffer.concat(chunks).toString("utf8");

describe("a watcher that", () => {
  const [wire] = wires;
  const run = (watch: () => ResponseWatcher, title: string) => {
    if (wire === undefined) throw new Error("there is no wire");
    const [sample] = RESPONSES["anthropic-messages"];
    const checks = testWire({ wire: { ...wire, watch }, bodies: [], reshapes: [], responses: sample ? [sample] : [] });
    return checks.find(({ name }) => name.includes(title))?.run;
  };

  it.each([
    [
      "cut",
      watcherOf((chunks) => chunks.map((chunk) => Buffer.from(chunk).toString()).join(""), copy),
      "at byte|inside",
    ],
    ["cut", watcherOf((chunks) => `${chunks.length}\n\n`, copy), "cut at byte"],
    ["cut", watcherOf(() => "", copy), "nothing says how it ended"],
    ["memory", watcherOf(together, (chunk) => chunk), "."],
    ["whole only", watcherOf((chunks) => `${together(chunks)}\n\n`, copy), "half of it counts"],
    [
      "whole only",
      watcherOf((chunks) => {
        const text = together(chunks);
        if (text.includes("\ufffd")) throw new Error("a damaged response");
        return text;
      }, copy),
      "a damaged response",
    ],
  ])("fails the check of what is %s (%#)", (title, watch, words) => {
    expect(run(watch, title)).toThrow(new RegExp(words));
  });

  it("reads all chunks together passes every check", () => {
    const sound = watcherOf(together, copy);
    for (const title of ["cut", "memory", "whole only"]) expect(run(sound, title)).not.toThrow();
  });
});
