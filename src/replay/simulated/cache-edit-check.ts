import type { JsonObject } from "../../model/json.ts";
import {
  type BlockPlace,
  type CacheEditShape,
  type Deletion,
  deletionsOf,
  lastMarkedMessage,
  type ReferencedResult,
  referencedResultsOf,
} from "./cache-edits.ts";
import { blocksOf } from "./content.ts";
import { isObject, objectsOf } from "./json.ts";
import { invalid, type Refusal } from "./refusal.ts";

/** Deletions from the cached prefix, and whether this request may ask for them. */
export interface CacheEditRules {
  readonly shape: CacheEditShape;
  readonly isOn: boolean;
}

const EXTRA = "Extra inputs are not permitted";

/**
 * What is wrong with the request's deletions from the cached prefix; null when nothing is. Where they are not on, their
 * block is an unknown one and a result may not carry a reference.
 */
export function refuseCacheEdits(request: JsonObject, { shape, isOn }: CacheEditRules): Refusal | null {
  if (!isOn) return refuseAnyReference(request, shape);
  const marked = lastMarkedMessage(request, shape);
  const results = referencedResultsOf(request, shape);
  return (
    firstOf(objectsOf(request.messages), (message, index) => refuseBlocks(message, index, shape)) ??
    refuseResults(results, marked, shape) ??
    refuseDeletions(deletionsOf(request, shape), results, shape)
  );
}

function refuseAnyReference(request: JsonObject, shape: CacheEditShape): Refusal | null {
  return firstOf(objectsOf(request.messages), (message, messageIndex) =>
    firstOf(blocksOf(message.content), (block, blockIndex) =>
      block.type === "tool_result" && shape.referenceMember in block
        ? invalid(`${pathOf({ messageIndex, blockIndex })}.tool_result.${shape.referenceMember}: ${EXTRA}`)
        : null,
    ),
  );
}

function refuseBlocks(message: JsonObject, messageIndex: number, shape: CacheEditShape): Refusal | null {
  const blocks = blocksOf(message.content);
  const lastResult = blocks.findLastIndex((block) => block.type === "tool_result");
  return firstOf(blocks, (block, blockIndex) => {
    const path = pathOf({ messageIndex, blockIndex });
    const reference = block[shape.referenceMember];
    if (block.type === "tool_result" && reference !== undefined && !isFilled(reference)) {
      return invalid(`${path}.tool_result.${shape.referenceMember}: Input should be a string that is not empty`);
    }
    if (block.type !== shape.blockType) return null;
    if (blockIndex < lastResult) {
      return invalid(
        `${path}: \`${shape.blockType}\` blocks must come after all \`tool_result\` blocks of the message`,
      );
    }
    if (shape.needsTextBehind && !blocks.slice(blockIndex).some(({ type }) => type === "text")) {
      return invalid(`${path}: a text block must stand behind a \`${shape.blockType}\` block`);
    }
    const words = wordsAgainst(block, shape);
    return words === null ? null : invalid(`${path}.${shape.blockType}.${words}`);
  });
}

function wordsAgainst(block: JsonObject, shape: CacheEditShape): string | null {
  const extra = Object.keys(block).find((member) => member !== "type" && member !== shape.editsMember);
  if (extra !== undefined) return `${extra}: ${EXTRA}`;
  const edits = block[shape.editsMember];
  if (!Array.isArray(edits) || edits.length === 0 || !edits.every(isObject)) {
    return `${shape.editsMember}: Input should be a list of at least 1 edit`;
  }
  for (const [index, edit] of objectsOf(edits).entries()) {
    const path = `${shape.editsMember}.${index}`;
    if (edit.type !== shape.deleteType) return `${path}.type: Input should be '${shape.deleteType}'`;
    if (!isFilled(edit[shape.referenceMember])) return `${path}.${shape.referenceMember}: Field required`;
    const unknown = Object.keys(edit).find((member) => member !== "type" && member !== shape.referenceMember);
    if (unknown !== undefined) return `${path}.${unknown}: ${EXTRA}`;
  }
  return null;
}

function refuseResults(
  results: readonly ReferencedResult[],
  marked: number,
  { referenceMember }: CacheEditShape,
): Refusal | null {
  const seen = new Set<string>();
  return firstOf(results, (result) => {
    const path = `${pathOf(result)}.tool_result.${referenceMember}`;
    if (seen.has(result.reference)) return invalid(`${path}: ${result.reference} names another result already`);
    seen.add(result.reference);
    return result.messageIndex < marked ? null : invalid(`${path}: ${outside(result.reference)}`);
  });
}

function refuseDeletions(
  deletions: readonly Deletion[],
  results: readonly ReferencedResult[],
  shape: CacheEditShape,
): Refusal | null {
  const known = new Map(results.map((result) => [result.reference, result]));
  const deleted = new Set<string>();
  return firstOf(deletions, (deletion) => {
    const { reference } = deletion;
    const path = `${pathOf(deletion)}.${shape.blockType}.${shape.editsMember}.${deletion.editIndex}`;
    if (deleted.has(reference))
      return invalid(`${path}: duplicate ${shape.referenceMember}, deleted twice: ${reference}`);
    deleted.add(reference);
    const result = known.get(reference);
    if (result === undefined)
      return invalid(`${path}: no \`tool_result\` carries ${shape.referenceMember} ${reference}`);
    if (result.messageIndex < deletion.messageIndex) return null;
    return invalid(`${path}: the \`tool_result\` of ${reference} does not stand in an earlier message`);
  });
}

function outside(reference: string): string {
  return `${reference} is not inside the cached prefix: its message must stand before the message of the last cache_control`;
}

function isFilled(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

function pathOf({ messageIndex, blockIndex }: BlockPlace): string {
  return `messages.${messageIndex}.content.${blockIndex}`;
}

function firstOf<T>(values: readonly T[], refuse: (value: T, index: number) => Refusal | null): Refusal | null {
  for (const [index, value] of values.entries()) {
    const refusal = refuse(value, index);
    if (refusal !== null) return refusal;
  }
  return null;
}
