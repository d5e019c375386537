import { readRecording } from "../readers/recording-file.ts";
import type { OpenTables } from "../readers/tables.ts";
import { readableBy } from "../recorded-wire.ts";
import type { Scope } from "../recording.ts";
import { wordsOf } from "./analysis-words.ts";
import { addFigures, addWould } from "./figures.ts";
import { analyzeRecording, type WhatEbbWouldDo } from "./recording-analysis.ts";
import type { Figures, SessionAnalysis, WouldDo } from "./session-analysis.ts";
import { codeOf, type SessionFile } from "./session-files.ts";
import type { AnalysisParts } from "./understood-history.ts";

/** What `ebb analyze --json` prints. */
export interface AnalysisReport {
  readonly sessions: readonly SessionAnalysis[];
  readonly totals: Totals;
  /** Files that hold no session Ebb can read, and why. */
  readonly skipped: readonly { readonly file: string; readonly words: string }[];
}

export interface Totals extends Figures {
  readonly sessions: number;
  readonly would: WouldDo | null;
  readonly words: string;
}

export interface FilesAnalysisOptions {
  readonly scope: Scope;
  readonly parts: AnalysisParts;
  readonly whatEbbWouldDo: WhatEbbWouldDo | null;
  /** Opens agents' databases; null: they are skipped. */
  readonly openTables: OpenTables | null;
  /** Told of every piece that was read. */
  readonly onBytes: (bytes: number) => void;
}

/** Analyses files one after the other, one in memory at a time. */
export async function analyzeFiles(
  files: readonly SessionFile[],
  options: FilesAnalysisOptions,
): Promise<AnalysisReport> {
  const sessions: SessionAnalysis[] = [];
  const skipped: { file: string; words: string }[] = [];
  for (const { path } of files) {
    const outcome = await readOne(path, options);
    if (typeof outcome === "string") skipped.push({ file: path, words: outcome });
    else sessions.push(outcome);
  }
  return { sessions, totals: totalsOf(sessions), skipped };
}

function totalsOf(sessions: readonly SessionAnalysis[]): Totals {
  const figures = addFigures(sessions);
  const would = sessions.length === 0 ? null : addWould(sessions.map((session) => session.would));
  return { sessions: sessions.length, ...figures, would, words: wordsOf(figures, would) };
}

/** The analysis, or why there is none. */
async function readOne(path: string, options: FilesAnalysisOptions): Promise<SessionAnalysis | string> {
  const { parts, scope, whatEbbWouldDo, onBytes, openTables } = options;
  const read = await readRecording(path, { counter: parts.counter, onBytes, openTables }).catch(
    (error: unknown) => `cannot be read (${codeOf(error)})`,
  );
  if (typeof read === "string") return read;
  if (!read.ok) return read.words;
  if (read.recording.contexts.length === 0) return "holds no conversation";
  const readable = readableBy(read.recording, parts.wires);
  if (!readable.ok) return readable.words;
  return analyzeRecording(readable.recording, scope, parts, whatEbbWouldDo);
}
