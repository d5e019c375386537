import { sha256Hex } from "../../lib/hash.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { TokenCounter } from "../../model/ports.ts";
import { isMarkable, lifetimeOf } from "./breakpoints.ts";
import { blocksOf, isThinking, mediaOf, normalBlock, promptToolsOf, systemBlocksOf } from "./content.ts";
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
  /** True for a thinking block the model cannot read and drops: message index, block index. */
  isDropped(messageIndex: number, blockIndex: number): boolean;
}

/** Reads a valid request as the prompt cache sees it. */
export function promptOf(request: JsonObject, rules: PromptRules): Prompt {
  const blocks = [...headBlocksOf(request), ...messageBlocksOf(request, rules)];
  const lifetimes = lifetimesOf(request, blocks);
  const salts = saltsOf(request);
  const positions: Position[] = [];
  let key = sha256Hex(`model ${stringOf(request.model)}`);
  let section: Section = "tools";
  let tokens = 0;
  blocks.forEach((entry, index) => {
    if (entry.section !== section) {
      key = sha256Hex(key + saltBetween(section, entry.section, salts));
      section = entry.section;
    }
    const normal = normalBlock(entry.block);
    key = sha256Hex(`${key}${entry.role}${cacheText(normal)}`);
    tokens += rules.sizeOf?.(normal, section !== "messages") ?? tokensOf(normal, rules.counter);
    positions.push({ key, tokens, lifetimeMs: lifetimes[index] ?? null });
  });
  return { positions, tokens };
}

type Section = "tools" | "system" | "messages";

interface Entry {
  readonly section: Section;
  readonly role: string;
  readonly block: JsonObject;
}

/** The provider renders web search into the system prompt, so switching it leaves the tools as they were. */
function headBlocksOf(request: JsonObject): readonly Entry[] {
  const tools = promptToolsOf(request).map((block): Entry => {
    const isWebSearch = stringOf(block.type).startsWith("web_search");
    return { section: isWebSearch ? "system" : "tools", role: "tool", block };
  });
  const system = systemBlocksOf(request).map((block): Entry => ({ section: "system", role: "system", block }));
  return [
    ...tools.filter((tool) => tool.section === "tools"),
    ...tools.filter((tool) => tool.section === "system"),
    ...system,
  ];
}

function messageBlocksOf(request: JsonObject, rules: PromptRules): readonly Entry[] {
  const messages = objectsOf(request.messages);
  const lastSpoken = messages.findLastIndex((message) => message.role === "user" && isSpoken(message));
  return messages.flatMap((message, messageIndex) =>
    blocksOf(message.content)
      .filter((block, blockIndex) => {
        if (!isThinking(block)) return true;
        const isForgotten = !rules.traits.keepsThinking && messageIndex < lastSpoken;
        return !isForgotten && !rules.isDropped(messageIndex, blockIndex);
      })
      .map((block): Entry => ({ section: "messages", role: stringOf(message.role), block })),
  );
}

function isSpoken(message: JsonObject): boolean {
  return blocksOf(message.content).some((block) => block.type !== "tool_result");
}

function lifetimesOf(request: JsonObject, blocks: readonly Entry[]): readonly (number | null)[] {
  const lifetimes = blocks.map(({ block }) => lifetimeOf(block));
  const automatic = lifetimeOf(request);
  const last = automatic === null ? -1 : blocks.findLastIndex(({ block }) => isMarkable(block));
  if (last >= 0) lifetimes[last] ??= automatic;
  return lifetimes;
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

function tokensOf(block: JsonObject, counter: TokenCounter): number {
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
