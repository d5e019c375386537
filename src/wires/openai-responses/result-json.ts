import type { ToolAnswer, ToolContent } from "../../model/tool.ts";

const IMAGE_TYPES: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);
const DOCUMENT_TYPE = "application/pdf";
/** Stands where an answer has nothing to show. */
const BLANK = "(blank)";

/** JSON of the item that answers a call. This API has no mark for a failure: its words tell it. */
export function resultJson(callId: string, { content, failure }: ToolAnswer): string {
  const told = failure === null ? content : content.filter(({ type }) => type === "text");
  return JSON.stringify({ type: "function_call_output", call_id: callId, output: outputOf(told) });
}

function outputOf(content: readonly ToolContent[]): string | readonly object[] {
  const [only] = content;
  if (content.length === 1 && only?.type === "text") return only.text.trim() === "" ? BLANK : only.text;
  const parts = content.flatMap(partOf);
  return parts.length === 0 ? BLANK : parts;
}

function partOf(part: ToolContent): readonly object[] {
  switch (part.type) {
    case "text":
      return part.text.trim() === "" ? [] : [textPart(part.text)];
    case "image":
      if (!IMAGE_TYPES.has(part.mimeType)) return [notShown(part.mimeType, null)];
      return [{ type: "input_image", image_url: dataUrl(part.mimeType, part.data), detail: "auto" }];
    case "resource": {
      const { mimeType, blob, uri } = part.resource;
      if (mimeType !== DOCUMENT_TYPE) return [notShown(mimeType, uri)];
      return [
        { type: "input_file", filename: uri.slice(uri.lastIndexOf("/") + 1), file_data: dataUrl(mimeType, blob) },
      ];
    }
  }
}

function dataUrl(mediaType: string, data: string): string {
  return `data:${mediaType};base64,${data}`;
}

function notShown(mediaType: string, uri: string | null): object {
  return textPart(`[not shown: ${uri ?? "an attachment"} of type ${mediaType}, which this API does not take]`);
}

function textPart(text: string): object {
  return { type: "input_text", text };
}
