import { createHash } from "node:crypto";
import type { TreeNode } from "./json-tree.ts";
import { type BlockList, type MediaFormat, memberText } from "./law-format.ts";
import { lawMessages } from "./law-messages.ts";

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
  readonly bytes: Uint8Array;
}

/** Puts media back where a text begins like a marker in their place, and judges what stood there. */
export function restoreMedia(
  before: TreeNode,
  after: TreeNode,
  binary: string,
  format: MediaFormat = lawMessages.media,
): RestoredMedia {
  const others = format.listsIn(after);
  const pairs = format
    .listsIn(before)
    .flatMap((list, index) => {
      const other = others[index];
      if (other === undefined) return [];
      return list.callId === null ? pairsInMessage(list, other, format) : pairsInResult(list, other, format);
    })
    .sort((one, other) => one.after.start - other.after.start);
  return {
    binary: splice(binary, pairs),
    media: pairs.map((pair) => ({
      name: nameOf(pair),
      bytes: pair.bytes,
      marker: memberText(pair.after, "text"),
      start: pair.before.start,
    })),
    faults: pairs.flatMap((pair) => faultsOf(pair, format)),
  };
}

/** Names of all media of a body, those of each list in order. */
export function mediaNamesOf(tree: TreeNode, format: MediaFormat = lawMessages.media): readonly string[] {
  return format.listsIn(tree).flatMap(({ callId, blocks }) =>
    blocks.flatMap((block) => {
      const bytes = format.bytesOf(block);
      return bytes === null ? [] : [nameOf({ callId, bytes })];
    }),
  );
}

function pairsInMessage({ blocks }: BlockList, other: BlockList, format: MediaFormat): readonly Pair[] {
  return blocks.flatMap((before, index): readonly Pair[] => {
    const after = other.blocks[index];
    const bytes = format.bytesOf(before);
    return bytes !== null && after !== undefined && isMarker(after, format)
      ? [{ callId: null, before, after, bytes }]
      : [];
  });
}

/** Walks both contents of a result: one text may have given way to another, all texts behind it are cut. */
function pairsInResult({ callId, blocks }: BlockList, other: BlockList, format: MediaFormat): readonly Pair[] {
  const pairs: Pair[] = [];
  let at = 0;
  let isReplaced = false;
  for (const before of blocks) {
    const after = other.blocks[at];
    if (after === undefined) continue;
    const bytes = format.bytesOf(before);
    if (after.raw === before.raw) at++;
    else if (bytes !== null && isMarker(after, format)) {
      pairs.push({ callId, before, after, bytes });
      at++;
    } else if (format.isText(before) && !isReplaced && format.isText(after)) {
      isReplaced = true;
      at++;
    }
  }
  return pairs;
}

function faultsOf(pair: Pair, { textMembers, keptMembers }: MediaFormat): readonly string[] {
  const { before, after, bytes } = pair;
  const name = nameOf(pair);
  const faults: string[] = [];
  const kept = keptMembers.filter((member) => before.members.has(member));
  for (const member of keptMembers) {
    if (after.members.get(member)?.raw !== before.members.get(member)?.raw)
      faults.push(`untouched: the breakpoint of ${name} differs`);
  }
  if (before.members.has("thoughtSignature") || before.members.has("thought_signature"))
    faults.push(`paired: ${name} was signed`);
  if (Array.from(after.members.keys()).join() !== [...textMembers, ...kept].join())
    faults.push(`paired: ${name} is no plain text block`);
  if (after.raw.length >= before.raw.length) faults.push(`never worse: ${name} did not shrink`);
  if (Buffer.byteLength(memberText(after, "text")) >= bytes.length) faults.push(`never worse: ${name} did not shrink`);
  return faults;
}

function nameOf({ callId, bytes }: Pick<Pair, "callId" | "bytes">): string {
  return `${callId ?? "message"}#${createHash("sha256").update(bytes).digest("hex")}`;
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

function isMarker(block: TreeNode, { isText }: MediaFormat): boolean {
  return isText(block) && memberText(block, "text").startsWith("[ebb ");
}
