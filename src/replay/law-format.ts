import { createHash } from "node:crypto";
import type { TreeNode } from "./json-tree.ts";

/** One API format as the law checker reads it: what may give way to a marker in a body, and what never may. */
export interface LawFormat {
  readonly media: MediaFormat;
  /** Results in order. */
  resultsIn(tree: TreeNode): readonly LawResult[];
  /** How a result left that came otherwise; null where it left as it came. */
  changeOf(before: LawResult, after: LawResult): LawChange | null;
  /** Bytes that no decision ever changes: calls, thinking, signatures, encrypted and unknown parts, in order. */
  fixedIn(tree: TreeNode): readonly Fixed[];
}

/** Images and documents of a format. */
export interface MediaFormat {
  /** Lists of blocks in which media can stand and a text in their place. */
  listsIn(tree: TreeNode): readonly BlockList[];
  /** Bytes of a block that carries media; null for any other, and for one that only refers to them. */
  bytesOf(block: TreeNode): Uint8Array | null;
  isText(block: TreeNode): boolean;
  /** Members of a text block, in order. */
  readonly textMembers: readonly string[];
  /** Members that a block has beside its content, and keeps. */
  readonly keptMembers: readonly string[];
}

export interface BlockList {
  /** Of the result that the list is; null for a message. */
  readonly callId: string | null;
  readonly blocks: readonly TreeNode[];
}

export interface LawResult {
  /** Of the call it answers; empty where the body names none. */
  readonly callId: string;
  /** The message it stands in. */
  readonly message: number;
  /** Null where it has none. */
  readonly content: TreeNode | null;
  /** Its content whatever a client re-shapes: what tells results of one call apart, and the form in which one left. */
  readonly identity: string;
  /** What its original may be. */
  readonly texts: readonly string[];
}

export interface LawChange {
  readonly before: TreeNode;
  readonly after: TreeNode;
  /** The text that left, and what stands for it. */
  readonly original: string;
  readonly marker: string;
  /** Violations in words, each beginning with the law's name. */
  readonly faults: readonly string[];
}

export interface Fixed {
  readonly what: string;
  readonly raw: string;
}

/** A result whose content is a string, or a list of texts and other blocks. */
export function textResult(
  callId: string,
  message: number,
  content: TreeNode | null,
  isText: MediaFormat["isText"],
): LawResult {
  const identity = content === null ? "" : contentText(content, isText);
  return { callId, message, content, identity, texts: [identity] };
}

/** How the content of such a result changed: one text stands for all of its texts, and all else in it stays. */
export function textChange(one: LawResult, other: LawResult, isText: MediaFormat["isText"]): LawChange | null {
  const [before, after] = [one.content, other.content];
  if (before === null || after === null || before.raw === after.raw) return null;
  const [original, marker] = [contentText(before, isText), contentText(after, isText)];
  const { callId } = one;
  const faults: string[] = [];
  if (before.kind !== after.kind) faults.push(`paired: ${callId} changed from ${before.kind} to ${after.kind}`);
  if (marker === "") faults.push(`paired: ${callId} became empty`);
  if (marker === original) faults.push(`untouched: ${callId} was written again with the same text`);
  if (othersOf(before, isText) !== othersOf(after, isText))
    faults.push(`untouched: blocks beside text in ${callId} differ`);
  if (after.kind === "array" && after.elements.filter(isText).length !== 1)
    faults.push(`paired: ${callId} holds more than its marker`);
  return { before, after, original, marker, faults };
}

/** What declares a result whose call has no name in the body: the SHA-256 of its original. */
export function resultName(text: string): string {
  return `result#${createHash("sha256").update(toWtf8(text)).digest("hex")}`;
}

/** A member that is a string; empty for anything else. */
export function memberText(node: TreeNode, name: string): string {
  return node.members.get(name)?.text ?? "";
}

/** Elements of a member that is a list. */
export function memberList(node: TreeNode | undefined, name: string): readonly TreeNode[] {
  return node?.members.get(name)?.elements ?? [];
}

const LONE_SURROGATE = /[\ud800-\udfff]/u;
const DATA_URL = /^data:([^,]*),(.*)$/s;

/** Bytes that a `data:` URL holds; null for any other text. */
export function dataUrlBytes(url: string): Uint8Array | null {
  const [, head, data] = DATA_URL.exec(url) ?? [];
  if (head === undefined || data === undefined) return null;
  return head.endsWith(";base64") ? Buffer.from(data, "base64") : Buffer.from(data);
}

/** UTF-8 in which a lone surrogate is three bytes like any other character of its size. */
export function toWtf8(text: string): Buffer {
  if (!LONE_SURROGATE.test(text)) return Buffer.from(text, "utf8");
  return Buffer.concat(
    Array.from(text, (char) => (LONE_SURROGATE.test(char) ? surrogateBytes(char) : Buffer.from(char))),
  );
}

function contentText(content: TreeNode, isText: MediaFormat["isText"]): string {
  if (content.kind === "string") return content.text ?? "";
  return content.elements
    .filter(isText)
    .map((block) => memberText(block, "text"))
    .join("");
}

function othersOf(content: TreeNode, isText: MediaFormat["isText"]): string {
  return content.elements
    .filter((block) => !isText(block))
    .map(({ raw }) => raw)
    .join("\n");
}

function surrogateBytes(char: string): Buffer {
  const unit = char.charCodeAt(0);
  return Buffer.from([0xe0 | (unit >> 12), 0x80 | ((unit >> 6) & 63), 0x80 | (unit & 63)]);
}
