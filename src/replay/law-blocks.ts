import type { DeclaredEdit } from "./declared-edits.ts";
import { type TreeNode, toBinary } from "./json-tree.ts";

/** What was found of the declared changes in a forwarded body. */
export interface Finding {
  /** The forwarded body, one character a byte. */
  readonly binary: string;
  /** What to put back in it. */
  readonly changes: { readonly start: number; readonly end: number; readonly text: string }[];
  readonly faults: string[];
  /** Results that the provider is asked to delete. */
  readonly asked: NamedResult[];
  /** Results that carry a name. */
  readonly named: NamedResult[];
  /** Takes a member out, with the comma before it. */
  cut(value: TreeNode, name: string): void;
}

interface NamedResult {
  readonly callId: string;
  /** The member that holds the name. */
  readonly name: string;
  readonly message: number;
}

type PlacedEdit = Extract<DeclaredEdit, { readonly message: number }>;
type Addition = Extract<PlacedEdit, { readonly kind: "note" | "delete" }>;

/** One message as it came and as it left. */
interface MessagePair {
  readonly before: TreeNode;
  readonly after: TreeNode;
  readonly index: number;
}

const MARKABLE: ReadonlySet<string> = new Set(["text", "tool_result", "tool_use", "image", "document"]);
const FILLER = ".";

/** Nothing found yet. */
export function newFinding(binary: string): Finding {
  const changes: Finding["changes"] = [];
  return {
    binary,
    changes,
    faults: [],
    asked: [],
    named: [],
    cut({ start, raw }, name) {
      const head = `,${toBinary(Buffer.from(JSON.stringify(name)))}:`;
      const from = start - head.length;
      if (binary.slice(from, start) === head) changes.push({ start: from, end: start + raw.length, text: "" });
    },
  };
}

/** Takes back the changes of one message's content. */
export function restoreContent({ before, after, index }: MessagePair, edits: readonly PlacedEdit[], finding: Finding) {
  const content = before.members.get("content");
  const other = after.members.get("content");
  if (content === undefined || other === undefined) return;
  const role = before.members.get("role")?.text;
  const additions = role === "user" ? edits.filter(isAddition) : [];
  const walk: Walk = { at: 0, end: other.start + 1, index, list: other.elements, hasText: false };
  if (content.kind === "string" && other.kind === "array") restoreString(content, other, additions, walk, finding);
  if (content.kind !== "array" || other.kind !== "array") return;
  const omitted = role === "assistant" ? omittedIn(content.elements, edits) : [];
  let last = content.start + 1;
  let isCut = false;
  for (const [block, node] of content.elements.entries()) {
    const left = walk.list[walk.at];
    const isKeptOne = omitted.length === content.elements.length && left?.raw === node.raw;
    if (omitted.includes(block) && !isKeptOne) {
      isCut = true;
      continue;
    }
    if (left === undefined) return;
    if (isCut) putBack(content, last, node.start, { start: walk.end, end: left.start }, finding);
    isCut = false;
    restoreMembers(
      node,
      left,
      edits.filter((edit) => edit.block === block),
      index,
      finding,
    );
    walk.at += 1;
    walk.end = endOf(left);
    walk.hasText = content.elements.slice(block + 1).some(isFilledText);
    passAdded(additionsBehind(content.elements, block, additions), walk, finding);
    last = endOf(node);
  }
  if (isCut) putBack(content, last, endOf(content) - 1, { start: walk.end, end: endOf(other) - 1 }, finding);
}

function isAddition(edit: PlacedEdit): edit is Addition {
  return edit.kind === "delete" || (edit.kind === "note" && edit.text !== "");
}

/** Thinking that is to be left out; of a message that is nothing else one block stays. */
function omittedIn(blocks: readonly TreeNode[], edits: readonly PlacedEdit[]): readonly number[] {
  const omitted = new Set(edits.flatMap((edit) => (edit.kind === "omit" ? [edit.block] : [])));
  return Array.from(omitted).filter((at) => blocks[at]?.members.get("type")?.text?.endsWith("thinking") === true);
}

/** How far a forwarded list was read. */
interface Walk {
  readonly list: readonly TreeNode[];
  readonly index: number;
  at: number;
  /** Where the last block that was read ends. */
  end: number;
  /** A text that came stands behind it. */
  hasText: boolean;
}

/** A text that was alone, and is the first of a list now. */
function restoreString(
  content: TreeNode,
  other: TreeNode,
  additions: readonly Addition[],
  walk: Walk,
  finding: Finding,
): void {
  const [first] = other.elements;
  if (first?.raw !== `{"type":"text","text":${content.raw}}`) return;
  walk.at = 1;
  walk.end = endOf(first);
  passAdded(additions, walk, { ...finding, changes: [] });
  if (walk.at > 1 && walk.at === other.elements.length) {
    finding.changes.push({ start: other.start, end: endOf(other), text: content.raw });
  }
}

/** Puts back what came between two blocks that stayed: they follow each other now. */
function putBack(
  content: TreeNode,
  from: number,
  to: number,
  gap: { readonly start: number; readonly end: number },
  { changes }: Finding,
): void {
  changes.push({ ...gap, text: content.raw.slice(from - content.start, to - content.start) });
}

/** Additions behind a block, in their order. */
function additionsBehind(
  blocks: readonly TreeNode[],
  block: number,
  additions: readonly Addition[],
): readonly Addition[] {
  if (additions.length === 0) return [];
  const lastResult = blocks.findLastIndex((node) => node.members.get("type")?.text === "tool_result");
  return additions.filter((edit) => {
    const isBehindResults = edit.kind === "delete" && lastResult !== -1;
    return block === (isBehindResults ? lastResult : Math.max(edit.block, lastResult));
  });
}

/** Steps over the declared blocks that stand next, and takes them out. */
function passAdded(additions: readonly Addition[], walk: Walk, finding: Finding): void {
  for (const [at, edit] of additions.entries()) {
    const node = walk.list[walk.at];
    if (edit.kind === "note") {
      if (node !== undefined && isText(node, edit.text)) take(node, walk, finding);
      else finding.faults.push("steady: a note that was declared is missing");
      continue;
    }
    const asked = node === undefined ? null : askedIn(node, edit.callIds);
    if (node === undefined || asked === null) continue;
    finding.asked.push(...asked.map((one) => ({ ...one, message: walk.index })));
    take(node, walk, finding);
    const filler = walk.list[walk.at];
    const isFilled =
      filler !== undefined &&
      isText(filler, FILLER) &&
      !walk.hasText &&
      additions.slice(at).every(({ kind }) => kind !== "note");
    if (isFilled) take(filler, walk, finding);
  }
}

function take(node: TreeNode, walk: Walk, { binary, changes }: Finding): void {
  if (binary.slice(walk.end, node.start) === ",") changes.push({ start: walk.end, end: endOf(node), text: "" });
  walk.at += 1;
  walk.end = endOf(node);
}

/** Call ids in a block that asks for nothing but deletions of these calls' results; null for any other block. */
function askedIn(node: TreeNode, callIds: readonly string[]): readonly Omit<NamedResult, "message">[] | null {
  const [list, ...others] = Array.from(node.members.values()).filter(({ kind }) => kind === "array");
  const isPlain = list !== undefined && others.length === 0 && node.members.size === 2 && node.members.has("type");
  if (!isPlain || list.elements.length === 0) return null;
  const asked = list.elements.flatMap(({ members }) => {
    const [member, ...more] = Array.from(members).filter(([name]) => name !== "type");
    const [name, value] = member ?? [];
    if (name === undefined || more.length > 0 || !members.has("type")) return [];
    return callIds.includes(value?.text ?? "\0") ? [{ callId: value?.text ?? "", name }] : [];
  });
  return asked.length === list.elements.length ? asked : null;
}

const LIFETIMES_MS: ReadonlySet<number> = new Set([300_000, 3_600_000]);

/** A breakpoint where one was declared, and the name of a result. */
function restoreMembers(
  node: TreeNode,
  left: TreeNode,
  edits: readonly PlacedEdit[],
  index: number,
  finding: Finding,
): void {
  const breakpoint = left.members.get("cache_control");
  // One with a lifetime that nobody can ask for is none.
  const declared = edits.filter((edit) => edit.kind === "breakpoint").findLast(({ ttlMs }) => LIFETIMES_MS.has(ttlMs));
  if (breakpoint !== undefined && declared !== undefined && !node.members.has("cache_control")) {
    const value = declared.ttlMs === 3_600_000 ? '{"type":"ephemeral","ttl":"1h"}' : '{"type":"ephemeral"}';
    if (breakpoint.raw === value && canCarry(node)) finding.cut(breakpoint, "cache_control");
  }
  const callId = node.members.get("tool_use_id")?.text ?? null;
  if (callId === null || node.members.get("type")?.text !== "tool_result") return;
  for (const [name, value] of left.members) {
    if (name === "cache_control" || node.members.has(name) || value.text !== callId) continue;
    finding.named.push({ callId, name, message: index });
    finding.cut(value, name);
  }
}

function isFilledText({ members }: TreeNode): boolean {
  return members.get("type")?.text === "text" && members.get("text")?.text !== "";
}

function canCarry({ members }: TreeNode): boolean {
  const type = members.get("type")?.text ?? "";
  return MARKABLE.has(type) && (type !== "text" || members.get("text")?.text !== "");
}

function isText({ members }: TreeNode, text: string): boolean {
  const names = Array.from(members.keys()).join();
  return names === "type,text" && members.get("type")?.text === "text" && members.get("text")?.text === text;
}

function endOf({ start, raw }: TreeNode): number {
  return start + raw.length;
}
