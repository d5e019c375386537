import type { JsonObject } from "../../model/json.ts";
import { isMarkable, lifetimeOf } from "./breakpoints.ts";
import { type CacheEditShape, deletedResultsOf } from "./cache-edits.ts";
import { blocksOf, isThinking, normalBlock, promptToolsOf, systemBlocksOf } from "./content.ts";
import { objectsOf, omit, stringOf } from "./json.ts";

export type Section = "tools" | "system" | "messages";

/** One block of the prompt. */
export interface Entry {
  readonly section: Section;
  readonly role: string;
  /** As the provider sees it. */
  readonly block: JsonObject;
  /** Lifetime of the breakpoint on it, in milliseconds; null where there is none. */
  readonly lifetimeMs: number | null;
  /** Counts the times a person spoke before it. */
  readonly turn: number;
  /** `deleted`: in the cached prefix, but no longer part of the prompt. `edit`: asks for deletions, and is no text. */
  readonly state: "sent" | "deleted" | "edit";
}

/** Which blocks of a request are part of the prompt. */
export interface EntryRules {
  /** Null: the provider knows no deletions from the cached prefix. */
  readonly cacheEdits: CacheEditShape | null;
  /** False: thinking from before the last time a person spoke is left out. */
  readonly keepsThinking: boolean;
  /** True for a thinking block the model cannot read and drops: message index, block index. */
  isDropped(messageIndex: number, blockIndex: number): boolean;
}

/** The blocks of a prompt in the order tools, system, messages, with the automatic breakpoint in its place. */
export function entriesOf(request: JsonObject, rules: EntryRules): readonly Entry[] {
  const entries = [...headEntriesOf(request), ...messageEntriesOf(request, rules)];
  const automatic = lifetimeOf(request);
  if (automatic === null) return entries;
  const last = entries.findLastIndex(({ block, state }) => state !== "edit" && isMarkable(block));
  return entries.map((entry, index) =>
    index === last ? { ...entry, lifetimeMs: entry.lifetimeMs ?? automatic } : entry,
  );
}

/** The provider renders web search into the system prompt, so switching it leaves the tools as they were. */
function headEntriesOf(request: JsonObject): readonly Entry[] {
  const tools = promptToolsOf(request).map((block) => {
    const isWebSearch = stringOf(block.type).startsWith("web_search");
    return headEntry(isWebSearch ? "system" : "tools", "tool", block);
  });
  return [
    ...tools.filter((tool) => tool.section === "tools"),
    ...tools.filter((tool) => tool.section === "system"),
    ...systemBlocksOf(request).map((block) => headEntry("system", "system", block)),
  ];
}

function headEntry(section: Section, role: string, block: JsonObject): Entry {
  return { section, role, block: normalBlock(block), lifetimeMs: lifetimeOf(block), turn: 0, state: "sent" };
}

function messageEntriesOf(request: JsonObject, rules: EntryRules): readonly Entry[] {
  const shape = rules.cacheEdits;
  const messages = objectsOf(request.messages);
  const deleted = shape === null ? null : deletedResultsOf(request, shape);
  const spoken = messages.map((message) => message.role === "user" && isSpoken(message, shape));
  const lastSpoken = spoken.lastIndexOf(true);
  const entries: Entry[] = [];
  let turn = 0;
  for (const [messageIndex, message] of messages.entries()) {
    if (spoken[messageIndex]) turn += 1;
    for (const [blockIndex, block] of blocksOf(message.content).entries()) {
      const isForgotten = !rules.keepsThinking && messageIndex < lastSpoken;
      if (isThinking(block) && (isForgotten || rules.isDropped(messageIndex, blockIndex))) continue;
      const isDeleted = deleted?.has(`${messageIndex}.${blockIndex}`) === true;
      entries.push({
        section: "messages",
        role: stringOf(message.role),
        block: withoutReference(normalBlock(block), shape),
        lifetimeMs: lifetimeOf(block),
        turn,
        state: isDeleted ? "deleted" : isEdit(block, shape) ? "edit" : "sent",
      });
    }
  }
  return entries;
}

function isSpoken(message: JsonObject, shape: CacheEditShape | null): boolean {
  return blocksOf(message.content).some((block) => block.type !== "tool_result" && !isEdit(block, shape));
}

function isEdit(block: JsonObject, shape: CacheEditShape | null): boolean {
  return shape !== null && block.type === shape.blockType;
}

function withoutReference(block: JsonObject, shape: CacheEditShape | null): JsonObject {
  return shape !== null && block.type === "tool_result" ? omit(block, shape.referenceMember) : block;
}
