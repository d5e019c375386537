import { parseTree, type TreeNode } from "./json-tree.ts";

/** One forwarded body beside the one that came. */
export interface LawInput {
  /** Name of the lineage; forms are compared within it. */
  readonly conversation: string;
  readonly original: Uint8Array;
  readonly forwarded: Uint8Array;
  /** Call ids of results whose form a recorded decision changes in this request. */
  readonly declared: ReadonlySet<string>;
  /** Call ids of results whose replacement is an insertion and may be larger. */
  readonly insertions: ReadonlySet<string>;
}

/** A result that was forwarded in another form than it came. */
export interface Replaced {
  readonly callId: string;
  /** Texts of the original result, joined. */
  readonly original: string;
  readonly marker: string;
}

export interface LawFindings {
  /** Violations in words, each beginning with the law's name. */
  readonly violations: readonly string[];
  readonly replaced: readonly Replaced[];
}

/**
 * Judges forwarded bodies by the laws untouched, paired, steady and never-worse. Shares no code with the engine and the
 * wires: it parses both bodies by itself and believes nothing but bytes.
 */
export interface LawChecker {
  check(input: LawInput): LawFindings;
}

interface ResultNode {
  readonly callId: string;
  readonly content: TreeNode | null;
}

/** Conversations remembered; the oldest leaves first. */
const CONVERSATIONS_MAX = 2_000;

export function createLawChecker(): LawChecker {
  const formsByConversation = new Map<string, Map<string, string>>();
  return {
    check(input) {
      const original = Buffer.from(input.original).toString("utf8");
      const forwarded = Buffer.from(input.forwarded).toString("utf8");
      if (original === forwarded) {
        const results = resultsOf(parseTree(original));
        return { violations: steadiness(formsOf(input), results, results, input), replaced: [] };
      }
      return compare(original, forwarded, formsOf(input), input);
    },
  };

  function formsOf({ conversation }: LawInput): Map<string, string> {
    const known = formsByConversation.get(conversation);
    if (known !== undefined) return known;
    const forms = new Map<string, string>();
    formsByConversation.set(conversation, forms);
    if (formsByConversation.size > CONVERSATIONS_MAX) {
      const [oldest] = formsByConversation.keys();
      if (oldest !== undefined) formsByConversation.delete(oldest);
    }
    return forms;
  }
}

function compare(original: string, forwarded: string, forms: Map<string, string>, input: LawInput): LawFindings {
  const before = parseTree(original);
  const after = parseTree(forwarded);
  if (before === null) return { violations: ["untouched: a body that is not JSON was changed"], replaced: [] };
  if (after === null) return { violations: ["untouched: the forwarded body is not JSON"], replaced: [] };
  const left = resultsOf(before);
  const right = resultsOf(after);
  if (left.length !== right.length) return { violations: ["paired: the count of results differs"], replaced: [] };
  const violations: string[] = [];
  const cutLeft: TreeNode[] = [];
  const cutRight: TreeNode[] = [];
  const replaced: Replaced[] = [];
  left.forEach((result, index) => {
    const other = right[index];
    if (other === undefined || other.callId !== result.callId) {
      violations.push(`paired: result ${index} answers another call`);
      return;
    }
    if (result.content === null || other.content === null) return;
    if (result.content.raw === other.content.raw) return;
    cutLeft.push(result.content);
    cutRight.push(other.content);
    violations.push(...replacementFaults(result, result.content, other.content, input));
    replaced.push({ callId: result.callId, original: textOf(result.content), marker: textOf(other.content) });
  });
  if (without(original, cutLeft) !== without(forwarded, cutRight)) {
    violations.push("untouched: bytes outside replaced results differ");
  }
  violations.push(...steadiness(forms, left, right, input));
  return { violations, replaced };
}

function replacementFaults(result: ResultNode, before: TreeNode, after: TreeNode, input: LawInput): readonly string[] {
  const faults: string[] = [];
  if (before.kind !== after.kind) faults.push(`paired: ${result.callId} changed from ${before.kind} to ${after.kind}`);
  if (textOf(after) === "") faults.push(`paired: ${result.callId} became empty`);
  if (othersOf(before) !== othersOf(after)) faults.push(`untouched: blocks beside text in ${result.callId} differ`);
  const isSmaller = Buffer.byteLength(textOf(after)) < Buffer.byteLength(textOf(before));
  if (!isSmaller && !input.insertions.has(result.callId)) faults.push(`never worse: ${result.callId} did not shrink`);
  return faults;
}

/** A form once sent repeats; only a declared decision may turn an original into a marker, and nothing turns it back. */
function steadiness(
  forms: Map<string, string>,
  before: readonly ResultNode[],
  after: readonly ResultNode[],
  { declared }: LawInput,
): readonly string[] {
  const violations: string[] = [];
  before.forEach((result, index) => {
    const original = result.content === null ? "" : textOf(result.content);
    const other = after[index]?.content ?? null;
    const form = other === null ? "" : textOf(other);
    const name = `${result.callId}\n${original}`;
    const known = forms.get(name);
    const isAllowed = known === undefined || known === form || (known === original && declared.has(result.callId));
    if (!isAllowed) violations.push(`steady: ${result.callId} was sent in another form before`);
    forms.set(name, form);
  });
  return violations;
}

function resultsOf(tree: TreeNode | null): readonly ResultNode[] {
  const messages = tree?.members.get("messages")?.elements ?? [];
  return messages.flatMap((message) =>
    (message.members.get("content")?.elements ?? []).flatMap((block) => {
      if (block.members.get("type")?.text !== "tool_result") return [];
      return [{ callId: block.members.get("tool_use_id")?.text ?? "", content: block.members.get("content") ?? null }];
    }),
  );
}

function textOf(content: TreeNode): string {
  if (content.kind === "string") return content.text ?? "";
  return content.elements
    .filter((block) => block.members.get("type")?.text === "text")
    .map((block) => block.members.get("text")?.text ?? "")
    .join("");
}

function othersOf(content: TreeNode): string {
  return content.elements
    .filter((block) => block.members.get("type")?.text !== "text")
    .map((block) => block.raw)
    .join("\n");
}

function without(text: string, cuts: readonly TreeNode[]): string {
  let kept = "";
  let from = 0;
  for (const cut of cuts) {
    kept += `${text.slice(from, cut.start)}\u0000`;
    from = cut.start + cut.raw.length;
  }
  return kept + text.slice(from);
}
