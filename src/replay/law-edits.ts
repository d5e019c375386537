import type { ServerClear } from "../model/edit.ts";
import type { DeclaredEdit } from "./declared-edits.ts";
import { parseTree, type TreeNode, toBinary } from "./json-tree.ts";
import { type Finding, newFinding, restoreContent } from "./law-blocks.ts";

/** A forwarded body without the changes that were declared beside its markers. */
export interface RestoredEdits {
  /** One character a byte. */
  readonly binary: string;
  readonly tree: TreeNode | null;
  /** Violations in words, each beginning with the law's name. */
  readonly faults: readonly string[];
}

interface Pair {
  readonly before: TreeNode;
  readonly after: TreeNode;
}

/** Takes back what was declared, each change where it was declared; whatever else was put in or left out stays so. */
export function restoreEdits({ before, after }: Pair, binary: string, edits: readonly DeclaredEdit[]): RestoredEdits {
  const finding = newFinding(binary);
  restoreFields({ before, after }, edits, finding);
  const came = messagesOf(before);
  for (const [index, message] of messagesOf(after).entries()) {
    const original = came[index];
    const own = edits.flatMap((edit) => ("message" in edit && edit.message === index ? [edit] : []));
    if (original !== undefined) restoreContent({ before: original, after: message, index }, own, finding);
  }
  const restored = splice(finding);
  const faults = [...finding.faults, ...deletionFaults(finding, lastMarked(after))];
  return { binary: restored, tree: parseTree(Buffer.from(restored, "latin1")), faults };
}

function messagesOf(tree: TreeNode): readonly TreeNode[] {
  return tree.members.get("messages")?.elements ?? [];
}

function restoreFields({ before, after }: Pair, edits: readonly DeclaredEdit[], finding: Finding): void {
  const clear = edits.findLast((edit) => edit.kind === "server-clear")?.clear;
  const management = after.members.get("context_management");
  if (clear !== undefined && management !== undefined && !before.members.has("context_management")) {
    if (isSameJson(management, managementOf(clear))) finding.cut(management, "context_management");
  }
  const thinking = before.members.get("thinking");
  const binding = after.members.get("thinking")?.members.get("block_binding");
  if (thinking === undefined || thinking.members.has("block_binding") || binding === undefined) return;
  const isDeclared = edits.some(({ kind }) => kind === "drop-thinking");
  if (isDeclared && isSameJson(binding, { prefix_mismatch_behavior: "drop_block" })) {
    finding.cut(binding, "block_binding");
  }
}

function managementOf({ triggerTokens, keepUses, clearTokensMin, exceptTools }: ServerClear): object {
  const least = clearTokensMin === null ? {} : { clear_at_least: { type: "input_tokens", value: clearTokensMin } };
  const except = exceptTools.length === 0 ? {} : { exclude_tools: exceptTools };
  const trigger = { type: "input_tokens", value: triggerTokens };
  const keep = { type: "tool_uses", value: keepUses };
  return { edits: [{ type: "clear_tool_uses_20250919", trigger, keep, ...least, ...except }] };
}

function isSameJson({ raw }: TreeNode, meant: object): boolean {
  return raw === toBinary(Buffer.from(JSON.stringify(meant)));
}

/** A deletion reaches an earlier result that carries its name, inside of what the provider remembers. */
function deletionFaults({ asked, named }: Finding, marked: number): readonly string[] {
  const places = new Map(named.map(({ callId, name, message }) => [`${name} ${callId}`, message]));
  const unnamed = asked.filter(({ callId, name, message }) => {
    const place = places.get(`${name} ${callId}`);
    return place === undefined || place >= message;
  });
  const outside = named.filter(({ message }) => asked.length === 0 || message >= marked);
  const twice = [asked, named].some((list) => new Set(list.map(({ callId }) => callId)).size < list.length);
  return [
    ...unnamed.map(({ callId }) => `untouched: ${callId} is to be deleted, and no earlier result carries its name`),
    ...outside.map(({ callId }) => `untouched: ${callId} carries a name outside of what is remembered`),
    ...(twice ? ["untouched: a result is named or deleted twice"] : []),
  ];
}

/** Index of the message with the last breakpoint; 0 without one. */
function lastMarked(tree: TreeNode): number {
  const messages = messagesOf(tree);
  if (tree.members.get("cache_control")?.kind === "object") return messages.length - 1;
  return Math.max(0, messages.findLastIndex(isMarked));
}

function isMarked({ members, elements }: TreeNode): boolean {
  if (members.get("cache_control")?.kind === "object") return true;
  return elements.some(isMarked) || Array.from(members.values()).some(isMarked);
}

function splice({ binary, changes }: Finding): string {
  let restored = "";
  let from = 0;
  for (const { start, end, text } of changes.toSorted((one, other) => one.start - other.start)) {
    restored += binary.slice(from, start) + text;
    from = end;
  }
  return restored + binary.slice(from);
}
