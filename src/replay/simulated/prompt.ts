import { sha256Hex } from "../../lib/hash.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { TokenCounter } from "../../model/ports.ts";
import type { CacheEditShape } from "./cache-edits.ts";
import { type Clearing, clearEntries, type MeasuredEntry } from "./clearing.ts";
import { blocksOf, mediaOf } from "./content.ts";
import { contextEditsOf } from "./context-edits.ts";
import { entriesOf, type Section } from "./entries.ts";
import { canonicalJson, isObject, objectsOf, omit, stringOf } from "./json.ts";

/** What a model does with history; data of the provider. */
export interface ModelTraits {
  readonly allowsSystemMessages: boolean;
  readonly keepsThinking: boolean;
}

/** One place of the prompt at which a cached prefix may end. */
export interface Position {
  /** Hash of everything up to and including this block, `cache_control` apart. */
  readonly key: string;
  /** Tokens up to and including this block. */
  readonly tokens: number;
  /** Lifetime of the breakpoint on this block, in milliseconds; null where there is none. */
  readonly lifetimeMs: number | null;
}

/** What a request is to the prompt cache: its blocks in the order tools, system, messages. */
export interface Prompt {
  readonly positions: readonly Position[];
  readonly tokens: number;
  /** Tokens of all results deleted from the cached prefix; no part of `tokens`. */
  readonly deletedTokens: number;
  /** What `tokens` would be if the provider cleared nothing by itself. */
  readonly originalTokens: number;
  readonly clearings: readonly Clearing[];
}

/** Tokens an image or an attached file counts as, whatever its size. */
export const MEDIA_TOKENS = 1_500;
const EFFORT_DEFAULT = "high";

/** Four UTF-8 bytes a token, rounded up. */
export const byteCounter: TokenCounter = { count: (text) => Math.ceil(Buffer.byteLength(text) / 4) };

export interface PromptRules {
  readonly traits: ModelTraits;
  readonly counter: TokenCounter;
  /** Tokens of one block, in place of the count of its JSON; `isHead`: of the tools or the system prompt. */
  readonly sizeOf?: ((block: JsonObject, isHead: boolean) => number) | undefined;
  /** How the request deletes from the cached prefix; left out or null: such blocks are like any other. */
  readonly cacheEdits?: CacheEditShape | null | undefined;
  /** True for a thinking block the model cannot read and drops: message index, block index. */
  isDropped(messageIndex: number, blockIndex: number): boolean;
}

/**
 * Reads a valid request as the prompt cache sees it. What the request asks the provider to clear is cleared. A deleted
 * result keeps its place in the prefix and its part of the keys behind it, and counts no tokens.
 */
export function promptOf(request: JsonObject, rules: PromptRules): Prompt {
  const edits = contextEditsOf(request);
  const { keepsThinking } = rules.traits;
  const entries = entriesOf(request, {
    cacheEdits: rules.cacheEdits ?? null,
    keepsThinking: keepsThinking || edits.some(({ kind }) => kind === "thinking"),
    isDropped: (messageIndex, blockIndex) => rules.isDropped(messageIndex, blockIndex),
  });
  const measure = (block: JsonObject, section: Section): number =>
    rules.sizeOf?.(block, section !== "messages") ?? tokensOf(block, rules.counter);
  const measured = entries.map((entry) => ({
    ...entry,
    tokens: entry.state === "sent" ? measure(entry.block, entry.section) : 0,
  }));
  const deleted = entries.filter(({ state }) => state === "deleted");
  const cleared = clearEntries(measured, edits, { keepsThinking, measure: (block) => measure(block, "messages") });
  const positions = positionsOf(request, cleared.entries);
  return {
    positions,
    tokens: positions.at(-1)?.tokens ?? 0,
    deletedTokens: deleted.reduce((sum, { block, section }) => sum + measure(block, section), 0),
    originalTokens: measured.reduce((sum, { tokens }) => sum + tokens, 0),
    clearings: cleared.clearings,
  };
}

function positionsOf(request: JsonObject, entries: readonly MeasuredEntry[]): readonly Position[] {
  const salts = saltsOf(request);
  const positions: Position[] = [];
  let key = sha256Hex(`model ${stringOf(request.model)}`);
  let section: Section = "tools";
  let tokens = 0;
  for (const entry of entries) {
    if (entry.section !== section) {
      key = sha256Hex(key + saltBetween(section, entry.section, salts));
      section = entry.section;
    }
    key = sha256Hex(
      `${key}${entry.role}${entry.state === "edit" ? JSON.stringify(entry.block) : cacheText(entry.block)}`,
    );
    tokens += entry.tokens;
    positions.push({ key, tokens, lifetimeMs: entry.lifetimeMs });
  }
  return positions;
}

interface Salts {
  readonly system: string;
  readonly messages: string;
}

/** Parameters that the cache of the system prompt, or of the messages, depends on. */
function saltsOf(request: JsonObject): Salts {
  const media = objectsOf(request.messages).flatMap((message) => blocksOf(message.content).flatMap(mediaOf));
  const hasCitations = media.some((block) => isObject(block.citations) && block.citations.enabled === true);
  const effort = isObject(request.output_config) ? request.output_config.effort : undefined;
  const thinking = isObject(request.thinking) && request.thinking.type !== "disabled" ? request.thinking : null;
  return {
    system: canonicalJson(["system", request.speed ?? null, hasCitations]),
    messages: canonicalJson([
      "messages",
      isAutomaticChoice(request.tool_choice) ? null : (request.tool_choice ?? null),
      thinking === null ? null : omit(thinking, "block_binding"),
      effort === undefined || effort === EFFORT_DEFAULT ? null : effort,
      media.filter((block) => block.type === "image").length,
    ]),
  };
}

function isAutomaticChoice(choice: JsonValue | undefined): boolean {
  return isObject(choice) && choice.type === "auto" && Object.keys(choice).length === 1;
}

function saltBetween(from: Section, to: Section, salts: Salts): string {
  if (to === "system") return salts.system;
  return from === "tools" ? salts.system + salts.messages : salts.messages;
}

/** Order of keys counts inside call arguments and schemas, and nowhere else. */
function cacheText(block: JsonObject): string {
  const verbatim = JSON.stringify([block.input ?? null, block.input_schema ?? null]);
  return canonicalJson(omit(omit(block, "input"), "input_schema")) + verbatim;
}

/** Tokens of a block that nobody measured otherwise: of its JSON, its media by themselves. */
export function tokensOf(block: JsonObject, counter: TokenCounter): number {
  const media = mediaOf(block);
  if (media.length === 0) return counter.count(JSON.stringify(block));
  return media.length * MEDIA_TOKENS + counter.count(JSON.stringify(withoutSources(block)));
}

function withoutSources(block: JsonObject): JsonValue {
  const bare = omit(block, "source");
  if (!Array.isArray(bare.content)) return bare;
  return {
    ...bare,
    content: bare.content.map((inner: JsonValue) => (isObject(inner) ? withoutSources(inner) : inner)),
  };
}
