import { chatWriter } from "./chat-writer.ts";
import { geminiWriter } from "./gemini-writer.ts";
import type { WireWriter } from "./hand.ts";
import { messagesWriter } from "./messages-writer.ts";
import { responsesWriter } from "./responses-writer.ts";

/** One writer for each format, by the name of its wire. */
export const WRITERS = {
  "anthropic-messages": messagesWriter,
  "openai-chat": chatWriter,
  "openai-responses": responsesWriter,
  gemini: geminiWriter,
} as const satisfies Readonly<Record<string, WireWriter>>;

export type WireName = keyof typeof WRITERS;

/** All formats, in the order in which they are told of. */
export const WIRE_NAMES: readonly WireName[] = ["anthropic-messages", "openai-chat", "openai-responses", "gemini"];
