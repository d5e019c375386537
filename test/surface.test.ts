import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { describe, expect, test } from "vitest";
import { COMMANDS } from "../src/cli/commands.ts";
import { environmentNameOf, flagOf, optionEntries } from "../src/config/options.ts";
import { PRESETS } from "../src/config/presets.ts";
import { MARKER_TEMPLATE_VERSION, type MarkerInput, renderMarker, renderStubRepair } from "../src/engine/marker.ts";
import { LEDGER_VERSION } from "../src/model/ledger.ts";

/** What people and other programs rely on. A change here is a change for them: say so in the changelog. */
describe("the surface", () => {
  test("has these commands", () => {
    expect(COMMANDS.map((command) => command.name)).toEqual([
      "run",
      "proxy",
      "init",
      "remove",
      "analyze",
      "replay",
      "inspect",
      "recall",
      "keep",
      "release",
      "hold",
      "protect",
      "window",
      "report",
      "mcp",
      "hook",
      "stats",
      "status",
      "doctor",
      "pause",
      "resume",
      "eject",
      "purge",
      "simulate",
      "docs",
    ]);
  });

  test("has these flags", () => {
    const flags = COMMANDS.map((command) => [command.name, command.flags.map((flag) => flag.name).join(" ")]);
    expect(Object.fromEntries(flags)).toEqual({
      run: "observe fresh quiet check",
      proxy: "",
      init: "project dry-run replace yes",
      remove: "project dry-run force yes",
      analyze: "scope json",
      replay: "json compare reanchor cold-at provider model",
      inspect: "request",
      recall: "range pattern ignore-case chars session raw output",
      keep: "range reason session last",
      release: "path latest scope reason session last",
      hold: "path latest turns steps scope off reason session last",
      protect: "path latest turns steps scope off reason session last",
      window: "session last json",
      report: "format session last",
      mcp: "spare",
      hook: "",
      stats: "json",
      status: "session stdin json",
      doctor: "json",
      pause: "",
      resume: "",
      eject: "last json",
      purge: "session older-than all yes",
      simulate: "port scenario capture skip-signatures",
      docs: "folder check",
    });
  });

  test("has these options with these defaults", () => {
    expect(Object.fromEntries(optionEntries().map(([key, option]) => [key, option.default]))).toEqual({
      host: "127.0.0.1",
      port: 4141,
      upstream: "https://api.anthropic.com",
      upstreams: {},
      mode: "enforce",
      data_folder: null,
      record: null,
      preset: "standard",
      pipeline: null,
      bound: { lines: 16_384, bytes: 262_144 },
      "components.sizebound.marker_mode": "full",
      "components.readlifecycle.min_tokens": 100,
      "components.readlifecycle.stale": true,
      "components.readlifecycle.superseded": true,
      "components.readlifecycle.bash_edits": false,
      "components.readlifecycle.stale_at_depth": false,
      "components.readlifecycle.cold_cache": false,
      "components.readlifecycle.marker_mode": "full",
      "components.readlifecycle.quiet_steps": 0,
      lifetimes: [],
      media: {},
      pays: false,
      attention_price: 0,
      pressure_tokens: null,
      spare_breakpoint: true,
      bound_thinking: "hold",
      server_clear: false,
      models: {},
      cache_edits: null,
      dialect: "auto",
      dialects: {},
      deliberate: "next",
      inline_tools: "recall",
      inline_tools_on_subscription: false,
      harness_notices: true,
      shell_reads: "auto",
      never_store: [
        ".env*",
        "*.pem",
        "*.key",
        "*.p12",
        "*.pfx",
        "*.keystore",
        "id_rsa*",
        "id_dsa*",
        "id_ecdsa*",
        "id_ed25519*",
      ],
      retention_days: 30,
      disk_max_bytes: 10_737_418_240,
      recall_command: "ebb recall",
      log_level: "warn",
    });
  });

  test("names options by rule in environment and flags", () => {
    expect(environmentNameOf("components.readlifecycle.min_tokens")).toBe("EBB_READLIFECYCLE_MIN_TOKENS");
    expect(environmentNameOf("data_folder")).toBe("EBB_DATA_FOLDER");
    const flagged = optionEntries().filter(([, option]) => option.hasFlag);
    expect(flagged.map(([key]) => flagOf(key))).toEqual([
      "--host",
      "--port",
      "--upstream",
      "--mode",
      "--data-folder",
      "--record",
      "--bound",
      "--log-level",
    ]);
  });

  test("has these presets", () => {
    expect(PRESETS).toEqual({
      standard: {
        pipeline: ["sizebound", "readlifecycle"],
        values: {
          pays: true,
          "components.readlifecycle.cold_cache": true,
          "components.readlifecycle.quiet_steps": 1,
        },
      },
      tidy: {
        pipeline: ["sizebound", "readlifecycle"],
        values: {
          pays: true,
          "components.readlifecycle.cold_cache": true,
          "components.readlifecycle.quiet_steps": 1,
          lifetimes: [
            { media: "image", steps: 3 },
            { kinds: ["fetch"], turns: 2 },
            { kinds: ["run"], steps: 20 },
          ],
        },
      },
    });
  });

  test("writes markers in these words", () => {
    const address = "4k7q0m2x9v1c";
    const marker = (changes: Partial<MarkerInput>) =>
      renderMarker({
        address,
        recalledFrom: null,
        label: { tool: "Read", path: "/src/a.ts", lineStart: 1, lineEnd: 80, command: null },
        reason: "let_go",
        proof: null,
        mode: "full",
        channel: { kind: "command", command: "ebb recall" },
        bytes: 3_120,
        lines: 80,
        tokens: 900,
        isError: false,
        media: null,
        text: () => "",
        ...changes,
      });
    const what = `[ebb ${address}] Read /src/a.ts lines 1-80, 80 lines, 3120 bytes:`;
    const tool = { kind: "tool", name: "mcp__ebb__recall" } as const;
    expect(marker({})).toBe(
      `${what} only this view was shortened, by a recorded decision. Full text: ebb recall ${address}`,
    );
    expect(marker({ channel: tool })).toBe(
      `${what} only this view was shortened, by a recorded decision. Full text: mcp__ebb__recall(id="${address}")`,
    );
    expect(marker({ channel: { kind: "none" } })).toBe(`${what} only this view was shortened, by a recorded decision.`);
    expect(marker({ reason: "expired", channel: tool })).toBe(
      `${what} only this view was shortened: its declared lifetime is over. Full text: mcp__ebb__recall(id="${address}")`,
    );
    expect(marker({ mode: "off" })).toBe(`[ebb ${address}]`);
    expect(marker({ tokens: 20 })).toBe(`[ebb ${address} let go]`);
    expect(renderStubRepair(address, tool)).toBe(
      `[ebb ${address}] The file is unchanged since an earlier read, which is not in this window. ` +
        `Full text: mcp__ebb__recall(id="${address}")`,
    );
    const image = {
      tokens: 1_300,
      bytes: 182_733,
      media: { mediaType: "image/png", dimensions: { width: 1280, height: 800 } },
    };
    const shot = `[ebb ${address}] Read /src/a.ts lines 1-80, image/png 1280x800, 182733 bytes:`;
    expect(marker({ ...image, reason: "expired" })).toBe(
      `${shot} only this view was shortened: the attachment's declared lifetime is over. The attachment itself: ebb recall ${address}`,
    );
    expect(marker({ ...image, channel: tool })).toBe(
      `${shot} only this view was shortened: the attachment left by a recorded decision. The attachment itself: mcp__ebb__recall(id="${address}")`,
    );
    expect(marker({ ...image, reason: "over_budget", channel: { kind: "none" } })).toBe(
      `${shot} only this view was shortened: the oldest attachments left, because the request was over its media budget.`,
    );
    expect(marker({ ...image, reason: "over_budget", tokens: 100 })).toBe(`[ebb ${address} over budget]`);
    expect(MARKER_TEMPLATE_VERSION).toBe(3);
  });

  test("writes this version of the ledger", () => expect(LEDGER_VERSION).toBe(1));

  test("exports these values and types from its root", () => {
    expect(exportsOf("src/index.ts")).toEqual({
      values:
        "EbbError LEDGER_VERSION SIZE_BOUND_DEFAULT addressOf asModel builtinKeeperSettings createDeliberate createInlineAnswerer createKeeper " +
        "createMediaBudget createMemoryStore createReadLifecycle createSizeBound dialects gates inlineDefinitions lifetimes openSqliteStore providers " +
        "renderReport startProxy stubRepair wires wiresWith withStatedModels",
      types:
        "AcquiredItem Acquisition Address Binding CacheRules Candidate ChangeActor ChangeText Clock Commit CommitOutcome Decision " +
        "Declaration Decline DeclineReason DeliberateOptions Dialect DiffEngine Digest EbbErrorCode Edit EjectAnswer EjectQuery Exposure " +
        "Figures FileChange FoundItem Gate Hunk HunkSide Inline InlineTools Item ItemKey ItemLabel ItemRecord Keeper KeeperRequest " +
        "KeeperSettings KeeperStats KeptRange LedgerEntry LedgerRecord Lifetime LifetimeRule LineRange MarkerMode " +
        "MediaBudgetOptions MediaFacts " +
        "Message Mode ModelFacts Moment NetEffect Order OrderAnswer OrderContext OrderFailure Original Outcome " +
        "PathDeclaration PatternEngine PlacedAcquisition Policy PolicyOpinion Prepared PriceRow Prices Proposal Provider " +
        "ProxyOptions PurgeSelection ReadFact ReadLifecycleOptions ReadMemo ReadOutcome RecallAnswer " +
        "RecallChannel RecallFailure RecallQuery RecordedWish Regret RegretFigures RegretKind ReleaseReason Removed Replacement Report " +
        "ReportAnswer ReportFormat ReportQuery ReportedBoundary ReportedChange ReportedFile ReportedItem ReportedPart " +
        "ReportedScope RequestHeader RequestPlan ResponseFacts ResponseWatcher Restoration Returning Role RunningProxy " +
        "Scope ScopeEnd Script SeenChange SessionHints ShellCommand ShellParser SizeBound SizeBoundOptions " +
        "Standing StatedCache StatedMedia StatedModel Status StatusAnswer StatusQuery Store StoreSize StoredOriginal Targets ThinkingBinding TokenCounter ToolAnswer ToolCall ToolContent ToolDefinition ToolKind " +
        "Transcript Until Usage View Window WindowAnswer WindowHold WindowItem WindowPath WindowScope Wire " +
        "WireRoute WireSource Wish",
    });
  });

  test("exports these values and types from ebb/replay", () => {
    expect(exportsOf("src/replay/index.ts")).toEqual({
      values:
        "bestSchedule checkCache createLawChecker freeSchedule inspectLines pacedConversations promptSchedule readRecording " +
        "releaseLines replayBaseline replayRecording scheduleFigures sessionFigures startSimulatedProvider",
      types:
        "AgedItem AnalysisParts Baseline CheckCause CheckParts CheckedRequest ExpiredRow FileReplay LawChecker LawFindings LawInput " +
        "LeftRow PaceParts PacedConversation PacedRequest Rates RecordedBlock RecordedContext RecordedMessage RecordedProblem " +
        "RecordedRequest Recording RecordingOutcome Remover Replaced ReplacedMedia ReplayScope ReplaySettings ReplayedRequest Schedule " +
        "ScheduleFigures Scope SessionFigures SimulatedProvider StaleRead",
    });
  });
});

/** Names a file exports, sorted. It may only list them: nothing starred, nothing declared there. */
function exportsOf(path: string): { readonly values: string; readonly types: string } {
  const text = readFileSync(join(import.meta.dirname, "..", path), "utf8");
  const values: string[] = [];
  const types: string[] = [];
  for (const statement of ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, true).statements) {
    const clause = ts.isExportDeclaration(statement) ? statement.exportClause : undefined;
    if (!ts.isExportDeclaration(statement) || clause === undefined || !ts.isNamedExports(clause)) {
      throw new Error(`${path} may only list its exports: ${statement.getText().slice(0, 60)}`);
    }
    for (const one of clause.elements) (statement.isTypeOnly || one.isTypeOnly ? types : values).push(one.name.text);
  }
  return { values: values.sort().join(" "), types: types.sort().join(" ") };
}
