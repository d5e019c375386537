import { describe, expect, it } from "vitest";
import { deletionOf, type Leaving, noteOf } from "./cache-edit-note.ts";

const READ: Leaving = {
  item: { key: "k1", digest: "d1", bytes: 1200, lines: 40 },
  address: "4k7q0m2x9v1c",
  recalledFrom: null,
  label: { tool: "Read", path: "src/a.ts", lineStart: 1, lineEnd: 40, command: null },
  reason: "stale",
  mode: "full",
  channel: { kind: "command", command: "npx ebb recall" },
  tokens: 300,
};
const RUN: Leaving = {
  ...READ,
  item: { key: "k2", digest: "d2", bytes: 90, lines: 1 },
  address: "9v1c4k7q0m2x",
  label: { tool: "Bash", path: null, lineStart: null, lineEnd: null, command: "npm\ntest" },
  reason: "expired",
};
const note = (...leaving: readonly Leaving[]) => noteOf(leaving.map(deletionOf));
const HEAD = "Only this view was shortened, not the files. These tool results left it:";
const READ_LINE = "[ebb 4k7q0m2x9v1c] Read src/a.ts lines 1-40, 40 lines, 1200 bytes: its file was modified later";
const RUN_LINE = "[ebb 9v1c4k7q0m2x] Bash npm test, 1 line, 90 bytes: its lifetime was over";

describe("the note of what left a cache", () => {
  it("names what left, why, its address and the recall call", () => {
    expect(note(READ)).toBe(`${HEAD}\n${READ_LINE}\nFull text: npx ebb recall 4k7q0m2x9v1c`);
  });

  it("gives one call for several results", () => {
    expect(note(READ, RUN)).toBe(
      `${HEAD}\n${READ_LINE}\n${RUN_LINE}\nFull text: npx ebb recall 4k7q0m2x9v1c (the others alike, by their addresses)`,
    );
  });

  it("names the recall tool where the request offers it", () => {
    const channel = { kind: "tool", name: "mcp__ebb__recall" } as const;
    expect(note({ ...READ, channel })).toContain('\nFull text: mcp__ebb__recall(id="4k7q0m2x9v1c")');
  });

  it("leads to the original where the result was itself recalled", () => {
    expect(note({ ...READ, recalledFrom: "000000000000" })).toContain("npx ebb recall 000000000000");
  });

  it.each<[string, Partial<Leaving>]>([
    ["in the short mode", { mode: "summary" }],
    ["where no recall is reachable", { channel: { kind: "none" } }],
  ])("has no call %s", (_, parts) => {
    expect(note({ ...READ, ...parts })).toBe(`${HEAD}\n${READ_LINE}`);
  });

  it("has every address even where nothing else is said", () => {
    expect(note({ ...READ, mode: "off" }, { ...RUN, mode: "off" })).toBe("[ebb 4k7q0m2x9v1c] [ebb 9v1c4k7q0m2x]");
    expect(note({ ...READ, mode: "off" }, RUN)).toBe(
      `${HEAD}\n[ebb 4k7q0m2x9v1c]\n${RUN_LINE}\nFull text: npx ebb recall 9v1c4k7q0m2x (the others alike, by their addresses)`,
    );
  });
});
