import type { RecordedBlock, RecordedWire } from "../recording.ts";

/** Text that agents leave in place of a result they cleared. */
export const CLEARED_RESULT_TEXT = "[Old tool result content cleared]";

/** The same result as the client sends it once it cleared its content. */
export function toClearedResult(result: RecordedBlock, wire: RecordedWire = "anthropic-messages"): RecordedBlock {
  return { ...result, json: Buffer.from(JSON.stringify(clearedForm(result, wire))) };
}

function clearedForm({ callId, json }: RecordedBlock, wire: RecordedWire): unknown {
  switch (wire) {
    case "anthropic-messages":
      return { type: "tool_result", tool_use_id: callId, content: CLEARED_RESULT_TEXT };
    case "openai-chat":
      return { role: "tool", tool_call_id: callId, content: CLEARED_RESULT_TEXT };
    case "openai-responses":
      return { ...parsed(json), output: CLEARED_RESULT_TEXT };
    case "gemini": {
      const part = parsed(json);
      return { functionResponse: { ...Object(part.functionResponse), response: { output: CLEARED_RESULT_TEXT } } };
    }
  }
}

function parsed(json: Uint8Array): Record<string, unknown> {
  return JSON.parse(Buffer.from(json).toString("utf8"));
}
