import { createBlockTokens } from "../readers/block-tokens.ts";
import type { RecordedProblem, Recording, Scope } from "../recording.ts";
import { wordsOf } from "./analysis-words.ts";
import { figuresOf, type MeasuredContext } from "./figures.ts";
import { classifyReads } from "./read-classes.ts";
import { createRememberingCounter } from "./remembering-counter.ts";
import { largestResidents, measureResidency } from "./residency.ts";
import type { Resident, SessionAnalysis, WouldDo } from "./session-analysis.ts";
import { measureToolOutput } from "./tool-output.ts";
import { type AnalysisParts, understandHistory } from "./understood-history.ts";

/** Residents shown per file. */
const RESIDENTS_SHOWN = 10;

/** Replays a recording through Ebb and says what it did. */
export type WhatEbbWouldDo = (recording: Recording) => Promise<WouldDo>;

/** Measures one recording in one scope. `whatEbbWouldDo` null: the sentence names candidates only. */
export async function analyzeRecording(
  recording: Recording,
  scope: Scope,
  given: AnalysisParts,
  whatEbbWouldDo: WhatEbbWouldDo | null,
): Promise<SessionAnalysis> {
  const parts = { ...given, counter: createRememberingCounter(given.counter) };
  const tokensOf = createBlockTokens(parts.counter);
  const measured: MeasuredContext[] = [];
  const residents: Resident[] = [];
  const problems: RecordedProblem[] = [...recording.problems];
  for (const context of recording.contexts) {
    problems.push(...context.problems);
    const outcome = understandHistory(context.history(scope), context.wire, parts);
    if (!outcome.ok) {
      problems.push({ line: 0, words: `${context.id}: ${outcome.words}` });
      continue;
    }
    const { history } = outcome;
    const residency = measureResidency(context, scope, tokensOf);
    measured.push({
      reads: classifyReads(history, parts.counter),
      output: measureToolOutput(history, residency, parts),
      residency,
    });
    residents.push(...largestResidents(context, residency, history, tokensOf, RESIDENTS_SHOWN));
  }
  residents.sort((a, b) => b.token_turns - a.token_turns);
  const figures = figuresOf(recording.contexts.length, measured);
  const would = whatEbbWouldDo === null ? null : await whatEbbWouldDo(recording);
  return {
    file: recording.file,
    format: recording.format,
    scope,
    ...figures,
    residents: residents.slice(0, RESIDENTS_SHOWN),
    would,
    words: wordsOf(figures, would),
    problems: problems.sort((a, b) => a.line - b.line),
  };
}
