import { describe, expect, it } from "vitest";
import { addressOf } from "../lib/hash.ts";
import { type MarkerInput, renderMarker, renderStubRepair } from "./marker.ts";

const ADDRESS = addressOf("result:toolu_1:abc");

function input(changes: Partial<MarkerInput>): MarkerInput {
  return {
    address: ADDRESS,
    recalledFrom: null,
    label: { tool: "Read", path: "/w/a.ts", lineStart: 1, lineEnd: 200, command: null },
    reason: "stale",
    proof: "edit",
    mode: "full",
    channel: { kind: "command", command: "ebb recall" },
    bytes: 7431,
    lines: 200,
    tokens: 2_000,
    isError: false,
    media: null,
    text: () => "",
    ...changes,
  };
}

describe("a marker", () => {
  it("names what it was, why it left, its address and the exact recall call", () => {
    expect(renderMarker(input({}))).toBe(
      `[ebb ${ADDRESS}] Read /w/a.ts lines 1-200, 200 lines, 7431 bytes: only this view was shortened, not the file. ` +
        `The file was modified later in this conversation (the edit follows below). Full text: ebb recall ${ADDRESS}`,
    );
  });

  it("carries nothing that a terminal would obey", () => {
    const label = {
      tool: "Bash",
      path: null,
      lineStart: null,
      lineEnd: null,
      command: "echo \u001b[31m\u0007red\u009b0m",
    };
    const marker = renderMarker(input({ label }));
    expect(marker).toContain("Bash echo  [31m red 0m,");
    expect(marker).not.toMatch(/\p{Cc}/u);
  });

  it.each([
    ["command", "in this conversation (a command that changed it follows below). Full"],
    ["notice", "in this conversation (a notice of it follows below). Full"],
    [null, "in this conversation. Full"],
  ] as const)("names the proof as what it is: %s", (proof, words) => {
    expect(renderMarker(input({ proof }))).toContain(words);
    expect(renderMarker(input({ proof, reason: "superseded" }))).not.toContain("follows");
  });

  it("leaves the call out in summary mode and everything but the address in off mode", () => {
    expect(renderMarker(input({ mode: "summary" }))).not.toContain("ebb recall");
    expect(renderMarker(input({ mode: "off" }))).toBe(`[ebb ${ADDRESS}]`);
  });

  it("prints the address in every mode, form and reason", () => {
    for (const mode of ["full", "summary", "off"] as const) {
      for (const reason of ["stale", "superseded", "over_bound"] as const) {
        for (const tokens of [10, 10_000]) expect(renderMarker(input({ mode, reason, tokens }))).toContain(ADDRESS);
      }
    }
  });

  it("names no recall where the lineage can reach none, and the tool where one is offered", () => {
    expect(renderMarker(input({ channel: { kind: "none" } }))).not.toContain("recall");
    expect(renderMarker(input({ channel: { kind: "tool", name: "mcp__ebb__recall" } }))).toContain(
      `mcp__ebb__recall(id="${ADDRESS}")`,
    );
  });

  it("claims no more than the transcript proves and gives no orders", () => {
    for (const reason of ["stale", "superseded", "over_bound", "stub_repair"] as const) {
      const text = renderMarker(input({ reason }));
      expect(text).not.toMatch(/identical|wrong|no longer needed|ignore|re-?read|run it again|please|must/i);
      expect(text).not.toMatch(/<[a-z]/i);
    }
  });

  it("keeps a numbered head of an over-bound result, at most 6 lines of 120 characters", () => {
    const text = Array.from({ length: 20 }, (_, index) => `${index} ${"x".repeat(300)}`).join("\n");
    const lines = renderMarker(input({ reason: "over_bound", text: () => text, lines: 20 })).split("\n");
    expect(lines).toHaveLength(7);
    expect(lines[1]).toBe(`1: 0 ${"x".repeat(118)}`);
  });

  it("keeps the first lines and the last line of a released error in view", () => {
    const text = `Exit code 1\n${"noise\n".repeat(50)}2 failed\n`;
    const marker = renderMarker(input({ reason: "over_bound", isError: true, lines: 52, text: () => text }));
    expect(marker).toContain("\n1: Exit code 1");
    expect(marker.endsWith("\n52: 2 failed")).toBe(true);
  });

  it("stands on one line however a path or command was written", () => {
    const label = { tool: "Bash", path: null, lineStart: null, lineEnd: null, command: "a\nb\r\n\tc" };
    expect(renderMarker(input({ label }))).not.toMatch(/[\r\n\t]/);
  });

  it("never cuts a surrogate pair in its head", () => {
    const marker = renderMarker(input({ reason: "over_bound", text: () => "😀".repeat(200), lines: 1 }));
    expect(marker).not.toMatch(/[\ud800-\udbff](?![\udc00-\udfff])/);
  });
});

describe("the repair of an unchanged answer", () => {
  it("points to the earlier read and how it comes back", () => {
    const text = renderStubRepair(ADDRESS, { kind: "command", command: "ebb recall" });
    expect(text).toContain(`ebb recall ${ADDRESS}`);
  });
});
