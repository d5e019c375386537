import { sha256Hex } from "../lib/hash.ts";
import type { JsonObject } from "../model/json.ts";
import { contentOf } from "./readers/body-content.ts";
import type { RecordedBlock, RecordedWire } from "./recording.ts";
import { blocksOf, mediaOf, promptToolsOf, systemBlocksOf } from "./simulated/content.ts";
import { objectsOf } from "./simulated/json.ts";
import { type Position, type Prompt, type PromptRules, promptOf, tokensOf } from "./simulated/prompt.ts";

/** A body as a prompt cache sees it, whatever its format. */
export interface RecordedPrompt {
  readonly prompt: Prompt;
  /** Positions of tools and system prompt. */
  readonly headCount: number;
  readonly images: number;
  /** The request asks the provider to clear by itself. */
  readonly asksClearing: boolean;
  /** The call whose result stands at each position; null for everything else. */
  readonly callIds: readonly (string | null)[];
}

/** Takes a body of that format apart, block by block in the order of its prompt. */
export function recordedPrompt(wire: RecordedWire, body: Uint8Array, rules: PromptRules): RecordedPrompt {
  const parsed: JsonObject = JSON.parse(Buffer.from(body).toString("utf8"));
  return wire === "anthropic-messages" ? messagesPrompt(parsed, rules) : otherPrompt(wire, parsed, rules);
}

function messagesPrompt(body: JsonObject, rules: PromptRules): RecordedPrompt {
  const callIds: (string | null)[] = [];
  const prompt = promptOf(body, {
    ...rules,
    sizeOf(block, isHead) {
      callIds.push(block.type === "tool_result" && typeof block.tool_use_id === "string" ? block.tool_use_id : null);
      return rules.sizeOf?.(block, isHead) ?? tokensOf(block, rules.counter);
    },
  });
  const media = objectsOf(body.messages).flatMap((message) => blocksOf(message.content).flatMap(mediaOf));
  return {
    prompt,
    headCount: promptToolsOf(body).length + systemBlocksOf(body).length,
    images: media.filter(({ type }) => type === "image").length,
    asksClearing: "context_management" in body,
    callIds,
  };
}

/** The lifetime that OpenAI's breakpoints state by default, in milliseconds; models with other caches ignore it. */
const BREAKPOINT_LIFETIME_MS = 30 * 60 * 1_000;

/** Providers of these formats cache by themselves; a breakpoint of their own stands at the end of what was said. */
function otherPrompt(
  wire: Exclude<RecordedWire, "anthropic-messages">,
  body: JsonObject,
  { sizeOf, counter }: PromptRules,
): RecordedPrompt {
  const { headTexts, messages } = contentOf(wire, body, 0);
  const blocks = messages.flatMap((message) => message.blocks);
  const positions: Position[] = [];
  let key = sha256Hex(`model ${String(body.model ?? "")}`);
  let tokens = 0;
  const put = (role: string, text: string, size: number, lifetimeMs: number | null): void => {
    key = sha256Hex(`${key}${role}${text}`);
    tokens += size;
    positions.push({ key, tokens, lifetimeMs });
  };
  const measure = (block: JsonObject, isHead: boolean): number => sizeOf?.(block, isHead) ?? tokensOf(block, counter);
  for (const text of headTexts) put("head", text, measure({ type: "text", text }, true), null);
  for (const [index, block] of blocks.entries()) {
    const isLast = index === blocks.length - 1;
    put(block.role, textOf(block), measure(blockOf(block), false), isLast ? BREAKPOINT_LIFETIME_MS : null);
  }
  const head = headTexts.map(() => null);
  return {
    prompt: { positions, tokens, deletedTokens: 0, originalTokens: tokens, clearings: [] },
    headCount: headTexts.length,
    images: blocks.filter(({ kind }) => kind === "media").length,
    asksClearing: false,
    callIds: [...head, ...blocks.map(({ kind, callId }) => (kind === "result" ? callId : null))],
  };
}

function textOf({ json }: RecordedBlock): string {
  return Buffer.from(json).toString("utf8");
}

function blockOf(block: RecordedBlock): JsonObject {
  return JSON.parse(textOf(block));
}
