import type { TreeNode } from "./json-tree.ts";
import {
  dataUrlBytes,
  type LawFormat,
  type LawResult,
  memberList,
  memberText,
  textChange,
  textResult,
} from "./law-format.ts";

const isText = (part: TreeNode) => memberText(part, "type") === "text";

/**
 * OpenAI Chat Completions: a result is a message of role `tool` (`function` in the older form, which names no call), an image a
 * part of a message. Sources: https://platform.openai.com/docs/api-reference/chat/create
 */
export const lawChat: LawFormat = {
  media: {
    listsIn: (tree) =>
      messagesOf(tree).map((message) => ({
        callId: isResult(message) ? callIdOf(message) : null,
        blocks: memberList(message, "content"),
      })),
    bytesOf(part) {
      const image = part.members.get("image_url");
      if (memberText(part, "type") !== "image_url" || image === undefined) return null;
      return dataUrlBytes(image.text ?? memberText(image, "url"));
    },
    isText,
    textMembers: ["type", "text"],
    keptMembers: ["cache_control", "prompt_cache_breakpoint"],
  },
  resultsIn: (tree) =>
    messagesOf(tree).flatMap((message, index): readonly LawResult[] => {
      if (!isResult(message)) return [];
      return [textResult(callIdOf(message), index, message.members.get("content") ?? null, isText)];
    }),
  changeOf: (before, after) => textChange(before, after, isText),
  fixedIn: (tree) =>
    messagesOf(tree).flatMap((message, index) => {
      if (isResult(message) || memberText(message, "role") === "user") return [];
      return [{ what: `message ${index}`, raw: message.raw }];
    }),
};

function messagesOf(tree: TreeNode): readonly TreeNode[] {
  return memberList(tree, "messages");
}

function isResult(message: TreeNode): boolean {
  const role = memberText(message, "role");
  return role === "tool" || role === "function";
}

function callIdOf(message: TreeNode): string {
  return memberText(message, "tool_call_id");
}
