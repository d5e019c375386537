import { canonicalJson } from "../../lib/canonical-json.ts";
import { sha256Hex } from "../../lib/hash.ts";
import type { JsonBytes, Span } from "../../lib/json-scan.ts";
import { elementsOf, membersOf } from "../../lib/json-spans.ts";
import type { ReadMemo } from "../../model/ports.ts";
import type { RequestHeader } from "../../model/transcript.ts";
import { type PartSeed, readPart } from "../shared/part.ts";
import { isTrueAt, kindOf, nameAt, stringAt } from "../shared/value.ts";
import { qualifiedName } from "./call.ts";
import type { Opening } from "./seed.ts";

/** What is known of a request besides its members. */
export interface HeaderGround {
  /** The system's and developer's entries that begin the conversation. */
  readonly openings: readonly Opening[];
  /** Bytes of them in the body. */
  readonly openingBytes: number;
  /** Breakpoints in them. */
  readonly headBreakpoints: number;
  /** Null where nothing of the prompt is to be remembered. */
  readonly cacheTtlMs: number | null;
}

type Members = ReadonlyMap<string, Span>;

const NO_MEMBERS: Members = new Map();

/** What the request states beside its conversation. `top` holds its members by name; the bytes must be valid JSON. */
export function readHeader(text: JsonBytes, top: Members, ground: HeaderGround, memo: ReadMemo): RequestHeader {
  const tools = readPart(text, top.get("tools"), memo, "openai-responses-tools", readTools);
  const instructions = readPart(text, top.get("instructions"), memo, "openai-responses-instructions", readInstructions);
  const told = [instructions.digest, schemaOf(text, top.get("text")), ground.openings.map(({ digest }) => digest)];
  const system = sha256Hex(JSON.stringify(told));
  return {
    model: nameAt(text, top.get("model")),
    toolNames: tools.texts,
    systemTexts: [...instructions.texts, ...ground.openings.flatMap(({ texts }) => texts)],
    cacheKey: sha256Hex(JSON.stringify([tools.digest, system])),
    cacheTtlMs: ground.cacheTtlMs,
    parts: { tools: tools.digest, system, thinking: null, effort: null, toolChoice: null },
    headBreakpoints: ground.headBreakpoints,
    hasServerClear: false,
    isStreaming: isTrueAt(text, top.get("stream")),
    overheadBytes: lengthOf(top.get("tools")) + lengthOf(top.get("instructions")) + ground.openingBytes,
  };
}

/**
 * The schema that an answer must fit stands in front of the system prompt. Source: https://developers.openai.com/api/docs/guides/prompt-caching
 */
function schemaOf(text: JsonBytes, span: Span | undefined): string | null {
  const format = membersAt(text, span).get("format");
  const isSchema = stringAt(text, membersAt(text, format).get("type")) === "json_schema";
  return format === undefined || !isSchema ? null : canonicalJson(text, format.start, null);
}

/** Null is the same as none. */
function readInstructions(text: JsonBytes, span: Span): Omit<PartSeed, "kind"> {
  if (kindOf(text, span) === "null") return { texts: [], digest: sha256Hex("[]") };
  const words = stringAt(text, span);
  const form = words === null ? canonicalJson(text, span.start, null) : JSON.stringify(words);
  return { texts: words === null ? [] : [words], digest: sha256Hex(`[${form}]`) };
}

function readTools(text: JsonBytes, span: Span): Omit<PartSeed, "kind"> {
  const tools = kindOf(text, span) === "array" ? elementsOf(text, span.start).map((tool) => readTool(text, tool)) : [];
  const forms = tools.flatMap(({ form }) => form ?? []);
  return { texts: tools.flatMap(({ names }) => names), digest: sha256Hex(`[${forms.join(",")}]`) };
}

/** A tool that is only to be found when it is looked for is no part of the prefix. */
function readTool(text: JsonBytes, span: Span): { readonly names: readonly string[]; readonly form: string | null } {
  const members = membersAt(text, span);
  const type = stringAt(text, members.get("type"));
  const name = stringAt(text, members.get("name"));
  const isDeferred = isTrueAt(text, members.get("defer_loading"));
  if (type === "namespace") return readNamespace(text, members, name);
  const names = [name ?? type ?? []].flat();
  return { names, form: isDeferred ? null : canonicalJson(text, span.start, null) };
}

function readNamespace(text: JsonBytes, members: Members, namespace: string | null): ReturnType<typeof readTool> {
  const list = members.get("tools");
  const inner = list !== undefined && kindOf(text, list) === "array" ? elementsOf(text, list.start) : [];
  const tools = inner.map((tool) => {
    const innerMembers = membersAt(text, tool);
    const name = stringAt(text, innerMembers.get("name"));
    const form = isTrueAt(text, innerMembers.get("defer_loading")) ? null : canonicalJson(text, tool.start, null);
    return { names: name === null ? [] : [qualifiedName(namespace, name)], form };
  });
  const forms = tools.flatMap(({ form }) => form ?? []);
  const form = `[${JSON.stringify(namespace)},[${forms.join(",")}]]`;
  return { names: tools.flatMap(({ names }) => names), form };
}

function membersAt(text: JsonBytes, span: Span | undefined): Members {
  return span !== undefined && kindOf(text, span) === "object" ? membersOf(text, span.start).spans : NO_MEMBERS;
}

function lengthOf(span: Span | undefined): number {
  return span === undefined ? 0 : span.end - span.start;
}
