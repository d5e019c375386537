import type { TokenCounter } from "../../model/ports.ts";
import type { ContextKind, RecordedContext, RecordedProblem, RecordedWire } from "../recording.ts";
import { createBlockTokens } from "./block-tokens.ts";
import { createFrame } from "./frame.ts";
import type { AgentWords } from "./overhead.ts";
import type { ToldEntry } from "./told.ts";
import { toToldContext } from "./told-context.ts";

/** A conversation that a reader took out of its log. */
export interface LogConversation {
  readonly id: string;
  readonly kind: ContextKind;
  readonly sessionId: string | null;
  readonly wire: RecordedWire;
  readonly workingDirectory: string | null;
  readonly agent: AgentWords;
  /** The system prompt where the log holds it. */
  readonly systemText: string | null;
  /** JSON of the tools where the log holds them. */
  readonly toolsJson: string | null;
  readonly entries: readonly ToldEntry[];
  readonly problems: readonly RecordedProblem[];
}

/** The same with requests; nothing for a conversation in which nobody spoke. */
export function toContexts(
  conversations: readonly LogConversation[],
  counter: TokenCounter,
): readonly RecordedContext[] {
  const tokensOf = createBlockTokens(counter);
  return conversations
    .filter(({ entries }) => entries.some(({ told }) => told.kind === "said" || told.kind === "response"))
    .map((conversation) => {
      const frameOf = (overheadTokens: number, usedTools: ReadonlySet<string>) =>
        createFrame(conversation.wire, conversation, { overheadTokens, usedTools }, counter);
      return toToldContext({ ...conversation, frameOf }, tokensOf);
    });
}
