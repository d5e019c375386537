import { deepEqual, equal, notEqual, ok } from "node:assert/strict";
import { sha256Hex } from "../../../src/lib/hash.ts";
import type { Edit } from "../../../src/model/edit.ts";
import type { Item } from "../../../src/model/item.ts";
import type { Wire } from "../../../src/model/ports.ts";
import { createLawChecker } from "../../../src/replay/law-checker.ts";
import { testWire } from "../../../src/testing/test-wire.ts";

/** What became of the bodies. */
export interface FuzzTally {
  bodies: number;
  /** Of them, those that a wire reads. */
  read: number;
  /** Texts and media that gave way, all bodies together. */
  replaced: number;
  /** Bodies on which the whole kit of the port was run. */
  checked: number;
}

const MARKER = '[ebb 0123456789ab] left, "quoted" \\ é 😀';
const BESIDE: readonly string[] = ["never worse: "];
/** What `node:assert`, by which the kit compares, cannot compare: it goes down by recursion. */
const DEEP = "[".repeat(1_000);
/** The whole kit is run on one body in so many. */
const KIT_EVERY = 25;

/**
 * Reads a body and writes it with all that can give way replaced; fails where either throws, where a byte differs beside that, by the
 * independent checker, or where what was written is not read as it was.
 */
export function checkFuzzed(wire: Wire, bytes: Uint8Array, tally: FuzzTally): void {
  tally.bodies++;
  const came = Buffer.from(bytes);
  const memo = new Map<string, unknown>();
  const outcome = wire.read(bytes, memo);
  if (!outcome.ok) {
    notEqual(outcome.words, "");
    return;
  }
  tally.read++;
  const { source } = outcome;
  const { items } = source.transcript;
  deepEqual(wire.write(bytes, source, []), [bytes]);
  for (const item of items) equal(sha256Hex(source.originalOf(item)), item.digest);
  const leaving = items.filter(isReplaceable);
  const script = leaving.map(({ key }): Edit => ({ kind: "replace", itemKey: key, text: MARKER }));
  const written = Buffer.concat(wire.write(bytes, source, script));
  ok(came.equals(bytes), "the body that came was written into");
  tally.replaced += script.length;
  const { violations } = createLawChecker().check({
    conversation: "one",
    wire: wire.name,
    original: bytes,
    forwarded: written,
    declared: new Set(),
    edits: [],
    insertions: new Set(),
  });
  deepEqual(
    violations.filter((words) => !BESIDE.some((law) => words.startsWith(law))),
    [],
  );
  const again = wire.read(written, memo);
  ok(again.ok, "what was written is refused");
  equal(again.source.transcript.messages.length, source.transcript.messages.length);
  if (tally.read % KIT_EVERY !== 0 || came.includes(DEEP)) return;
  tally.checked++;
  for (const check of testWire({ wire, bodies: [{ name: "it", bytes }], reshapes: [] })) check.run();
}

function isReplaceable(item: Item): boolean {
  return (item.kind === "result" || item.kind === "media") && item.isReplaceable;
}
