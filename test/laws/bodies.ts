import { createHash } from "node:crypto";
import type { Prepared } from "../../src/keeper/contract.ts";
import { type DeclaredEdit, declaredEdits } from "../../src/replay/declared-edits.ts";
import { parseTree, type TreeNode } from "../../src/replay/json-tree.ts";
import { restoreEdits } from "../../src/replay/law-edits.ts";
import { restoreMedia } from "../../src/replay/law-media.ts";

/** A body as an outsider reads it: messages and blocks in order, with their bytes. Shares no code with the wires. */
export interface ReadBody {
  readonly blocks: readonly ReadBlock[];
}

export interface ReadBlock {
  readonly role: string;
  readonly message: number;
  readonly type: string;
  /** Id of a call, or of the call a result answers; null for all other blocks. */
  readonly callId: string | null;
  /** The block's bytes, one character each. */
  readonly raw: string;
  readonly node: TreeNode;
}

export interface ReadResult {
  readonly callId: string;
  /** Tells results of one call and one text apart. */
  readonly name: string;
  readonly text: string;
  readonly isError: boolean;
  /** Index in `ReadBody.blocks`. */
  readonly at: number;
  /** Bytes of an attachment, whose text only tells it apart; null for a result. */
  readonly attached: Buffer | null;
}

/**
 * A body that came and the one that left, what may leave of them in order, and each in the form in which it left. What the plan
 * says it changed beside them is taken back.
 */
export interface Bodies {
  readonly before: ReadBody;
  /** Attachments that left are back in their places. */
  readonly after: ReadBody;
  readonly came: readonly ReadResult[];
  readonly left: readonly ReadResult[];
}

/** What the plan of a request says it changed beside its markers. */
export function declaredIn(prepared: Prepared): readonly DeclaredEdit[] {
  if (prepared.kind === "refuse" || prepared.plan === null) return [];
  return declaredEdits(prepared.plan.transcript, prepared.plan.edits);
}

export function compareBodies(original: Uint8Array, forwarded: Uint8Array, edits: readonly DeclaredEdit[]): Bodies {
  const trees = [parseTree(original), parseTree(forwarded)] as const;
  const before = readBody(original);
  const came = leaversIn(before, new Map());
  if (trees[0] === null || trees[1] === null) return { before, after: before, came, left: came };
  const own = restoreEdits({ before: trees[0], after: trees[1] }, Buffer.from(forwarded).toString("latin1"), edits);
  if (own.tree === null) return { before, after: before, came, left: came };
  const { binary, media } = restoreMedia(trees[0], own.tree, own.binary);
  const after = readBody(Buffer.from(binary, "latin1"));
  const starts = before.blocks.flatMap((block) => mediaOf(block).map(({ start }) => start));
  const markers = new Map(media.map(({ start, marker }) => [starts.indexOf(start), marker]));
  return { before, after, came, left: leaversIn(after, markers) };
}

/** Results and attachments in order; attachments by their number stand as the texts that are given for them. */
function leaversIn(body: ReadBody, markers: ReadonlyMap<number, string>): readonly ReadResult[] {
  const results = new Map(resultsIn(body).map((result) => [result.at, result]));
  let number = 0;
  return body.blocks.flatMap((block, at) => {
    const result = results.get(at);
    const media = mediaOf(block).map((node) => attachmentAt(node, block.callId, at, markers.get(number++)));
    return result === undefined ? media : [result, ...media];
  });
}

function attachmentAt(node: TreeNode, callId: string | null, at: number, marker: string | undefined): ReadResult {
  const attached = Buffer.from(node.members.get("source")?.members.get("data")?.text ?? "", "base64");
  const text = `attachment ${createHash("sha256").update(attached).digest("hex")}`;
  const name = `${callId ?? "message"}\n${text}`;
  return { callId: callId ?? "message", name, text: marker ?? text, isError: false, at, attached };
}

/** Images that a block is, or that a result holds. */
function mediaOf({ type, node }: ReadBlock): readonly TreeNode[] {
  if (type === "image") return [node];
  const inner = type === "tool_result" ? (node.members.get("content")?.elements ?? []) : [];
  return inner.filter((one) => one.members.get("type")?.text === "image");
}

export function readBody(bytes: Uint8Array): ReadBody {
  const messages = parseTree(bytes)?.members.get("messages")?.elements ?? [];
  return { blocks: messages.flatMap(blocksOf) };
}

/** Results of a body in order, texts joined. */
export function resultsIn(body: ReadBody): readonly ReadResult[] {
  const counts = new Map<string, number>();
  return body.blocks.flatMap((block, at) => {
    if (block.type !== "tool_result" || block.callId === null) return [];
    const text = textIn(block.node.members.get("content"));
    const stem = `${block.callId}\n${text}`;
    const count = (counts.get(stem) ?? 0) + 1;
    counts.set(stem, count);
    const isError = block.node.members.get("is_error")?.raw === "true";
    return [{ callId: block.callId, name: `${count}\n${stem}`, text, isError, at, attached: null }];
  });
}

/** Text of a string, or of all text blocks of a list. */
export function textIn(content: TreeNode | undefined): string {
  if (content === undefined) return "";
  if (content.kind === "string") return content.text ?? "";
  return content.elements
    .map((part) => (part.members.get("type")?.text === "text" ? (part.members.get("text")?.text ?? "") : ""))
    .join("");
}

function blocksOf(message: TreeNode, index: number): readonly ReadBlock[] {
  const role = message.members.get("role")?.text ?? "";
  const content = message.members.get("content");
  if (content === undefined) return [];
  if (content.kind === "string") {
    return [{ role, message: index, type: "string", callId: null, raw: content.raw, node: content }];
  }
  return content.elements.map((node) => {
    const type = node.members.get("type")?.text ?? "";
    const id = type === "tool_result" ? "tool_use_id" : "id";
    const callId = type === "tool_result" || type === "tool_use" ? (node.members.get(id)?.text ?? null) : null;
    return { role, message: index, type, callId, raw: node.raw, node };
  });
}
