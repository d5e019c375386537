import type { DeclaredEdit } from "./declared-edits.ts";
import { parseTree, type TreeNode, toBinary } from "./json-tree.ts";
import { restoreEdits } from "./law-edits.ts";
import { mediaNamesOf, type ReplacedMedia, restoreMedia } from "./law-media.ts";

/** One forwarded body beside the one that came. */
export interface LawInput {
  /** Name of the lineage; forms are compared within it. */
  readonly conversation: string;
  readonly original: Uint8Array;
  readonly forwarded: Uint8Array;
  /** Call ids of results whose form a recorded decision changes in this request. */
  readonly declared: ReadonlySet<string>;
  /** Changes beside replacements that were decided; nothing else may be put in or left out. */
  readonly edits: readonly DeclaredEdit[];
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
  /** Images and documents that were forwarded as texts. */
  readonly media: readonly ReplacedMedia[];
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

interface Pair {
  readonly before: LawBody;
  readonly after: LawBody;
}

interface LawBody {
  readonly binary: string;
  readonly tree: TreeNode | null;
}

/** Conversations remembered; the oldest leaves first. */
const CONVERSATIONS_MAX = 2_000;

/** A checker without history. With `countTokens` never-worse is judged in tokens too, else in bytes alone. */
export function createLawChecker(countTokens: ((text: string) => number) | null = null): LawChecker {
  const formsByConversation = new Map<string, Map<string, string>>();
  return {
    check(input) {
      const before = bodyOf(input.original);
      const { body: forwarded, faults } = withoutEdits(before, bodyOf(input.forwarded), input.edits);
      const isChanged = before.binary !== forwarded.binary && before.tree !== null && forwarded.tree !== null;
      const restored = isChanged ? restoreMedia(before.tree, forwarded.tree, forwarded.binary) : null;
      const after =
        restored === null
          ? forwarded
          : { binary: restored.binary, tree: parseTree(Buffer.from(restored.binary, "latin1")) };
      const forms = formsOf(input);
      const media = restored?.media ?? [];
      const beside = [...faults, ...(restored?.faults ?? []), ...mediaSteadiness(forms, before.tree, media, input)];
      if (before.binary !== after.binary) {
        const { violations, replaced } = compare({ before, after }, forms, input, countTokens);
        return { violations: [...violations, ...beside], replaced, media };
      }
      const results = resultsOf(before.tree);
      return { violations: [...steadiness(forms, results, results, input), ...beside], replaced: [], media };
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

/** Media that left once stay out, and leave only by a declared decision. */
function mediaSteadiness(
  forms: Map<string, string>,
  tree: TreeNode | null,
  media: readonly ReplacedMedia[],
  { declared }: LawInput,
): readonly string[] {
  return Array.from(new Set(tree === null ? [] : mediaNamesOf(tree))).flatMap((name) => {
    const markers = media.filter((one) => one.name === name).map(({ marker }) => marker);
    const form = markers.sort().join("\n");
    const known = forms.get(`media ${name}`);
    forms.set(`media ${name}`, form);
    if (known === undefined || known === form || declared.has(name)) return [];
    return [`steady: ${name} was sent in another form before`];
  });
}

/** The forwarded body without the changes that were declared beside its markers. */
function withoutEdits(
  { tree }: LawBody,
  forwarded: LawBody,
  edits: readonly DeclaredEdit[],
): { readonly body: LawBody; readonly faults: readonly string[] } {
  if (edits.length === 0 || tree === null || forwarded.tree === null) return { body: forwarded, faults: [] };
  const { faults, ...body } = restoreEdits({ before: tree, after: forwarded.tree }, forwarded.binary, edits);
  return { body, faults };
}

function bodyOf(bytes: Uint8Array): LawBody {
  return { binary: toBinary(bytes), tree: parseTree(bytes) };
}

function compare(
  { before, after }: Pair,
  forms: Map<string, string>,
  input: LawInput,
  countTokens: ((text: string) => number) | null,
): Pick<LawFindings, "violations" | "replaced"> {
  if (before.tree === null) return { violations: ["untouched: a body that is not JSON was changed"], replaced: [] };
  if (after.tree === null) return { violations: ["untouched: the forwarded body is not JSON"], replaced: [] };
  const left = resultsOf(before.tree);
  const right = resultsOf(after.tree);
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
    violations.push(...shapeFaults(result.callId, result.content, other.content));
    replaced.push({ callId: result.callId, original: textOf(result.content), marker: textOf(other.content) });
  });
  if (without(before.binary, cutLeft) !== without(after.binary, cutRight)) {
    violations.push("untouched: bytes outside replaced results differ");
  }
  violations.push(...worseThings(replaced, { before, after }, input.insertions, countTokens));
  violations.push(...steadiness(forms, left, right, input));
  return { violations, replaced };
}

function shapeFaults(callId: string, before: TreeNode, after: TreeNode): readonly string[] {
  const faults: string[] = [];
  if (before.kind !== after.kind) faults.push(`paired: ${callId} changed from ${before.kind} to ${after.kind}`);
  if (textOf(after) === "") faults.push(`paired: ${callId} became empty`);
  if (textOf(after) === textOf(before)) faults.push(`untouched: ${callId} was written again with the same text`);
  if (othersOf(before) !== othersOf(after)) faults.push(`untouched: blocks beside text in ${callId} differ`);
  if (after.kind === "array" && textsOf(after).length !== 1)
    faults.push(`paired: ${callId} holds more than its marker`);
  return faults;
}

/** Each replacement is smaller in bytes and tokens, and so is the body, escapes and all. Insertions are counted apart. */
function worseThings(
  replaced: readonly Replaced[],
  { before, after }: Pair,
  insertions: ReadonlySet<string>,
  countTokens: ((text: string) => number) | null,
): readonly string[] {
  const faults: string[] = [];
  const shrunk = replaced.filter(({ callId }) => !insertions.has(callId));
  for (const { callId, original, marker } of shrunk) {
    if (Buffer.byteLength(marker) >= Buffer.byteLength(original)) faults.push(`never worse: ${callId} did not shrink`);
    if (countTokens === null || countTokens(marker) < countTokens(original)) continue;
    faults.push(`never worse: ${callId} takes no fewer tokens`);
  }
  const isAllShrunk = shrunk.length === replaced.length && replaced.length > 0;
  if (isAllShrunk && after.binary.length >= before.binary.length) faults.push("never worse: the body did not shrink");
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
  const occurrences = new Map<string, number>();
  before.forEach((result, index) => {
    const original = result.content === null ? "" : textOf(result.content);
    const other = after[index]?.content ?? null;
    const form = other === null ? "" : textOf(other);
    const content = `${result.callId}\n${original}`;
    const occurrence = (occurrences.get(content) ?? 0) + 1;
    occurrences.set(content, occurrence);
    const name = `${occurrence}\n${content}`;
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
  return content.kind === "string" ? (content.text ?? "") : textsOf(content).join("");
}

function textsOf(content: TreeNode): readonly string[] {
  return content.elements
    .filter((block) => block.members.get("type")?.text === "text")
    .map((block) => block.members.get("text")?.text ?? "");
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
