import { sha256Hex } from "../../lib/hash.ts";
import type { TokenCounter } from "../../model/ports.ts";
import type { RecordedContext, RecordedMessage, RecordedProblem } from "../recording.ts";
import { readBlocks } from "./blocks.ts";
import { buildBody } from "./body.ts";
import type { WholeFormat } from "./log-collector.ts";
import { CLAUDE_OPENING, claudeToolsJson, standInFor } from "./overhead.ts";
import { isRecord, type JsonRecord, textOrNull } from "./values.ts";

/** Read corpora: lists of `{ source, calls: [{ tool, args, out }] }`, tool calls in order without the talk around them. */
export const corpusFormat: WholeFormat = {
  format: "read-lifecycle-corpus",
  knows: isCorpus,
  read: (value, counter) => ({
    format: null,
    contexts: isCorpus(value) ? toCorpusContexts(value, counter) : [],
    problems: [],
  }),
};

function isCorpus(value: unknown): value is readonly JsonRecord[] {
  return (
    Array.isArray(value) && value.length > 0 && value.every((entry) => isRecord(entry) && Array.isArray(entry.calls))
  );
}

/** One context per source, with the one request that sends all its calls. The calls are of Claude Code's tools. */
function toCorpusContexts(corpus: readonly JsonRecord[], counter: TokenCounter): readonly RecordedContext[] {
  return corpus.map((entry, index) => {
    const problems: RecordedProblem[] = [];
    const messages = toMessages(Array.isArray(entry.calls) ? entry.calls : [], problems);
    const usedTools = messages.flatMap(({ blocks }) => blocks.flatMap((block) => block.toolName ?? []));
    const frame = {
      sessionId: null,
      isHourLong: false,
      asksThinking: false,
      ...standInFor(0, { ...KNOWN, toolsJson: claudeToolsJson(usedTools) }, counter),
    };
    const build = () => buildBody(frame, null, messages);
    const request = {
      atMs: null,
      model: null,
      messageId: null,
      usage: null,
      isLive: true,
      wire: "anthropic-messages",
    } as const;
    return {
      id: textOrNull(entry.source) ?? `source ${index + 1}`,
      kind: "main",
      sessionId: null,
      wire: "anthropic-messages",
      overheadTokens: 0,
      problems,
      requests: [
        {
          ...request,
          get body() {
            return build();
          },
          messages: () => messages,
        },
      ],
      history: build,
    };
  });
}

const KNOWN = { systemText: null, opening: CLAUDE_OPENING, workingDirectory: null };

function toMessages(calls: readonly unknown[], problems: RecordedProblem[]): readonly RecordedMessage[] {
  const messages: RecordedMessage[] = [{ role: "user", blocks: readBlocks("user", "(not recorded)", 0).blocks }];
  calls.forEach((call, index) => {
    if (!isRecord(call) || typeof call.tool !== "string" || typeof call.out !== "string") {
      problems.push({ line: 0, words: `call ${index + 1}: expected a tool, args and out` });
      return;
    }
    const id = `toolu_${sha256Hex(`${index} ${call.tool}`).slice(0, 24)}`;
    const use = { type: "tool_use", id, name: call.tool, input: call.args ?? {} };
    const result = { type: "tool_result", tool_use_id: id, content: call.out };
    messages.push({ role: "assistant", blocks: readBlocks("assistant", [use], 0).blocks });
    messages.push({ role: "user", blocks: readBlocks("user", [result], 0).blocks });
  });
  return messages;
}
