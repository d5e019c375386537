import { canonicalJson } from "../../lib/canonical-json.ts";
import { sha256Hex } from "../../lib/hash.ts";
import type { JsonBytes, Span } from "../../lib/json-scan.ts";
import { elementsOf } from "../../lib/json-spans.ts";
import type { ReadMemo } from "../../model/ports.ts";
import type { RequestHeader } from "../../model/transcript.ts";
import { type PartSeed, readPart } from "../shared/part.ts";
import { isTrueAt, kindOf, nameAt } from "../shared/value.ts";
import { CACHE_CONTROL } from "./breakpoints.ts";
import { membersAt } from "./object.ts";
import type { ChatSeed } from "./seed.ts";

/** What a body states beside the conversation. */
export interface HeaderGround {
  readonly text: JsonBytes;
  /** Its members by name. */
  readonly top: ReadonlyMap<string, Span>;
  /** The system and developer messages in front of all others. */
  readonly head: readonly ChatSeed[];
  readonly headBytes: number;
  readonly memo: ReadMemo;
}

/** What the request states beside its conversation, apart from its breakpoints. The bytes must be valid JSON. */
export function readHeader({
  text,
  top,
  head,
  headBytes,
  memo,
}: HeaderGround): Omit<RequestHeader, "cacheTtlMs" | "headBreakpoints"> {
  const tools = readPart(text, top.get("tools"), memo, "openai-chat-tools", readTools);
  const functions = readPart(text, top.get("functions"), memo, "openai-chat-functions", readTools);
  const instructions = head.flatMap(({ instruction }) => (instruction === null ? [] : [instruction]));
  const toolsDigest = functions.texts.length === 0 ? tools.digest : sha256Hex(`${tools.digest} ${functions.digest}`);
  const systemDigest = sha256Hex(instructions.map(({ digest }) => digest).join(" "));
  return {
    model: nameAt(text, top.get("model")),
    toolNames: [...tools.texts, ...functions.texts],
    systemTexts: instructions.flatMap(({ texts }) => texts),
    // The schema of an answer stands in front of all with one provider, and with none other that speaks this format.
    cacheKey: sha256Hex(JSON.stringify([toolsDigest, systemDigest])),
    parts: { tools: toolsDigest, system: systemDigest, thinking: null, effort: null, toolChoice: null },
    hasServerClear: false,
    isStreaming: isTrueAt(text, top.get("stream")),
    overheadBytes: lengthOf(top.get("tools")) + lengthOf(top.get("functions")) + headBytes,
  };
}

function lengthOf(span: Span | undefined): number {
  return span === undefined ? 0 : span.end - span.start;
}

/** Tools, or legacy functions: each states its name in itself or one level down. */
function readTools(text: JsonBytes, span: Span): Omit<PartSeed, "kind"> {
  const tools = kindOf(text, span) === "array" ? elementsOf(text, span.start) : [];
  const texts = tools.flatMap((tool) => {
    const members = membersAt(text, tool);
    const inner = membersAt(text, members.get("function") ?? members.get("custom"));
    const name = nameAt(text, inner.get("name") ?? members.get("name"));
    return name === null ? [] : [name];
  });
  const forms = tools.map(({ start }) => canonicalJson(text, start, CACHE_CONTROL));
  return { texts, digest: sha256Hex(`[${forms.join(",")}]`) };
}
