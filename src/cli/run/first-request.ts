import type { CapturedRequest } from "../../replay/simulated/capture.ts";
import { amountWords } from "../figures.ts";
import { type JsonObject, objectOf } from "./loose-json.ts";

/** The request that begins a conversation, without the client's side requests; null where none came. */
export function firstRequestOf(requests: readonly CapturedRequest[]): CapturedRequest | null {
  const messages = requests.filter(({ method, url }) => method === "POST" && /\/v1\/messages(?:\?|$)/.test(url));
  const withTools = messages.find(({ bodyRaw }) => toolsOf(bodyOf(bodyRaw)).size > 0);
  return withTools ?? messages[0] ?? null;
}

/** How a first request differs from another one, in words, one line for each part of it. */
export function differenceLines(without: CapturedRequest, withEbb: CapturedRequest): readonly string[] {
  const [before, after] = [bodyOf(without.bodyRaw), bodyOf(withEbb.bodyRaw)];
  return [
    `headers     ${headerWords(without.headers, withEbb.headers)}`,
    `beta flags  ${setWords(betasOf(without), betasOf(withEbb))}`,
    `tools       ${mapWords(toolsOf(before), toolsOf(after))}`,
    `system      ${blockWords(blocksOf(before.system), blocksOf(after.system))}`,
    `parameters  ${mapWords(parametersOf(before), parametersOf(after))}`,
    `messages    ${blockWords(contentsOf(before), contentsOf(after))}`,
    `size        ${without.bodyBytes} bytes without, ${withEbb.bodyBytes} with Ebb`,
  ];
}

const BETA = "anthropic-beta";
/** What differs between any two requests of one client. */
const INCIDENTAL =
  /^(?:host|content-length|connection|accept-encoding|.*(?:session|request|trace|span)-?(?:id|parent)?)$/;
const UNPARAMETERS: ReadonlySet<string> = new Set(["messages", "system", "tools", "metadata"]);

function bodyOf(text: string): JsonObject {
  try {
    return objectOf(JSON.parse(text));
  } catch {
    return {};
  }
}

function betasOf({ headers }: CapturedRequest): readonly string[] {
  return (headers[BETA] ?? "")
    .split(",")
    .map((flag) => flag.trim())
    .filter((flag) => flag !== "");
}

function headerWords(before: CapturedRequest["headers"], after: CapturedRequest["headers"]): string {
  const kept = (headers: CapturedRequest["headers"]) =>
    new Map(Object.entries(headers).filter(([name]) => name !== BETA && !INCIDENTAL.test(name)));
  return mapWords(kept(before), kept(after));
}

function toolsOf(body: JsonObject): ReadonlyMap<string, string> {
  const tools = Array.isArray(body.tools) ? body.tools.map(objectOf) : [];
  return new Map(tools.map((tool) => [String(tool.name ?? tool.type), JSON.stringify(tool)]));
}

function parametersOf(body: JsonObject): ReadonlyMap<string, string> {
  const entries = Object.entries(body).filter(([name]) => !UNPARAMETERS.has(name));
  return new Map(entries.map(([name, value]) => [name, JSON.stringify(value)]));
}

function blocksOf(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return Array.isArray(value) ? value.map((block) => JSON.stringify(block)) : [];
}

function contentsOf(body: JsonObject): readonly string[] {
  const messages = Array.isArray(body.messages) ? body.messages.map(objectOf) : [];
  return messages.flatMap(({ content }) => blocksOf(content));
}

function mapWords(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string {
  const changed = Array.from(after.keys()).filter((name) => before.has(name) && before.get(name) !== after.get(name));
  return joined(setParts(Array.from(before.keys()), Array.from(after.keys())), listed("changed", changed));
}

function setWords(before: readonly string[], after: readonly string[]): string {
  return joined(setParts(before, after), []);
}

function setParts(before: readonly string[], after: readonly string[]): readonly string[] {
  const added = after.filter((name) => !before.includes(name));
  const gone = before.filter((name) => !after.includes(name));
  return [...listed("added", added), ...listed("not sent", gone)];
}

function blockWords(before: readonly string[], after: readonly string[]): string {
  const parts = after.flatMap((text, index) => (text === before[index] ? [] : [String(index + 1)]));
  if (parts.length === 0 && before.length === after.length) return `the same ${amountWords(after.length, "block")}`;
  return `${amountWords(before.length, "block")} without, ${after.length} with Ebb; other text at ${parts.join(", ") || "the end"}`;
}

function listed(verb: string, names: readonly string[]): readonly string[] {
  return names.length === 0 ? [] : [`${verb}: ${names.join(", ")}`];
}

function joined(...parts: readonly (readonly string[])[]): string {
  return parts.flat().join("; ") || "the same";
}
