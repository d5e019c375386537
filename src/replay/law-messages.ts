import type { TreeNode } from "./json-tree.ts";
import { type BlockList, type LawFormat, memberList, memberText, textChange, textResult } from "./law-format.ts";

const isText = (block: TreeNode) => memberText(block, "type") === "text";
const isResult = (block: TreeNode) => memberText(block, "type") === "tool_result";

/** Anthropic Messages. */
export const lawMessages: LawFormat = {
  media: {
    listsIn: (tree) =>
      memberList(tree, "messages").flatMap((message): readonly BlockList[] => {
        const blocks = memberList(message, "content");
        const results = blocks.filter(isResult);
        const inner = results.map((block) => ({
          callId: memberText(block, "tool_use_id"),
          blocks: memberList(block, "content"),
        }));
        return [{ callId: null, blocks }, ...inner];
      }),
    bytesOf(block) {
      const type = memberText(block, "type");
      if (type !== "image" && type !== "document") return null;
      const source = block.members.get("source");
      const data = source === undefined ? "" : memberText(source, "data");
      // Bytes as base64 or as plain text; none where the body only refers to them.
      const encoding = source !== undefined && memberText(source, "type") === "text" ? "utf8" : "base64";
      return Buffer.from(data, encoding);
    },
    isText,
    textMembers: ["type", "text"],
    keptMembers: ["cache_control"],
  },
  resultsIn: (tree) =>
    memberList(tree, "messages").flatMap((message, index) =>
      memberList(message, "content")
        .filter(isResult)
        .map((block) =>
          textResult(memberText(block, "tool_use_id"), index, block.members.get("content") ?? null, isText),
        ),
    ),
  changeOf: (before, after) => textChange(before, after, isText),
  // What is declared beside markers may change here: where, is judged by what the plan says.
  fixedIn: () => [],
};
