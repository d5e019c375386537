import type { ToolAnswer, ToolContent } from "../../model/tool.ts";

/** Stands where an answer has nothing to show: some servers take no empty text. */
const BLANK = "(blank)";

/** JSON of the message that answers a call: text alone, as the API wants it of a tool. */
export function resultJson(callId: string, { content }: ToolAnswer): string {
  const words = content.map(wordsOf).join("\n");
  return JSON.stringify({ role: "tool", tool_call_id: callId, content: words.trim() === "" ? BLANK : words });
}

function wordsOf(part: ToolContent): string {
  switch (part.type) {
    case "text":
      return part.text;
    case "image":
      return notShown(part.mimeType, null);
    case "resource":
      return notShown(part.resource.mimeType, part.resource.uri);
  }
}

function notShown(mediaType: string, uri: string | null): string {
  return `[not shown: ${uri ?? "an attachment"} of type ${mediaType}, which this API does not take from a tool]`;
}
