import { canonicalJson } from "../../lib/canonical-json.ts";
import { sha256Hex } from "../../lib/hash.ts";
import type { JsonBytes, Span } from "../../lib/json-scan.ts";
import { elementsOf, membersOf } from "../../lib/json-spans.ts";
import type { ReadMemo } from "../../model/ports.ts";
import type { Breakpoint, RequestHeader } from "../../model/transcript.ts";
import { recallSeed } from "../shared/seed.ts";
import { isTrueAt, kindOf, nameAt, stringAt } from "../shared/value.ts";
import { CACHE_CONTROL, longerTtl, ttlOf } from "./cache-control.ts";
import { cacheKeyOf, partsOf } from "./cache-key.ts";
import type { PartSeed } from "./seed.ts";

/** Clients put a block that differs in every request first in the system prompt; the provider's cache leaves it out. */
const BILLING_HEADER = "x-anthropic-billing-header";

/** What the request states beside its messages. `top` holds its members by name; the bytes must be valid JSON. */
export function readHeader(
  text: JsonBytes,
  top: ReadonlyMap<string, Span>,
  breakpoints: readonly Breakpoint[],
  memo: ReadMemo,
): RequestHeader {
  const tools = readPart(text, top.get("tools"), memo, "anthropic-tools");
  const system = readPart(text, top.get("system"), memo, "anthropic-system");
  const lifetimes = [tools.cacheTtlMs, system.cacheTtlMs, ...breakpoints.map(({ ttlMs }) => ttlMs)];
  const parts = partsOf(text, top, tools.digest, system.digest);
  return {
    model: nameAt(text, top.get("model")),
    toolNames: tools.texts,
    systemTexts: system.texts,
    cacheKey: cacheKeyOf(parts),
    cacheTtlMs: lifetimes.reduce(longerTtl, null),
    parts,
    headBreakpoints: tools.breakpoints + system.breakpoints,
    hasServerClear: hasServerClear(text, top.get("context_management")),
    isStreaming: isTrueAt(text, top.get("stream")),
    overheadBytes: lengthOf(top.get("tools")) + lengthOf(top.get("system")),
  };
}

/** True where the body asks for an edit of its context by the provider. */
function hasServerClear(text: JsonBytes, span: Span | undefined): boolean {
  if (span === undefined || kindOf(text, span) !== "object") return false;
  const edits = membersOf(text, span.start).spans.get("edits");
  return edits !== undefined && kindOf(text, edits) === "array" && elementsOf(text, edits.start).length > 0;
}

function lengthOf(span: Span | undefined): number {
  return span === undefined ? 0 : span.end - span.start;
}

function readPart(text: JsonBytes, span: Span | undefined, memo: ReadMemo, kind: PartSeed["kind"]): PartSeed {
  if (span === undefined) return { kind, texts: [], digest: sha256Hex("[]"), breakpoints: 0, cacheTtlMs: null };
  const digest = sha256Hex(text.bytes.subarray(span.start, span.end));
  const known = recallSeed<PartSeed>(memo.get(digest), kind);
  if (known !== null) return known;
  const part = kind === "anthropic-tools" ? readTools(text, span) : readSystem(text, span);
  memo.set(digest, part);
  return part;
}

function readTools(text: JsonBytes, span: Span): PartSeed {
  const texts: string[] = [];
  const cached: string[] = [];
  const lifetimes: (number | null)[] = [];
  for (const { start, end } of kindOf(text, span) === "array" ? elementsOf(text, span.start) : []) {
    const members = kindOf(text, { start, end }) === "object" ? membersOf(text, start).spans : new Map<string, Span>();
    const name = stringAt(text, members.get("name"));
    if (name !== null) texts.push(name);
    // A tool that is only to be found when it is looked for is no part of the prefix.
    if (!isTrueAt(text, members.get("defer_loading"))) cached.push(canonicalJson(text, start, CACHE_CONTROL));
    lifetimes.push(ttlOf(text, members.get(CACHE_CONTROL)));
  }
  return { kind: "anthropic-tools", texts, digest: sha256Hex(`[${cached.join(",")}]`), ...lifetimesOf(lifetimes) };
}

/** A system prompt as one string counts like the same text in one block. */
function readSystem(text: JsonBytes, span: Span): PartSeed {
  const only = stringAt(text, span);
  if (only !== null) {
    const block = `{"text":${JSON.stringify(only)},"type":"text"}`;
    return {
      kind: "anthropic-system",
      texts: [only],
      digest: sha256Hex(`[${block}]`),
      breakpoints: 0,
      cacheTtlMs: null,
    };
  }
  const texts: string[] = [];
  const blocks: string[] = [];
  const lifetimes: (number | null)[] = [];
  for (const element of kindOf(text, span) === "array" ? elementsOf(text, span.start) : []) {
    const members = kindOf(text, element) === "object" ? membersOf(text, element.start).spans : new Map<string, Span>();
    const words = stringAt(text, members.get("text"));
    if (words !== null) texts.push(words);
    if (words?.startsWith(BILLING_HEADER) !== true) blocks.push(canonicalJson(text, element.start, CACHE_CONTROL));
    lifetimes.push(ttlOf(text, members.get(CACHE_CONTROL)));
  }
  return { kind: "anthropic-system", texts, digest: sha256Hex(`[${blocks.join(",")}]`), ...lifetimesOf(lifetimes) };
}

function lifetimesOf(lifetimes: readonly (number | null)[]): Pick<PartSeed, "breakpoints" | "cacheTtlMs"> {
  return {
    breakpoints: lifetimes.filter((ttlMs) => ttlMs !== null).length,
    cacheTtlMs: lifetimes.reduce(longerTtl, null),
  };
}
