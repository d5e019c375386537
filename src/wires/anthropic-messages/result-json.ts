import type { ToolAnswer, ToolContent } from "../../model/tool.ts";

const IMAGE_TYPES: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);
const DOCUMENT_TYPE = "application/pdf";
/** Stands where an answer has nothing to show: the API takes no empty text. */
const BLANK = "(blank)";

/** JSON of the block that answers a call. A failure is told in words alone, as the API wants it. */
export function resultJson(callId: string, { content, failure }: ToolAnswer): string {
  const told = failure === null ? content : content.filter(({ type }) => type === "text");
  return JSON.stringify({
    type: "tool_result",
    tool_use_id: callId,
    content: contentOf(told),
    ...(failure === null ? {} : { is_error: true }),
  });
}

function contentOf(content: readonly ToolContent[]): string | readonly object[] {
  const [only] = content;
  if (content.length === 1 && only?.type === "text") return only.text.trim() === "" ? BLANK : only.text;
  const blocks = content.flatMap(blockOf);
  return blocks.length === 0 ? BLANK : blocks;
}

function blockOf(part: ToolContent): readonly object[] {
  switch (part.type) {
    case "text":
      return part.text.trim() === "" ? [] : [textBlock(part.text)];
    case "image":
      if (!IMAGE_TYPES.has(part.mimeType)) return [notShown(part.mimeType, null)];
      return [{ type: "image", source: base64Source(part.mimeType, part.data) }];
    case "resource": {
      const { mimeType, blob, uri } = part.resource;
      if (mimeType !== DOCUMENT_TYPE) return [notShown(mimeType, uri)];
      return [{ type: "document", source: base64Source(mimeType, blob) }];
    }
  }
}

function base64Source(mediaType: string, data: string): object {
  return { type: "base64", media_type: mediaType, data };
}

function notShown(mediaType: string, uri: string | null): object {
  return textBlock(`[not shown: ${uri ?? "an attachment"} of type ${mediaType}, which this API does not take]`);
}

function textBlock(text: string): object {
  return { type: "text", text };
}
