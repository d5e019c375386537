import { type Dice, FIRST_CHOICE } from "./dice.ts";
import type { Frame } from "./frames.ts";
import { type Hand, type JsonNode, object, writeJson } from "./json-text.ts";

/** One block of a message, before the client gives it a form. */
export type TalkBlock =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "call"; readonly id: string; readonly name: string; readonly input: readonly Member[] }
  | {
      readonly kind: "result";
      readonly id: string;
      readonly isError: boolean;
      /** One text in a form of the client's choice, blocks as they are, or no content at all. */
      readonly content: string | readonly ResultPart[] | null;
    }
  | { readonly kind: "as-is"; readonly node: JsonNode };

export type Member = readonly [string, JsonNode];

/** A piece of a result: a text that may carry a breakpoint, or any other block. */
export type ResultPart = string | { readonly node: JsonNode };

export interface TalkMessage {
  readonly role: "user" | "assistant" | "system";
  readonly blocks: readonly TalkBlock[];
}

export interface BodyParts {
  readonly model: string;
  readonly ttl: "5m" | "1h" | null;
  readonly frame: Frame;
  readonly tools: readonly string[];
  readonly messages: readonly TalkMessage[];
  readonly isFaithful: boolean;
}

/**
 * The request as the client would send it today. What the client re-shapes between requests is left to chance: white space,
 * escapes, order of members and of parallel results, breakpoints, text as string or block, defaults in echoed calls. A faithful
 * client leaves nothing to chance.
 */
export function writeRequest(parts: BodyParts, given: Dice): Uint8Array {
  const dice = parts.isFaithful ? FIRST_CHOICE : given;
  const hand: Hand = dice.pick([
    { spaces: 0, escapes: 0 },
    { spaces: 0, escapes: 0 },
    { spaces: 12, escapes: 0 },
    { spaces: 8, escapes: 15 },
  ]);
  const breakpoint = breakpointOf(parts.ttl);
  const last = parts.messages.length - 1;
  const members: readonly Member[] = [
    ["model", parts.model],
    ["max_tokens", { verbatim: dice.pick(["32000", "3.2e4", "32000.0"]) }],
    ["stream", true],
    ["system", [object({ type: "text", text: parts.frame.system, cache_control: breakpoint })]],
    ["tools", toolNodes(parts)],
    ...(parts.frame.thinking === null ? [] : [["thinking", parts.frame.thinking] as const]),
    [
      "messages",
      parts.messages.map((message, index) =>
        messageNode(message, index === last || index === last - 2 ? breakpoint : undefined, dice),
      ),
    ],
    ["metadata", object({ exotic: { verbatim: '[1E400,-0,1e-7,12345678901234567890,"\\uD83D"]' } })],
  ];
  return Buffer.from(writeJson({ members }, hand, dice), "utf8");
}

function toolNodes({ tools, frame: { tool } }: BodyParts): readonly JsonNode[] {
  const nodes = tools.map((name) => toolNode(name));
  return tool === null ? nodes : [...nodes, toolNode(tool.name, tool.isDeferred ? true : undefined)];
}

function toolNode(name: string, defer?: true): JsonNode {
  return object({ name, description: name, input_schema: object({ type: "object" }), defer_loading: defer });
}

function breakpointOf(ttl: "5m" | "1h" | null): JsonNode | undefined {
  if (ttl === null) return undefined;
  return ttl === "1h" ? object({ type: "ephemeral", ttl }) : object({ type: "ephemeral" });
}

function messageNode(message: TalkMessage, breakpoint: JsonNode | undefined, dice: Dice): JsonNode {
  const [only] = message.blocks;
  if (message.blocks.length === 1 && only?.kind === "text" && breakpoint === undefined && dice.oneIn(2)) {
    return object({ role: message.role, content: only.text });
  }
  const blocks = reordered(message.blocks, dice);
  const content = blocks.map((block, index) => {
    const isMarked = index === blocks.length - 1 && block.kind !== "as-is";
    return blockNode(block, isMarked ? breakpoint : undefined, dice);
  });
  return object({ role: message.role, content });
}

/** Parallel results come back in the order in which they ended. */
function reordered(blocks: readonly TalkBlock[], dice: Dice): readonly TalkBlock[] {
  const results = blocks.filter((block) => block.kind === "result");
  if (results.length < 2) return blocks;
  return [...dice.shuffled(results), ...blocks.filter((block) => block.kind !== "result")];
}

function blockNode(block: TalkBlock, breakpoint: JsonNode | undefined, dice: Dice): JsonNode {
  switch (block.kind) {
    case "text":
      return object({ type: "text", text: block.text, cache_control: breakpoint });
    case "call":
      return object({
        type: "tool_use",
        id: block.id,
        name: block.name,
        input: { members: echoed(block.name, block.input, dice) },
        cache_control: breakpoint,
      });
    case "result":
      return object({
        type: "tool_result",
        tool_use_id: block.id,
        content: contentNode(block.content, breakpoint, dice),
        is_error: block.isError ? true : dice.pick([undefined, undefined, false]),
        cache_control: breakpoint,
      });
    case "as-is":
      return block.node;
  }
}

function contentNode(
  content: string | readonly ResultPart[] | null,
  breakpoint: JsonNode | undefined,
  dice: Dice,
): JsonNode | undefined {
  if (content === null) return undefined;
  if (typeof content === "string") {
    return dice.oneIn(2) ? content : [object({ type: "text", text: content, cache_control: inner(breakpoint, dice) })];
  }
  return content.map((part) =>
    typeof part === "string" ? object({ type: "text", text: part, cache_control: inner(breakpoint, dice) }) : part.node,
  );
}

/** Some clients put the breakpoint inside the result. */
function inner(breakpoint: JsonNode | undefined, dice: Dice): JsonNode | undefined {
  return dice.oneIn(8) ? breakpoint : undefined;
}

/** Clients add defaults to the calls they echo, and keep no order of members. */
function echoed(name: string, input: readonly Member[], dice: Dice): readonly Member[] {
  const hasDuplicates = new Set(input.map(([member]) => member)).size < input.length;
  const withDefaults: readonly Member[] =
    name === "Edit" && dice.oneIn(2) && !hasDuplicates ? [...input, ["replace_all", false]] : input;
  return hasDuplicates || !dice.oneIn(3) ? withDefaults : dice.shuffled(withDefaults);
}
