import type { Edit, Script } from "../../src/model/edit.ts";
import type { Item } from "../../src/model/item.ts";
import type { Block } from "./conversation.ts";

/** A body of the Messages API as plain data. */
export interface PlainBody {
  readonly [name: string]: unknown;
  readonly messages: readonly PlainMessage[];
}

export interface PlainMessage {
  readonly role: string;
  readonly content: string | readonly Block[];
}

type Placed = Pick<Item, "messageIndex" | "blockIndex">;

interface Added {
  readonly behind: number;
  readonly block: Block;
}

const MARKS = new Map<number, object>([
  [300_000, { type: "ephemeral" }],
  [3_600_000, { type: "ephemeral", ttl: "1h" }],
]);
const CAN_CARRY = ["text", "tool_use", "tool_result", "image"];

/**
 * What a script makes of a body: the wire's rules told by values instead of bytes. Results hold texts alone, no member comes
 * twice, and no call has two results.
 */
export function editedBody(body: PlainBody, script: Script, items: readonly Item[]): PlainBody {
  const byKey = new Map(items.map((item) => [item.key, item]));
  const cached = lastCached(body, script, byKey);
  const asked = askedOf(body, script, byKey, cached);
  const messages = body.messages.map((message, index): PlainMessage => {
    const at = (key: string): Placed | null => {
      const item = byKey.get(key);
      return item?.messageIndex === index ? item : null;
    };
    const blocks = typeof message.content === "string" ? [textBlock(message.content)] : message.content;
    const lastResult = blocks.findLastIndex(({ type }) => type === "tool_result");
    const added = script.flatMap((edit): readonly Added[] => {
      const anchor = "anchorKey" in edit && message.role === "user" ? at(edit.anchorKey) : null;
      if (anchor === null) return [];
      const behind = Math.max(anchor.blockIndex, lastResult);
      if (edit.kind === "note") return edit.text === "" ? [] : [{ behind, block: textBlock(edit.text) }];
      const edits = (asked.get(edit) ?? []).map((id) => ({ type: "delete", cache_reference: id }));
      const place = lastResult === -1 ? behind : lastResult;
      return edits.length === 0 ? [] : [{ behind: place, block: { type: "cache_edits", edits } }];
    });
    return withAdded(message, edited(message, blocks, script, at), added);
  });
  const named = asked.size > 0 ? messages.map((one, index) => (index < cached ? withNames(one) : one)) : messages;
  return { ...body, ...fieldsOf(body, script), messages: named };
}

/** What each deletion asks for: results that stand before it and are remembered, each once in the script. */
function askedOf(
  body: PlainBody,
  script: Script,
  byKey: ReadonlyMap<string, Item>,
  cached: number,
): ReadonlyMap<Edit, readonly string[]> {
  const all = new Set<string>();
  const asked = new Map<Edit, readonly string[]>();
  for (const edit of script) {
    const anchor = edit.kind === "delete" ? byKey.get(edit.anchorKey) : undefined;
    if (edit.kind !== "delete" || anchor === undefined || body.messages[anchor.messageIndex]?.role !== "user") continue;
    const end = Math.min(cached, anchor.messageIndex);
    const results = edit.resultKeys.map((key) => byKey.get(key));
    const ids = results.flatMap((item) =>
      item?.kind === "result" && item.role === "user" && item.messageIndex < end ? item.callId : [],
    );
    const fresh = Array.from(new Set(ids)).filter((id) => !all.has(id));
    for (const id of fresh) all.add(id);
    if (fresh.length > 0) asked.set(edit, fresh);
  }
  return asked;
}

/** Blocks with their edits; null where one is left out. */
function edited(
  { role, content }: PlainMessage,
  blocks: readonly Block[],
  script: Script,
  at: (key: string) => Placed | null,
): readonly (Block | null)[] {
  const changed: (Block | null)[] = [...blocks];
  if (typeof content === "string") return changed;
  for (const edit of script) {
    const index = "itemKey" in edit ? (at(edit.itemKey)?.blockIndex ?? -1) : -1;
    const block = changed[index];
    if (block === undefined || block === null) continue;
    if (edit.kind === "omit" && role === "assistant" && block.type === "thinking") {
      if (changed.filter((one) => one !== null).length > 1) changed[index] = null;
    }
    if (edit.kind === "replace" && edit.text !== "") changed[index] = replaced(block, edit.text);
    const mark = edit.kind === "breakpoint" ? MARKS.get(edit.ttlMs) : undefined;
    const isFree = CAN_CARRY.includes(block.type) && role !== "system" && !("cache_control" in (blocks[index] ?? {}));
    if (mark !== undefined && isFree && block.text !== "") changed[index] = { ...block, cache_control: mark };
  }
  return changed;
}

function replaced(block: Block, text: string): Block {
  if (block.type === "tool_result") {
    const { content } = block;
    if (content === undefined) return block;
    return { ...block, content: typeof content === "string" ? text : [textBlock(text)] };
  }
  const mark = "cache_control" in block ? { cache_control: block.cache_control } : {};
  const isMarker = block.type === "text" && block.isMarker === true;
  return block.type === "image" || isMarker ? { ...textBlock(text), isMarker: true, ...mark } : block;
}

function withAdded(message: PlainMessage, blocks: readonly (Block | null)[], added: readonly Added[]): PlainMessage {
  if (typeof message.content === "string" && added.length === 0) return message;
  const sorted = added.toSorted((one, other) => one.behind - other.behind);
  const list = blocks.flatMap((block, index): readonly Block[] => {
    const own = sorted.filter(({ behind }) => behind === index).map((one) => one.block);
    return block === null ? own : [block, ...own];
  });
  const asking = list.findLastIndex(({ type }) => type === "cache_edits");
  // A text that took an image's place is not looked for: one more does no harm.
  const isText = ({ type, text, isMarker }: Block) => type === "text" && text !== "" && isMarker !== true;
  const isFilled = asking === -1 || list.slice(asking).some(isText);
  const filled = isFilled ? list : list.toSpliced(asking + 1, 0, textBlock("."));
  return { ...message, content: filled.map(withoutMarker) };
}

function withoutMarker({ isMarker: _isMarker, ...block }: Block & { readonly isMarker?: unknown }): Block {
  return block;
}

function withNames(message: PlainMessage): PlainMessage {
  if (message.role !== "user" || typeof message.content === "string") return message;
  return {
    ...message,
    content: message.content.map((block) =>
      block.type === "tool_result" ? { ...block, cache_reference: block.tool_use_id } : block,
    ),
  };
}

/** Index of the message with the last breakpoint once the script's own are set. */
function lastCached(body: PlainBody, script: Script, byKey: ReadonlyMap<string, Item>): number {
  const own = body.messages.findLastIndex(({ content }) => JSON.stringify(content).includes('"cache_control"'));
  const automatic = "cache_control" in body ? body.messages.findLastIndex(hasCarrier) : -1;
  const marks = script.map((edit) => {
    const item = edit.kind === "breakpoint" && MARKS.has(edit.ttlMs) ? byKey.get(edit.itemKey) : undefined;
    const message = body.messages[item?.messageIndex ?? -1];
    if (item === undefined || message === undefined || message.role === "system") return -1;
    const block = typeof message.content === "string" ? undefined : message.content[item.blockIndex];
    const isFree = block !== undefined && CAN_CARRY.includes(block.type) && !("cache_control" in block);
    return isFree ? item.messageIndex : -1;
  });
  return Math.max(0, own, automatic, ...marks);
}

function hasCarrier({ content }: PlainMessage): boolean {
  if (typeof content === "string") return content !== "";
  return content.some(({ type, text }) => type !== "thinking" && text !== "");
}

function fieldsOf(body: PlainBody, script: Script): object {
  const clear = script.findLast((edit) => edit.kind === "server-clear")?.clear;
  const edit = clear && {
    type: "clear_tool_uses_20250919",
    trigger: { type: "input_tokens", value: clear.triggerTokens },
    keep: { type: "tool_uses", value: clear.keepUses },
    exclude_tools: clear.exceptTools,
  };
  const thinking = script.some(({ kind }) => kind === "drop-thinking") && "thinking" in body ? body.thinking : null;
  const isOn = typeof thinking === "object" && thinking !== null && "type" in thinking && thinking.type === "adaptive";
  const binding = { block_binding: { prefix_mismatch_behavior: "drop_block" } };
  return {
    ...(edit === undefined ? {} : { context_management: { edits: [edit] } }),
    ...(isOn ? { thinking: { ...thinking, ...binding } } : {}),
  };
}

function textBlock(text: string): Block {
  return { type: "text", text };
}
