import { describe, expect, it } from "vitest";
import type { NetEffect, Report, ReportedItem } from "../model/report.ts";
import { renderReport } from "./report-format.ts";

const ITEM: ReportedItem = {
  address: "4k7q0m2x9v1c",
  label: "Bash echo `x` | y",
  bytes: 7,
  how: "acquired",
  state: "held",
  left: null,
  turn: 1,
  step: 2,
};
const CHANGED: NetEffect = {
  kind: "changed",
  isWhole: true,
  words: "the whole difference",
  parts: [
    {
      hasLines: true,
      hunks: [{ before: { start: 1, count: 1 }, after: { start: 1, count: 1 }, lines: ["-```", "+````js"] }],
    },
  ],
};

function reportOf(parts: Partial<Report>): Report {
  return {
    lineage: "l",
    sessionId: null,
    scope: null,
    until: { turn: 2, step: 9 },
    items: [ITEM],
    files: [{ path: "/w/*a*.ts", cell: null, changes: [], net: CHANGED }],
    ...parts,
  };
}

describe("a rendered report", () => {
  it("keeps Markdown of files, names and reasons from being read as the report's own", () => {
    const scope = { name: "tmp_x", reason: "<b>\n# not a title", opened: { turn: 1, step: 1 }, ended: null };
    const text = renderReport(reportOf({ scope }), "markdown");
    expect(text.split("\n").filter((line) => line.startsWith("# "))).toEqual([
      "# report of tmp\\_x: \\<b\\> \\# not a title",
    ]);
    expect(text).toContain("`````diff\n@@ -1,1 +1,1 @@\n-```\n+````js\n`````");
    expect(text).toContain("`` Bash echo `x` | y ``");
    expect(text).toContain("### `/w/*a*.ts`");
  });

  it("says in text where each item stands", () => {
    const items: readonly ReportedItem[] = [
      { ...ITEM, state: "asked", how: "declared" },
      { ...ITEM, state: "folded" },
      { ...ITEM, state: "kept", left: { reason: "kept", moment: "deliberate", turn: 1, step: 5 } },
      { ...ITEM, state: "released", left: { reason: "stale", moment: "cold", turn: 2, step: 7 } },
    ];
    const lines = renderReport(reportOf({ items, files: [] }), "text").split("\n");
    expect(
      lines.filter((line) => line.includes("bytes")).map((line) => line.slice(line.indexOf("bytes, ") + 7)),
    ).toEqual([
      "held with the scope, held and asked to leave",
      "acquired at turn 1, step 2, left with the client's own compaction",
      "acquired at turn 1, step 2, kept in part at turn 1, step 5 (kept, deliberate)",
      "acquired at turn 1, step 2, left at turn 2, step 7 (stale, cold)",
    ]);
  });

  it("keeps names and reasons to their line", () => {
    const scope = { name: "tmp_x", reason: "a\nchanged: 9 files\u001b[2J", opened: { turn: 1, step: 1 }, ended: null };
    const path = "/w/a\n  net: nothing";
    const text = renderReport(reportOf({ scope, files: [{ path, cell: null, changes: [], net: CHANGED }] }), "text");
    expect(text.split("\n").filter((line) => /^(changed| {2}net):/.test(line))).toEqual([
      "changed: 1 file",
      "  net: the whole difference",
    ]);
    expect(text).not.toContain("\u001b");
  });

  it("is the value itself as JSON", () => {
    const report = reportOf({});
    expect(JSON.parse(renderReport(report, "json"))).toEqual(report);
  });
});
