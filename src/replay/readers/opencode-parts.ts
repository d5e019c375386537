import { timeOf } from "./time.ts";
import { isRecord, type JsonRecord, textOrNull } from "./values.ts";

/** Parts of a person's message as blocks of Anthropic's API: texts, also those the client made, and media with their data. */
export function personBlocks(parts: readonly JsonRecord[]): readonly JsonRecord[] {
  return parts.flatMap((part): JsonRecord[] => {
    if (part.type === "text") return part.ignored === true ? [] : [{ type: "text", text: textOrNull(part.text) ?? "" }];
    if (part.type === "subtask") return [{ type: "text", text: textOrNull(part.prompt) ?? "" }];
    const media = part.type === "file" ? mediaBlock(part) : null;
    return media === null ? [] : [media];
  });
}

/** A file whose data stands in the log; what only refers to one is read by the client and sent as a text of its own. */
function mediaBlock({ mime, url }: JsonRecord): JsonRecord | null {
  const data = /^data:[^,]*;base64,(.*)$/s.exec(textOrNull(url) ?? "")?.[1];
  const mediaType = textOrNull(mime);
  if (data === undefined || mediaType === null) return null;
  const source = { type: "base64", media_type: mediaType, data };
  return { type: mediaType.startsWith("image/") ? "image" : "document", source };
}

/** Reasoning as a thinking block, with Anthropic's signature where the log has it. */
export function thinkingBlock({ text, metadata }: JsonRecord): JsonRecord {
  const provider = isRecord(metadata) && isRecord(metadata.anthropic) ? metadata.anthropic : {};
  return { type: "thinking", thinking: textOrNull(text) ?? "", signature: textOrNull(provider.signature) ?? "" };
}

/** A tool part as the call that it began with. */
export function callBlock({ callID, tool, state }: JsonRecord): JsonRecord {
  return { type: "tool_use", id: callID, name: tool, input: (isRecord(state) ? state.input : null) ?? {} };
}

/** A tool part as the result of its call; null while there is none. */
export function resultBlock({ callID, state }: JsonRecord): JsonRecord | null {
  if (!isRecord(state)) return null;
  if (state.status === "error") {
    return { type: "tool_result", tool_use_id: callID, content: textOrNull(state.error) ?? "", is_error: true };
  }
  if (state.status !== "completed") return null;
  const text = textOrNull(state.output) ?? "";
  const media = (Array.isArray(state.attachments) ? state.attachments : [])
    .filter(isRecord)
    .flatMap((file) => mediaBlock(file) ?? []);
  const content = media.length === 0 ? text : [...(text === "" ? [] : [{ type: "text", text }]), ...media];
  return { type: "tool_result", tool_use_id: callID, content };
}

/** When the result was there. */
export function resultEndMs({ state }: JsonRecord): number | null {
  return isRecord(state) && isRecord(state.time) ? timeOf(state.time.end) : null;
}
