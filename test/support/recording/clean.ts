import { tmpdir } from "node:os";
import { join } from "node:path";
import { cleanNotice, cleanText } from "./clean-text.ts";
import type { Recording } from "./record.ts";

/** What the names of one machine and one run become. */
export interface Names {
  readonly pairs: readonly (readonly [string, string])[];
  readonly ids: Map<string, string>;
}

interface Json {
  readonly [name: string]: unknown;
}

const HEADERS = /^(user-agent|anthropic-version|x-app|x-claude-code-.*)$/;
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const LONG_HEX = /[0-9a-f]{64}/g;
const FOREIGN_CHARS_MAX = 200;

/** Every request of a recording with the client's own prompts taken out and names of the machine replaced. */
export function cleanRequests(recording: Recording): readonly Json[] {
  const names = namesOf(recording);
  const requests = recording.bodies.map((recorded) => {
    const headers = Object.entries(recorded.headers).filter(([name]) => HEADERS.test(name));
    const body = JSON.parse(recorded.text) as Json;
    return { headers: renamed(Object.fromEntries(headers), names), body: cleanBody(body, names) };
  });
  const wantsAll = recording.situation === "changed-between-turns";
  return wantsAll ? requests : requests.filter((request, index) => !isContinued(request, requests.slice(index + 1)));
}

function namesOf(recording: Recording): Names {
  const slug = (path: string): string => path.replace(/[^A-Za-z0-9]/g, "-");
  return {
    pairs: [
      [recording.workingFolder, "/home/user/ws"],
      [recording.home, "/home/user"],
      [slug(recording.workingFolder), "-home-user-ws"],
      [join(tmpdir(), "claude-0"), "/home/user/tmp"],
      [join(tmpdir(), "claude"), "/home/user/tmp"],
    ],
    ids: new Map(),
  };
}

/** True when a later request holds this one's messages, whole: nothing is lost by leaving this one out. */
function isContinued(request: { readonly body: Json }, later: readonly { readonly body: Json }[]): boolean {
  const mine = messageTexts(request.body);
  return later.some((other) => {
    const theirs = messageTexts(other.body);
    return theirs.length > mine.length && mine.every((text, index) => text === theirs[index]);
  });
}

function messageTexts(body: Json): readonly string[] {
  const messages = (body.messages ?? []) as readonly Json[];
  return messages.map((message) => {
    const { content } = message;
    const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
    return JSON.stringify([message.role, blocks], (name, value) => (name === "cache_control" ? undefined : value));
  });
}

function cleanBody(body: Json, names: Names): Json {
  const { system, tools, messages, metadata, ...rest } = body;
  const kept: Record<string, unknown> = { ...rest };
  if (metadata !== undefined) kept.metadata = renamed(metadata, names);
  if (system !== undefined) kept.system = cleanContent(renamed(system, names), "prompt");
  if (tools !== undefined) kept.tools = (tools as readonly Json[]).map(cleanTool);
  kept.messages = ((renamed(messages, names) ?? []) as readonly Json[]).map((message) => {
    return { ...message, content: cleanContent(message.content, String(message.role)) };
  });
  return kept;
}

function cleanTool(tool: Json): Json {
  const { description: _words, input_schema, ...rest } = tool;
  return input_schema === undefined ? rest : { ...rest, input_schema: { type: "object" } };
}

/** Cleans a message's content; `speaker` is its role, or `prompt` for the top-level system prompt. */
export function cleanContent(content: unknown, speaker: string): unknown {
  if (typeof content === "string") return cleanText(content, speaker);
  if (!Array.isArray(content)) return content;
  return (content as readonly Json[]).map((block) => {
    if (block.type === "text" && typeof block.text === "string") {
      return { ...block, text: cleanText(block.text, speaker) };
    }
    if (block.type === "tool_result") return { ...block, content: cleanContent(block.content, "tool") };
    return block;
  });
}

/** A client's own transcript with the same cleaning, line by line. */
export function cleanTranscript(recording: Recording, text: string): string {
  const names = namesOf(recording);
  const lines = text.split("\n").filter((line) => line !== "");
  return lines.map((line) => `${JSON.stringify(cleanLine(renamed(JSON.parse(line), names) as Json))}\n`).join("");
}

const LINES_KEPT = new Set(["user", "assistant", "system", "summary"]);

function cleanLine(line: Json): Json {
  const kept: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(line)) {
    if (name === "message") kept.message = cleanMessage(value as Json);
    else if (name === "attachment") kept.attachment = { type: (value as Json).type };
    else if (LINES_KEPT.has(String(line.type)) || typeof value !== "object") kept[name] = shortened(value);
  }
  return kept;
}

function cleanMessage(message: Json): Json {
  return { ...message, content: cleanContent(message.content, String(message.role)) };
}

function shortened(value: unknown): unknown {
  if (typeof value === "string") return value.length > FOREIGN_CHARS_MAX ? cleanNotice(value) : value;
  if (Array.isArray(value)) return value.map(shortened);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, shortened(each)]));
}

function renamed(value: unknown, names: Names): unknown {
  if (typeof value === "string") return renamedText(value, names);
  if (Array.isArray(value)) return value.map((each) => renamed(each, names));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [renamedText(name, names), renamed(each, names)]),
  );
}

function renamedText(text: string, names: Names): string {
  let result = text;
  for (const [from, to] of names.pairs) result = result.replaceAll(from, to);
  result = result.replace(LONG_HEX, "0".repeat(64));
  return result.replace(UUID, (id) => {
    const known = names.ids.get(id) ?? `00000000-0000-4000-8000-${String(names.ids.size + 1).padStart(12, "0")}`;
    names.ids.set(id, known);
    return known;
  });
}
