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

const OUTPUTS: ReadonlySet<string> = new Set([
  "function_call_output",
  "custom_tool_call_output",
  "local_shell_call_output",
]);
const TEXTS: ReadonlySet<string> = new Set(["input_text", "output_text", "text"]);

const isText = (part: TreeNode) => TEXTS.has(memberText(part, "type"));

/**
 * OpenAI Responses: a result is an item of `input` of its own, and so are reasoning, compaction and whatever else the model or the
 * provider made. Sources: https://platform.openai.com/docs/api-reference/responses/create
 */
export const lawResponses: LawFormat = {
  media: {
    listsIn: (tree) =>
      itemsOf(tree).map((item) => {
        const isResult = isOutput(item);
        return {
          callId: isResult ? callIdOf(item) : null,
          blocks: memberList(item, isResult ? "output" : "content"),
        };
      }),
    bytesOf: (part) =>
      memberText(part, "type") === "input_image" ? dataUrlBytes(memberText(part, "image_url")) : null,
    isText,
    textMembers: ["type", "text"],
    keptMembers: ["prompt_cache_breakpoint"],
  },
  resultsIn: (tree) =>
    itemsOf(tree).flatMap((item, index): readonly LawResult[] => {
      if (!isOutput(item)) return [];
      return [textResult(callIdOf(item), index, item.members.get("output") ?? null, isText)];
    }),
  changeOf: (before, after) => textChange(before, after, isText),
  fixedIn: (tree) =>
    itemsOf(tree).flatMap((item, index) => {
      if (isOutput(item) || memberText(item, "role") === "user") return [];
      return [{ what: `item ${index} (${memberText(item, "type")})`, raw: item.raw }];
    }),
};

function itemsOf(tree: TreeNode): readonly TreeNode[] {
  return memberList(tree, "input");
}

function isOutput(item: TreeNode): boolean {
  return OUTPUTS.has(memberText(item, "type"));
}

/** The output of a local shell may name its call by `id` alone. */
function callIdOf(item: TreeNode): string {
  return item.members.get("call_id")?.text ?? memberText(item, "id");
}
