import { parseTree, type TreeNode } from "../../src/replay/json-tree.ts";

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
    return [{ callId: block.callId, name: `${count}\n${stem}`, text, isError, at }];
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
