import type { DeclaredEdit } from "./declared-edits.ts";
import { parseTree, type TreeNode, toBinary } from "./json-tree.ts";
import { restoreEdits } from "./law-edits.ts";
import { type LawFormat, type LawResult, resultName } from "./law-format.ts";
import { lawFormatOf } from "./law-formats.ts";
import { mediaNamesOf, type ReplacedMedia, restoreMedia } from "./law-media.ts";

/** One forwarded body beside the one that came. */
export interface LawInput {
  /** Name of the lineage; forms are compared within it. */
  readonly conversation: string;
  /** Name of the wire whose format the bodies have; Anthropic Messages where none is stated. */
  readonly wire?: string;
  readonly original: Uint8Array;
  readonly forwarded: Uint8Array;
  /**
   * Call ids of results whose form a recorded decision changes in this request. Where a body names no call: `result#` and the
   * SHA-256 of the original.
   */
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

interface Pair {
  readonly before: LawBody;
  readonly after: LawBody;
  readonly format: LawFormat;
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
      const format = lawFormatOf(input.wire ?? "anthropic-messages");
      const before = bodyOf(input.original);
      const { body: forwarded, faults } = withoutEdits(before, bodyOf(input.forwarded), input.edits);
      const isChanged = before.binary !== forwarded.binary && before.tree !== null && forwarded.tree !== null;
      const restored = isChanged ? restoreMedia(before.tree, forwarded.tree, forwarded.binary, format.media) : null;
      const after =
        restored === null
          ? forwarded
          : { binary: restored.binary, tree: parseTree(Buffer.from(restored.binary, "latin1")) };
      const forms = formsOf(input);
      const media = restored?.media ?? [];
      const names = before.tree === null ? [] : mediaNamesOf(before.tree, format.media);
      const beside = [...faults, ...(restored?.faults ?? []), ...mediaSteadiness(forms, names, media, input)];
      if (before.binary !== after.binary) {
        const { violations, replaced } = compare({ before, after, format }, forms, input, countTokens);
        return { violations: [...violations, ...beside], replaced, media };
      }
      const results = before.tree === null ? [] : format.resultsIn(before.tree);
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
  names: readonly string[],
  media: readonly ReplacedMedia[],
  { declared }: LawInput,
): readonly string[] {
  return Array.from(new Set(names)).flatMap((name) => {
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
  { before, after, format }: Pair,
  forms: Map<string, string>,
  input: LawInput,
  countTokens: ((text: string) => number) | null,
): Pick<LawFindings, "violations" | "replaced"> {
  if (before.tree === null) return { violations: ["untouched: a body that is not JSON was changed"], replaced: [] };
  if (after.tree === null) return { violations: ["untouched: the forwarded body is not JSON"], replaced: [] };
  const left = format.resultsIn(before.tree);
  const right = format.resultsIn(after.tree);
  if (left.length !== right.length) return { violations: ["paired: the count of results differs"], replaced: [] };
  const violations: string[] = [];
  const cutLeft: TreeNode[] = [];
  const cutRight: TreeNode[] = [];
  const replaced: Replaced[] = [];
  left.forEach((result, index) => {
    const other = right[index];
    if (other === undefined || other.callId !== result.callId || other.message !== result.message) {
      violations.push(`paired: result ${index} answers another call`);
      return;
    }
    const change = format.changeOf(result, other);
    if (change === null) return;
    cutLeft.push(change.before);
    cutRight.push(change.after);
    violations.push(...change.faults);
    replaced.push({ callId: result.callId, original: change.original, marker: change.marker });
  });
  if (without(before.binary, cutLeft) !== without(after.binary, cutRight)) {
    violations.push("untouched: bytes outside replaced results differ");
  }
  violations.push(...fixedFaults(format, before.tree, after.tree));
  violations.push(...worseThings(replaced, { before, after }, input.insertions, countTokens));
  violations.push(...steadiness(forms, left, right, input));
  return { violations, replaced };
}

/** Calls, thinking, signatures, encrypted and unknown parts are as they came. */
function fixedFaults(format: LawFormat, before: TreeNode, after: TreeNode): readonly string[] {
  const left = format.fixedIn(after);
  const came = format.fixedIn(before);
  if (came.length !== left.length) return [`paired: of ${came.length} parts that never change ${left.length} left`];
  return came.flatMap(({ what, raw }, index) => (left[index]?.raw === raw ? [] : [`paired: ${what} was altered`]));
}

/** Each replacement is smaller in bytes and tokens, and so is the body, escapes and all. Insertions are counted apart. */
function worseThings(
  replaced: readonly Replaced[],
  { before, after }: Pick<Pair, "before" | "after">,
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
  before: readonly LawResult[],
  after: readonly LawResult[],
  { declared }: LawInput,
): readonly string[] {
  const violations: string[] = [];
  const occurrences = new Map<string, number>();
  before.forEach(({ callId, identity, texts }, index) => {
    const form = after[index]?.identity ?? "";
    const content = `${callId}\n${identity}`;
    const occurrence = (occurrences.get(content) ?? 0) + 1;
    occurrences.set(content, occurrence);
    const name = `${occurrence}\n${content}`;
    const known = forms.get(name);
    const isDeclared = () => (callId === "" ? texts.map(resultName) : [callId]).some((one) => declared.has(one));
    const isAllowed = known === undefined || known === form || (known === identity && isDeclared());
    if (!isAllowed) violations.push(`steady: ${callId} was sent in another form before`);
    forms.set(name, form);
  });
  return violations;
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
