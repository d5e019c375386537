import type { JsonObject } from "../../model/json.ts";
import { isMarkable, lifetimeOf } from "./breakpoints.ts";
import { blocksOf } from "./content.ts";
import { objectsOf, stringOf } from "./json.ts";

/** How a request asks for deletions from the cached prefix. No provider documents a shape: this one is data. */
export interface CacheEditShape {
  /** Type of the block in a user message. */
  readonly blockType: string;
  /** Member of the block that lists its edits. */
  readonly editsMember: string;
  /** Type of an edit that deletes. */
  readonly deleteType: string;
  /** Member that names a result: on the result itself, and on the edit that deletes it. */
  readonly referenceMember: string;
  /** A text must stand behind the block. */
  readonly needsTextBehind: boolean;
  /** Value the `anthropic-beta` header must hold; null where it needs none. */
  readonly betaHeader: string | null;
}

/** The shape where a scenario names none of its own. */
export const CACHE_EDIT_SHAPE: CacheEditShape = {
  blockType: "cache_edits",
  editsMember: "edits",
  deleteType: "delete",
  referenceMember: "cache_reference",
  needsTextBehind: false,
  betaHeader: "simulated-cache-edits",
};

/** One block of the messages by its place. */
export interface BlockPlace {
  readonly messageIndex: number;
  readonly blockIndex: number;
}

/** A result that can be named. */
export interface ReferencedResult extends BlockPlace {
  readonly reference: string;
}

/** One deletion: the block it stands in, its place there, and the result it names. */
export interface Deletion extends BlockPlace {
  readonly editIndex: number;
  readonly reference: string;
}

/** Results that carry a reference, in their order. */
export function referencedResultsOf(request: JsonObject, shape: CacheEditShape): readonly ReferencedResult[] {
  return placesOf(request).flatMap(({ block, ...place }) => {
    const reference = block[shape.referenceMember];
    return block.type === "tool_result" && typeof reference === "string" ? [{ ...place, reference }] : [];
  });
}

/** Deletions that are asked for, in their order. */
export function deletionsOf(request: JsonObject, shape: CacheEditShape): readonly Deletion[] {
  return placesOf(request).flatMap(({ block, ...place }) => {
    if (block.type !== shape.blockType) return [];
    return objectsOf(block[shape.editsMember]).flatMap((edit, editIndex) =>
      edit.type === shape.deleteType ? [{ ...place, editIndex, reference: stringOf(edit[shape.referenceMember]) }] : [],
    );
  });
}

/** Results that are deleted, as `message.block` indexes: those named by a deletion in a later message. */
export function deletedResultsOf(request: JsonObject, shape: CacheEditShape): ReadonlySet<string> {
  const lastNamed = new Map(deletionsOf(request, shape).map((one) => [one.reference, one.messageIndex]));
  const deleted = referencedResultsOf(request, shape).filter(
    ({ reference, messageIndex }) => (lastNamed.get(reference) ?? -1) > messageIndex,
  );
  return new Set(deleted.map(({ messageIndex, blockIndex }) => `${messageIndex}.${blockIndex}`));
}

/** Index of the message that carries the last breakpoint among the messages, stated or automatic; -1 without one. */
export function lastMarkedMessage(request: JsonObject, shape: CacheEditShape): number {
  const messages = objectsOf(request.messages);
  const isAutomatic = lifetimeOf(request) !== null;
  return messages.findLastIndex((message) =>
    blocksOf(message.content).some((block) =>
      isAutomatic ? block.type !== shape.blockType && isMarkable(block) : lifetimeOf(block) !== null,
    ),
  );
}

function placesOf(request: JsonObject): readonly (BlockPlace & { readonly block: JsonObject })[] {
  return objectsOf(request.messages).flatMap((message, messageIndex) =>
    blocksOf(message.content).map((block, blockIndex) => ({ messageIndex, blockIndex, block })),
  );
}
