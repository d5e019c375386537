import { lawChat } from "./law-chat.ts";
import type { LawFormat } from "./law-format.ts";
import { lawGemini } from "./law-gemini.ts";
import { lawMessages } from "./law-messages.ts";
import { lawResponses } from "./law-responses.ts";

const FORMATS: ReadonlyMap<string, LawFormat> = new Map([
  ["anthropic-messages", lawMessages],
  ["openai-chat", lawChat],
  ["openai-responses", lawResponses],
  ["gemini", lawGemini],
]);

/** The format that a wire of this name speaks, as the law checker reads it. Fails for a name it does not know. */
export function lawFormatOf(wire: string): LawFormat {
  const format = FORMATS.get(wire);
  if (format === undefined) throw new Error(`the law checker knows no format of the wire ${wire}`);
  return format;
}
