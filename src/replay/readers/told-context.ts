import type {
  ContextKind,
  RecordedBlock,
  RecordedContext,
  RecordedMessage,
  RecordedProblem,
  RecordedRequest,
  RecordedWire,
  Scope,
} from "../recording.ts";
import { askedThinking } from "./asked-thinking.ts";
import type { BlockTokens } from "./block-tokens.ts";
import type { Frame } from "./frame.ts";
import { fitOverhead } from "./overhead.ts";
import { pathTo, type ToldEntry, type ToldResponse } from "./told.ts";
import { type ClearedResults, orphanResults, sentMessages, wholeMessages } from "./told-messages.ts";

/** One conversation of a log, told entry by entry in the order of the file. */
export interface ToldConversation {
  readonly id: string;
  readonly kind: ContextKind;
  readonly sessionId: string | null;
  readonly wire: RecordedWire;
  readonly entries: readonly ToldEntry[];
  readonly problems: readonly RecordedProblem[];
  /** Builds bodies around messages; `overheadTokens` is what provider and log leave for system prompt and tools. */
  frameOf(overheadTokens: number, usedTools: ReadonlySet<string>): Frame;
}

/** Makes requests of what a log tells: each response is one, with everything it answered. */
export function toToldContext(conversation: ToldConversation, tokensOf: BlockTokens): RecordedContext {
  const { entries, wire } = conversation;
  const cleared: ClearedResults = new Map();
  const foldLine = entries.findLastIndex(({ told }) => told.kind === "fold");
  const outlines = entries.flatMap((entry, index) => {
    const { told } = entry;
    return told.kind === "response" ? [toOutline(entry, told, index > foldLine, wire, cleared)] : [];
  });
  const fitted = fitOverhead(outlines, tokensOf);
  const frame = conversation.frameOf(fitted, toolsUsedBy(entries));
  const model = outlines.findLast((outline) => outline.model !== null)?.model ?? null;
  const asked = askedThinking(outlines);
  return {
    id: conversation.id,
    kind: conversation.kind,
    sessionId: conversation.sessionId,
    wire,
    overheadTokens: Math.max(fitted, frame.knownTokens),
    problems: [...conversation.problems, ...orphanResults(entries).map(orphanProblem)],
    requests: outlines.map(({ answerThinks: _answerThinks, ...outline }, index) => ({
      ...outline,
      get body() {
        return frame.build({ model: outline.model, messages: outline.messages(), asksThinking: asked[index] === true });
      },
    })),
    history(scope: Scope) {
      const told = scope === "all" ? entries : entries.slice(foldLine === -1 ? 0 : foldLine);
      return frame.build({ model, messages: wholeMessages(told, wire), asksThinking: false });
    },
  };
}

function orphanProblem({ line }: RecordedBlock): RecordedProblem {
  return { line, words: "a result of a call that is not in the file; left out" };
}

type Outline = Omit<RecordedRequest, "body"> & { readonly answerThinks: boolean };

function toOutline(
  { parent }: ToldEntry,
  told: ToldResponse,
  isLive: boolean,
  wire: RecordedWire,
  cleared: ClearedResults,
): Outline {
  return {
    atMs: latest(told.askedMs, newestBefore(parent)),
    model: told.model,
    messageId: told.messageId,
    usage: told.usage,
    isLive,
    wire,
    answerThinks: told.message.blocks.some(({ kind }) => kind === "thinking"),
    messages: (): readonly RecordedMessage[] => sentMessages(pathTo(parent), wire, cleared),
  };
}

/** Nothing was sent before it was there, whatever a log's clocks say. */
function latest(askedMs: number | null, madeMs: number | null): number | null {
  return askedMs === null || madeMs === null ? (askedMs ?? madeMs) : Math.max(askedMs, madeMs);
}

/** The newest time of what stands between a response and the one before it, or of that one. */
function newestBefore(entry: ToldEntry | null): number | null {
  let newest: number | null = null;
  for (let at = entry; at !== null; at = at.parent) {
    if (at.atMs !== null && (newest === null || at.atMs > newest)) newest = at.atMs;
    if (at.told.kind === "response" && newest !== null) break;
  }
  return newest;
}

function toolsUsedBy(entries: readonly ToldEntry[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { told } of entries) {
    if (told.kind !== "response") continue;
    for (const { toolName } of told.message.blocks) if (toolName !== null) names.add(toolName);
  }
  return names;
}
