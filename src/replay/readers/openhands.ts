import type { TokenCounter } from "../../model/ports.ts";
import type { RecordedProblem } from "../recording.ts";
import { recordsIn } from "./chat-telling.ts";
import { type LogConversation, toContexts } from "./conversation.ts";
import type { ReadLog, WholeFormat } from "./log-collector.ts";
import { tellOpenHands } from "./openhands-telling.ts";
import type { AgentWords } from "./overhead.ts";
import { isRecord, type JsonRecord } from "./values.ts";

/** Trajectories of OpenHands: actions and observations, the calls of the model beside them. */
export const openHandsFormat: WholeFormat = { format: "openhands", knows: isTrajectory, read };

const OPEN_HANDS: AgentWords = {
  opening: "You are OpenHands agent, a helpful AI assistant that can interact with a computer to solve tasks.",
  offeredTools: ["execute_bash", "str_replace_editor"],
};

function eventsIn(value: unknown): readonly JsonRecord[] {
  return recordsIn(isRecord(value) ? (value.trajectory ?? value.events ?? value.history) : value);
}

function isTrajectory(value: unknown): boolean {
  const events = eventsIn(value);
  return (
    events.length > 0 && events.every((event) => "source" in event && ("action" in event || "observation" in event))
  );
}

function read(value: unknown, counter: TokenCounter): ReadLog {
  const problems: RecordedProblem[] = [];
  const conversation: LogConversation = {
    id: "main",
    kind: "main",
    sessionId: null,
    wire: "openai-chat",
    workingDirectory: null,
    agent: OPEN_HANDS,
    systemText: null,
    toolsJson: null,
    entries: tellOpenHands(eventsIn(value), problems),
    problems: [],
  };
  return { format: null, contexts: toContexts([conversation], counter), problems };
}
