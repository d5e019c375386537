import type { TreeNode } from "./json-tree.ts";
import { type LawChange, type LawFormat, type LawResult, memberList, memberText } from "./law-format.ts";

/**
 * Gemini: a result is a `functionResponse` part whose `response` is any object; a signature belongs to the part it stands on.
 * Sources: https://ai.google.dev/api/caching#Part, https://ai.google.dev/gemini-api/docs/thought-signatures
 */
export const lawGemini: LawFormat = {
  media: {
    listsIn: (tree) =>
      memberList(tree, "contents").map((content) => ({ callId: null, blocks: memberList(content, "parts") })),
    bytesOf(part) {
      const inline = part.members.get("inlineData") ?? part.members.get("inline_data");
      return inline === undefined ? null : Buffer.from(memberText(inline, "data"), "base64");
    },
    isText: (part) => part.members.get("text")?.kind === "string",
    textMembers: ["text"],
    keptMembers: [],
  },
  resultsIn: (tree) =>
    memberList(tree, "contents").flatMap((content, index) =>
      memberList(content, "parts").flatMap((part): readonly LawResult[] => {
        const answer = responsePart(part);
        return answer === null ? [] : [resultOf(answer, index)];
      }),
    ),
  changeOf,
  fixedIn: (tree) =>
    memberList(tree, "contents").flatMap((content, index) => {
      const isModel = memberText(content, "role") === "model";
      const parts = memberList(content, "parts").filter((part) => isFixed(part, isModel));
      return parts.map(({ raw }) => ({ what: `a part of content ${index}`, raw }));
    }),
};

/** Two spellings of each name are taken by the API. */
function responsePart(part: TreeNode): TreeNode | null {
  return part.members.get("functionResponse") ?? part.members.get("function_response") ?? null;
}

/** Of what the model made itself, everything. */
function isFixed(part: TreeNode, isModel: boolean): boolean {
  if (responsePart(part) !== null) return false;
  return isModel || (lawGemini.media.bytesOf(part) === null && !lawGemini.media.isText(part));
}

function resultOf(answer: TreeNode, message: number): LawResult {
  const content = answer.members.get("response") ?? null;
  const callId = memberText(answer, "id");
  if (content === null) return { callId, message, content, identity: "", texts: [] };
  const strings = Array.from(content.members.values()).flatMap(({ text }) => (text === null ? [] : [text]));
  return { callId, message, content, identity: canonical(content), texts: [...strings, rawText(content)] };
}

/** One string of the response gave way to another, or the whole response to `{"output":…}`. */
function changeOf(one: LawResult, other: LawResult): LawChange | null {
  const [before, after] = [one.content, other.content];
  if (before === null || after === null || before.raw === after.raw) return null;
  const name = one.callId === "" ? "a result" : one.callId;
  const names = Array.from(before.members.keys());
  const differing = names.filter((member) => before.members.get(member)?.raw !== after.members.get(member)?.raw);
  const [only = "", ...more] = differing;
  const [text, left] = [before.members.get(only), after.members.get(only)];
  const isSameShape = names.join("\n") === Array.from(after.members.keys()).join("\n");
  if (isSameShape && more.length === 0 && text?.kind === "string" && left?.kind === "string") {
    return {
      before: text,
      after: left,
      original: text.text ?? "",
      ...faultsOf(name, text.text ?? "", left.text ?? ""),
    };
  }
  const marker = memberText(after, "output");
  const original = rawText(before);
  const { faults } = faultsOf(name, original, marker);
  const isPlain =
    Array.from(after.members.keys()).join() === "output" && after.members.get("output")?.kind === "string";
  const shape = isPlain ? [] : [`paired: the response of ${name} is no output alone`];
  return { before, after, original, marker, faults: [...faults, ...shape] };
}

function faultsOf(name: string, original: string, marker: string): Pick<LawChange, "marker" | "faults"> {
  const faults: string[] = [];
  if (marker === "") faults.push(`paired: ${name} became empty`);
  if (marker === original) faults.push(`untouched: ${name} was written again with the same text`);
  return { marker, faults };
}

function rawText({ raw }: TreeNode): string {
  return Buffer.from(raw, "latin1").toString("utf8");
}

/** The same for any order of members and any white space. */
function canonical(node: TreeNode): string {
  if (node.kind === "string") return JSON.stringify(node.text);
  if (node.kind === "array") return `[${node.elements.map(canonical).join()}]`;
  if (node.kind !== "object") return node.raw.replace(/\s/g, "");
  const members = Array.from(node.members, ([name, value]) => `${JSON.stringify(name)}:${canonical(value)}`);
  return `{${members.sort().join()}}`;
}
