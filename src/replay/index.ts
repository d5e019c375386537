export type { AnalysisParts } from "./analyze/understood-history.ts";
export { type Baseline, replayBaseline } from "./baseline.ts";
export type { CheckCause } from "./check/cache-causes.ts";
export { type CheckedRequest, checkCache } from "./check/cache-check.ts";
export type { CheckParts } from "./check/conversation.ts";
export { bestSchedule, freeSchedule, promptSchedule } from "./hindsight/best-schedule.ts";
export { type PaceParts, pacedConversations } from "./hindsight/paced-conversations.ts";
export {
  type PacedConversation,
  type PacedRequest,
  type Rates,
  type Remover,
  type Schedule,
  type ScheduleFigures,
  type StaleRead,
  scheduleFigures,
} from "./hindsight/schedule.ts";
export { inspectLines } from "./inspect.ts";
export type { ReplaySettings } from "./lane.ts";
export { createLawChecker, type LawChecker, type LawFindings, type LawInput, type Replaced } from "./law-checker.ts";
export type { ReplacedMedia } from "./law-media.ts";
export { readRecording } from "./readers/recording-file.ts";
export type {
  RecordedBlock,
  RecordedContext,
  RecordedMessage,
  RecordedProblem,
  RecordedRequest,
  Recording,
  RecordingOutcome,
  Scope,
} from "./recording.ts";
export { type FileReplay, type ReplayedRequest, type ReplayScope, replayRecording } from "./replay.ts";
export { releaseLines, type SessionFigures, sessionFigures } from "./replay-report.ts";
export type { AgedItem, ExpiredRow, LeftRow } from "./replay-rows.ts";
export { type SimulatedProvider, startSimulatedProvider } from "./simulated/server.ts";
