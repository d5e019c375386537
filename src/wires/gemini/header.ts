import { canonicalJson } from "../../lib/canonical-json.ts";
import { sha256Hex } from "../../lib/hash.ts";
import type { JsonBytes, Span } from "../../lib/json-scan.ts";
import { elementsOf, membersOf } from "../../lib/json-spans.ts";
import type { ReadMemo, WireRoute } from "../../model/ports.ts";
import type { RequestHeader } from "../../model/transcript.ts";
import { type PartSeed, readPart } from "../shared/part.ts";
import { kindOf, nameAt, stringAt } from "../shared/value.ts";
import { memberOf } from "./names.ts";

type Members = ReadonlyMap<string, Span>;

/** What the request states beside its contents. `top` holds its members by name; the bytes must be valid JSON. */
export function readHeader(text: JsonBytes, top: Members, memo: ReadMemo, route: WireRoute | null): RequestHeader {
  const toolsSpan = memberOf(top, "tools");
  const systemSpan = memberOf(top, "systemInstruction");
  const tools = readPart(text, toolsSpan, memo, "gemini-tools", readTools);
  const system = readPart(text, systemSpan, memo, "gemini-system", readSystem);
  // A cache of its own that the request names stands in front of everything.
  const cachedContent = stringAt(text, memberOf(top, "cachedContent"));
  return {
    model: route?.model ?? nameAt(text, top.get("model")),
    toolNames: tools.texts,
    systemTexts: system.texts,
    cacheKey: sha256Hex(JSON.stringify([tools.digest, system.digest, cachedContent])),
    cacheTtlMs: null,
    parts: { tools: tools.digest, system: system.digest, thinking: null, effort: null, toolChoice: null },
    headBreakpoints: 0,
    hasServerClear: false,
    isStreaming: false,
    overheadBytes: lengthOf(toolsSpan) + lengthOf(systemSpan),
  };
}

function lengthOf(span: Span | undefined): number {
  return span === undefined ? 0 : span.end - span.start;
}

function readTools(text: JsonBytes, span: Span): Omit<PartSeed, "kind"> {
  const texts = elementsIn(text, span).flatMap((tool) => {
    const declared = memberOf(membersIn(text, tool), "functionDeclarations");
    return elementsIn(text, declared).flatMap((one) => nameAt(text, membersIn(text, one).get("name")) ?? []);
  });
  return { texts, digest: sha256Hex(canonicalJson(text, span.start, null)) };
}

/** A string counts like the same text as one part, and the role says nothing. */
function readSystem(text: JsonBytes, span: Span): Omit<PartSeed, "kind"> {
  const only = stringAt(text, span);
  const parts = only === null ? membersIn(text, span).get("parts") : undefined;
  const isList = parts !== undefined && kindOf(text, parts) === "array";
  const single = isList || parts === undefined ? [] : [parts];
  const texts =
    only === null
      ? [...elementsIn(text, parts), ...single].flatMap(
          (part) => stringAt(text, membersIn(text, part).get("text")) ?? [],
        )
      : [only];
  const content = parts === undefined ? JSON.stringify([{ text: only }]) : canonicalJson(text, parts.start, null);
  return { texts, digest: sha256Hex(content) };
}

function membersIn(text: JsonBytes, span: Span): Members {
  return kindOf(text, span) === "object" ? membersOf(text, span.start).spans : new Map();
}

function elementsIn(text: JsonBytes, span: Span | undefined): readonly Span[] {
  return span !== undefined && kindOf(text, span) === "array" ? elementsOf(text, span.start) : [];
}
