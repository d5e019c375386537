import { createHash } from "node:crypto";
import type { TreeNode } from "./json-tree.ts";

/** An image or document that was forwarded as a text. */
export interface ReplacedMedia {
  /** The call whose result holds it and the SHA-256 of its bytes; `message` where no result does. */
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly marker: string;
  /** Where its block begins in the body that came, in bytes. */
  readonly start: number;
}

export interface RestoredMedia {
  /** The forwarded body with the blocks that came put back in, one character a byte. */
  readonly binary: string;
  readonly media: readonly ReplacedMedia[];
  /** Violations in words, each beginning with the law's name. */
  readonly faults: readonly string[];
}

interface Pair {
  readonly callId: string | null;
  readonly before: TreeNode;
  readonly after: TreeNode;
}

/** Puts media back where a text begins like a marker in their place, and judges what stood there. */
export function restoreMedia(before: TreeNode, after: TreeNode, binary: string): RestoredMedia {
  const others = blocksOf(after);
  const pairs: Pair[] = [];
  for (const [index, block] of blocksOf(before).entries()) {
    const other = others[index];
    if (other === undefined) continue;
    if (isMedia(block)) {
      if (isMarker(other)) pairs.push({ callId: null, before: block, after: other });
    } else pairs.push(...pairsIn(block, other));
  }
  return {
    binary: splice(binary, pairs),
    media: pairs.map((pair) => {
      const { bytes, name } = originalOf(pair.before, pair.callId);
      return { name, bytes, marker: textOf(pair.after), start: pair.before.start };
    }),
    faults: pairs.flatMap(faultsOf),
  };
}

/** Names of all media of a body, in order. */
export function mediaNamesOf(tree: TreeNode): readonly string[] {
  return blocksOf(tree).flatMap(namesIn);
}

function blocksOf(tree: TreeNode): readonly TreeNode[] {
  const messages = tree.members.get("messages")?.elements ?? [];
  return messages.flatMap((message) => message.members.get("content")?.elements ?? []);
}

function namesIn(block: TreeNode): readonly string[] {
  if (isMedia(block)) return [originalOf(block, null).name];
  const inner = typeOf(block) === "tool_result" ? (block.members.get("content")?.elements ?? []) : [];
  return inner.filter(isMedia).map((one) => originalOf(one, callIdOf(block)).name);
}

/** Walks both contents of a result: one text may have given way to another, all texts behind it are cut. */
function pairsIn(block: TreeNode, other: TreeNode): readonly Pair[] {
  if (typeOf(block) !== "tool_result") return [];
  const left = other.members.get("content")?.elements ?? [];
  const callId = callIdOf(block);
  const pairs: Pair[] = [];
  let at = 0;
  let isReplaced = false;
  for (const before of block.members.get("content")?.elements ?? []) {
    const after = left[at];
    if (after?.raw === before.raw) at++;
    else if (isMedia(before) && after !== undefined && isMarker(after)) {
      pairs.push({ callId, before, after });
      at++;
    } else if (typeOf(before) === "text" && !isReplaced && after !== undefined && typeOf(after) === "text") {
      isReplaced = true;
      at++;
    }
  }
  return pairs;
}

function faultsOf({ before, after, callId }: Pair): readonly string[] {
  const { name, bytes } = originalOf(before, callId);
  const faults: string[] = [];
  const breakpoint = before.members.get("cache_control")?.raw;
  const names = breakpoint === undefined ? "type,text" : "type,text,cache_control";
  if (after.members.get("cache_control")?.raw !== breakpoint)
    faults.push(`untouched: the breakpoint of ${name} differs`);
  if (Array.from(after.members.keys()).join() !== names) faults.push(`paired: ${name} is no plain text block`);
  if (after.raw.length >= before.raw.length) faults.push(`never worse: ${name} did not shrink`);
  if (Buffer.byteLength(textOf(after)) >= bytes.length) faults.push(`never worse: ${name} did not shrink`);
  return faults;
}

/** Bytes as base64 or as plain text stands for them; none where the body only refers to them. */
function originalOf(block: TreeNode, callId: string | null): { readonly name: string; readonly bytes: Uint8Array } {
  const source = block.members.get("source");
  const data = source?.members.get("data")?.text ?? "";
  const isText = source?.members.get("type")?.text === "text";
  const bytes = Buffer.from(data, isText ? "utf8" : "base64");
  return { name: `${callId ?? "message"}#${createHash("sha256").update(bytes).digest("hex")}`, bytes };
}

function splice(binary: string, pairs: readonly Pair[]): string {
  let restored = "";
  let from = 0;
  for (const { before, after } of pairs) {
    restored += binary.slice(from, after.start) + before.raw;
    from = after.start + after.raw.length;
  }
  return restored + binary.slice(from);
}

function isMedia(block: TreeNode): boolean {
  return typeOf(block) === "image" || typeOf(block) === "document";
}

function isMarker(block: TreeNode): boolean {
  return typeOf(block) === "text" && textOf(block).startsWith("[ebb ");
}

function typeOf(block: TreeNode): string | undefined {
  return block.members.get("type")?.text ?? undefined;
}

function textOf(block: TreeNode): string {
  return block.members.get("text")?.text ?? "";
}

function callIdOf(block: TreeNode): string {
  return block.members.get("tool_use_id")?.text ?? "";
}
