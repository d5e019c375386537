import { type AnalysisReport, analyzeFiles } from "../../replay/analyze/files-analysis.ts";
import type { WhatEbbWouldDo } from "../../replay/analyze/recording-analysis.ts";
import { findSessionFiles } from "../../replay/analyze/session-files.ts";
import type { AnalysisParts } from "../../replay/analyze/understood-history.ts";
import type { OpenTables } from "../../replay/readers/tables.ts";
import type { Recording, Scope } from "../../replay/recording.ts";
import type { ExitCode } from "../command.ts";
import { createLateBar } from "../late-bar.ts";
import { renderReport } from "./analyze-report.ts";

/** A replay of one recording that tells of every request it has done. */
export type WatchedWouldDo = (recording: Recording, onRequest: () => void) => ReturnType<WhatEbbWouldDo>;

/** Part of the progress that reading a file makes; its replay makes the rest. */
const READING_SHARE = 0.1;

export interface AnalyzeOptions {
  readonly scope: Scope;
  readonly isJson: boolean;
  readonly isColored: boolean;
  /** Columns of the terminal that shows the report; null where nothing limits a line. */
  readonly width: number | null;
  /** Looked into when no path is given. */
  readonly defaultFolder: string;
  readonly parts: AnalysisParts;
  /** Null: nothing is replayed, the report names candidates only. */
  readonly whatEbbWouldDo: WatchedWouldDo | null;
  /** Opens agents' databases; null: they are skipped. */
  readonly openTables: OpenTables | null;
  /** Takes the report. */
  readonly output: { write(text: string): void };
  /** Takes problems in words. */
  readonly problems: { write(text: string): void };
  /** The terminal that shows progress; null for none. */
  readonly progress: NodeJS.WriteStream | null;
}

export interface AnalyzeOutcome {
  readonly exitCode: ExitCode;
  /** Null when nothing was analysed because a path was wrong. */
  readonly report: AnalysisReport | null;
}

/** `ebb analyze`: what is in recorded sessions, and what Ebb would do. Exit code 1 when there is no session, 2 for a missing path. */
export async function analyze(paths: readonly string[], options: AnalyzeOptions): Promise<AnalyzeOutcome> {
  const places = paths.length > 0 ? paths : [options.defaultFolder];
  const { files, missing, unreadable } = await findSessionFiles(places);
  const hint =
    paths.length > 0
      ? ""
      : "; name files or folders of recorded sessions, such as ~/.codex/sessions (docs/guides/recordings.md)";
  for (const path of missing) options.problems.write(`ebb: ${path}: no such file or folder${hint}\n`);
  if (missing.length > 0) return { exitCode: 2, report: null };
  for (const { path, words } of unreadable) options.problems.write(`${path}: ${words}\n`);
  const bytesTotal = files.reduce((sum, file) => sum + file.bytes, 0);
  const bar = createLateBar(options.progress, bytesTotal);
  const { scope, parts, whatEbbWouldDo, openTables } = options;
  const report = await analyzeFiles(files, {
    scope,
    parts,
    openTables,
    whatEbbWouldDo:
      whatEbbWouldDo === null
        ? null
        : (recording) => {
            const bytes = files.find((file) => file.path === recording.file)?.bytes ?? 0;
            const requests = recording.contexts.flatMap((context) => context.requests).length;
            return whatEbbWouldDo(recording, () => bar.advance((bytes * (1 - READING_SHARE)) / requests));
          },
    onBytes: (bytes) => bar.advance(bytes * (whatEbbWouldDo === null ? 1 : READING_SHARE)),
  });
  bar.stop();
  if (options.isJson) options.output.write(`${JSON.stringify(report, null, 2)}\n`);
  else if (report.sessions.length > 0) options.output.write(renderReport(report, options));
  if (report.sessions.length > 0) return { exitCode: 0, report };
  for (const { file, words } of report.skipped) options.problems.write(`${file}: ${words}\n`);
  options.problems.write(`ebb: no recorded session found in ${places.join(", ")}\n`);
  return { exitCode: 1, report };
}
