import { isRecord, type JsonRecord } from "./values.ts";

/** Tokens that a character of encrypted reasoning stands for: base64 of text of about four bytes a token. */
const TOKENS_PER_ENCRYPTED_CHAR = 3 / 16;

/** What is counted of a block of another format than Anthropic's: texts and values to count, or that it is a medium. */
export type Counted =
  | { readonly kind: "values"; readonly values: readonly unknown[]; readonly tokens: number }
  | { readonly kind: "media" }
  /** Nothing of these formats. */
  | null;

/** Says what counts of a block of OpenAI's or Gemini's formats. */
export function countedOf(value: JsonRecord): Counted {
  switch (value.type) {
    case "message":
      return valuesOf(value.content);
    case "input_text":
    case "output_text":
    case "summary_text":
    case "reasoning_text":
      return valuesOf(value.text);
    case "function_call":
      return valuesOf(value.name, value.arguments);
    case "custom_tool_call":
      return valuesOf(value.name, value.input);
    case "local_shell_call":
      return valuesOf(asText(value.action));
    case "function_call_output":
    case "custom_tool_call_output":
    case "local_shell_call_output":
      return valuesOf(value.output);
    case "reasoning":
      return reasoningOf(value);
    case "function":
      return isRecord(value.function) ? valuesOf(value.function.name, value.function.arguments) : null;
    case "custom":
      return isRecord(value.custom) ? valuesOf(value.custom.name, value.custom.input) : null;
    case "input_image":
    case "input_file":
    case "image_url":
    case "input_audio":
    case "file":
      return { kind: "media" };
    case undefined:
      return countedWithoutType(value);
  }
  return null;
}

function countedWithoutType(value: JsonRecord): Counted {
  if (typeof value.role === "string" && "content" in value) return valuesOf(value.content);
  if (isRecord(value.functionCall)) return valuesOf(value.functionCall.name, asText(value.functionCall.args));
  if (isRecord(value.functionResponse)) return valuesOf(...textsOfResponse(value.functionResponse.response));
  if (isRecord(value.inlineData) || isRecord(value.fileData)) return { kind: "media" };
  return typeof value.text === "string" ? valuesOf(value.text) : null;
}

function textsOfResponse(response: unknown): readonly unknown[] {
  if (!isRecord(response)) return [asText(response)];
  return Object.values(response).map((member) => (typeof member === "string" ? member : asText(member)));
}

function reasoningOf(value: JsonRecord): Counted {
  if (typeof value.encrypted_content !== "string") return valuesOf(value.content, value.summary);
  return { kind: "values", values: [], tokens: Math.ceil(value.encrypted_content.length * TOKENS_PER_ENCRYPTED_CHAR) };
}

function valuesOf(...values: readonly unknown[]): Counted {
  return { kind: "values", values, tokens: 0 };
}

function asText(value: unknown): string {
  return JSON.stringify(value ?? {});
}

/** Adds up what was said to count. */
export function tokensOfCounted(
  counted: Exclude<Counted, null>,
  mediaTokens: number,
  tokensOf: (value: unknown) => number,
): number {
  if (counted.kind === "media") return mediaTokens;
  return counted.values.reduce((sum: number, value) => sum + tokensOf(value), counted.tokens);
}
