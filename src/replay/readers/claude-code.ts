import type { TokenCounter } from "../../model/ports.ts";
import type { RecordedContext, RecordedProblem, RecordedRequest, Scope } from "../recording.ts";
import { askedThinking } from "./asked-thinking.ts";
import { type BlockTokens, createBlockTokens } from "./block-tokens.ts";
import { type BodyFrame, buildBody } from "./body.ts";
import { type ClearedResults, sentHistory, sentTime, wholeHistory } from "./claude-code-history.ts";
import type { AssistantLine, LogLine } from "./claude-code-line.ts";
import { readLogLine } from "./claude-code-line.ts";
import { type LogThread, type ResponseLines, toThreads } from "./claude-code-threads.ts";
import type { LineFormat, LogCollector } from "./log-collector.ts";
import { CLAUDE_OPENING, claudeToolsJson, fitOverhead, standInFor } from "./overhead.ts";
import { isRecord } from "./values.ts";

/** Logs of Claude Code: lines that name the line before them. */
export const claudeCodeFormat: LineFormat = { format: "claude-code", knows: isLogLine, begin: createLogCollector };

const LOG_TYPES = new Set(["user", "assistant", "system", "progress", "attachment"]);
const SIDE_TYPES = new Set(["file-history-snapshot", "queue-operation", "summary"]);

function isLogLine(value: unknown): boolean {
  if (!isRecord(value) || typeof value.type !== "string") return false;
  if (SIDE_TYPES.has(value.type)) return "messageId" in value || "operation" in value || "leafUuid" in value;
  return LOG_TYPES.has(value.type) && typeof value.uuid === "string" && "parentUuid" in value;
}

/** The counter serves the estimate of what the log does not hold. */
function createLogCollector(counter: TokenCounter): LogCollector {
  const lines: LogLine[] = [];
  const problems: RecordedProblem[] = [];
  let sessionId: string | null = null;
  let workingDirectory: string | null = null;
  return {
    add(value, line) {
      const read = readLogLine(value, line);
      problems.push(...read.problems);
      sessionId ??= read.sessionId;
      workingDirectory ??= read.workingDirectory;
      if (read.logLine !== null) lines.push(read.logLine);
    },
    finish() {
      const tokensOf = createBlockTokens(counter);
      const setting = { sessionId, workingDirectory, counter, tokensOf };
      return { format: null, contexts: toThreads(lines).map((thread) => toContext(thread, setting)), problems };
    },
  };
}

interface Setting {
  readonly sessionId: string | null;
  readonly workingDirectory: string | null;
  readonly counter: TokenCounter;
  readonly tokensOf: BlockTokens;
}

/** What is asked of a context's requests before its frame is known. */
type Outline = Omit<RecordedRequest, "body"> & { readonly answerThinks: boolean };

function toContext(thread: LogThread, setting: Setting): RecordedContext {
  const cleared: ClearedResults = new Map();
  const outlines: Outline[] = [];
  for (const response of thread.responses.values()) {
    const outline = toOutline(thread, response, cleared);
    if (outline !== null) outlines.push(outline);
  }
  const overheadTokens = fitOverhead(outlines, setting.tokensOf);
  const frame = toFrame(thread, overheadTokens, setting);
  const model = outlines.findLast((outline) => outline.model !== null)?.model ?? null;
  const asked = askedThinking(outlines);
  return {
    id: thread.id,
    kind: thread.kind,
    sessionId: setting.sessionId,
    wire: "anthropic-messages",
    overheadTokens,
    problems: thread.problems,
    requests: outlines.map(({ answerThinks: _answerThinks, ...outline }, index) => ({
      ...outline,
      get body() {
        const asksThinking = asked[index] === true;
        return buildBody({ ...frame, asksThinking }, outline.model, outline.messages());
      },
    })),
    history: (scope: Scope) => buildBody({ ...frame, asksThinking: false }, model, wholeHistory(thread, scope)),
  };
}

/** The request that a response answered: it ended with the line before the response's first one. */
function toOutline(thread: LogThread, response: ResponseLines, cleared: ClearedResults): Outline | null {
  const first = response[0];
  if (first === undefined || !first.isResponse) return null;
  const leaf = lineBefore(thread, first);
  return {
    atMs: sentTime(thread, leaf),
    model: first.model,
    messageId: first.messageId,
    usage: response.findLast((line) => line.usage !== null)?.usage ?? null,
    isLive: first.line > thread.foldLine,
    wire: "anthropic-messages",
    answerThinks: response.some((line) => line.blocks.some(({ kind }) => kind === "thinking")),
    messages: () => sentHistory(thread, leaf, cleared),
  };
}

/** A response whose first line was lost hangs on another line of its own. */
function lineBefore(thread: LogThread, first: AssistantLine): LogLine | null {
  let at = thread.parentOf(first);
  for (let steps = 0; at?.kind === "assistant" && at.messageId === first.messageId; steps += 1) {
    if (steps > thread.lines.length) return null;
    at = thread.parentOf(at);
  }
  return at;
}

function toFrame(thread: LogThread, overheadTokens: number, setting: Setting): Omit<BodyFrame, "asksThinking"> {
  const usedTools = new Set<string>();
  let isHourLong = false;
  for (const line of thread.lines) {
    if (line.kind !== "assistant") continue;
    if (line.isHourLong) isHourLong = true;
    for (const block of line.blocks) if (block.toolName !== null) usedTools.add(block.toolName);
  }
  const known = { systemText: null, toolsJson: claudeToolsJson(usedTools), opening: CLAUDE_OPENING };
  const { workingDirectory, counter } = setting;
  const standIn = standInFor(overheadTokens, { ...known, workingDirectory }, counter);
  return { ...standIn, sessionId: setting.sessionId, isHourLong };
}
