import type { ContextKind, RecordedBlock, RecordedProblem } from "../recording.ts";
import type { AssistantLine, LogLine } from "./claude-code-line.ts";

/** All lines of one response, in the order of the file. */
export type ResponseLines = readonly AssistantLine[];

export interface LocatedResult {
  readonly block: RecordedBlock;
  readonly line: number;
  readonly atMs: number | null;
}

/** One context of a log: its lines in the order of the file, and what its chains need to be followed. */
export interface LogThread {
  readonly id: string;
  readonly kind: ContextKind;
  readonly lines: readonly LogLine[];
  readonly responses: ReadonlyMap<string, ResponseLines>;
  /** The first result of each call. */
  readonly results: ReadonlyMap<string, LocatedResult>;
  /** Line of the last client compaction; 0 without one. */
  readonly foldLine: number;
  readonly problems: readonly RecordedProblem[];
  /** The line a line continues from; null where a history begins. */
  parentOf(line: LogLine): LogLine | null;
}

/** Sorts the lines of a log into its contexts and resolves what each line continues from. */
export function toThreads(read: readonly LogLine[]): readonly LogThread[] {
  const { lines, repeats } = withoutRepeats(read);
  const problemsOf = new Map<LogLine, RecordedProblem>();
  const parents = resolveParents(lines, problemsOf);
  const idOf = contextIds(lines, parents);
  const threads = new Map<string, LogLine[]>();
  for (const line of lines) {
    const id = idOf.get(line) ?? "main";
    const members = threads.get(id);
    if (members === undefined) threads.set(id, [line]);
    else members.push(line);
  }
  const built = [...threads].map(([id, members]) => toThread(id, members, parents, problemsOf));
  const kept = built.filter((thread) => thread.lines.some((line) => line.kind === "user" || line.kind === "assistant"));
  return withProblems(kept, repeats);
}

/** Of lines with the same id the first counts. */
function withoutRepeats(read: readonly LogLine[]): { lines: LogLine[]; repeats: RecordedProblem[] } {
  const lineOf = new Map<string, number>();
  const lines: LogLine[] = [];
  const repeats: RecordedProblem[] = [];
  for (const line of read) {
    const first = line.uuid === null ? undefined : lineOf.get(line.uuid);
    if (first === undefined) {
      if (line.uuid !== null) lineOf.set(line.uuid, line.line);
      lines.push(line);
    } else repeats.push({ line: line.line, words: `repeats the id of line ${first}; the first counts` });
  }
  return { lines, repeats };
}

/**
 * A line continues from the line its `parentUuid` names. Where that line is not in the file, and where a response or a
 * result names none, it continues from the line before it of the same kind: neither can begin a history.
 */
function resolveParents(lines: readonly LogLine[], problems: Map<LogLine, RecordedProblem>): Map<LogLine, LogLine> {
  const byUuid = new Map<string, LogLine>();
  for (const line of lines) if (line.uuid !== null) byUuid.set(line.uuid, line);
  const parents = new Map<LogLine, LogLine>();
  const lastOf = new Map<string, LogLine>();
  for (const line of lines) {
    const lane = line.isSidechain ? `side ${line.agentId ?? ""}` : "main";
    const before = lastOf.get(lane);
    lastOf.set(lane, line);
    if (line.kind === "fold") continue;
    const named = line.parentUuid === null ? undefined : byUuid.get(line.parentUuid);
    if (named !== undefined && named !== line) parents.set(line, named);
    else if (before !== undefined && (line.parentUuid !== null || !canBegin(line))) {
      parents.set(line, before);
      const words = line.parentUuid === null ? "names no line before it" : "continues a line that is not in the file";
      problems.set(line, { line: line.line, words: `${words}; taken to continue line ${before.line}` });
    }
  }
  return parents;
}

function canBegin(line: LogLine): boolean {
  if (line.kind === "assistant") return false;
  return line.kind !== "user" || !line.blocks.some((block) => block.kind === "result");
}

function contextIds(lines: readonly LogLine[], parents: ReadonlyMap<LogLine, LogLine>): Map<LogLine, string> {
  const ids = new Map<LogLine, string>();
  for (const line of lines) {
    if (!line.isSidechain) ids.set(line, "main");
    else if (line.agentId !== null) ids.set(line, `agent ${line.agentId}`);
    else ids.set(line, sidechainId(line, parents, ids));
  }
  return ids;
}

/** A sidechain is named by the id of its first line. */
function sidechainId(line: LogLine, parents: ReadonlyMap<LogLine, LogLine>, ids: ReadonlyMap<LogLine, string>): string {
  const seen = new Set<LogLine>();
  let at = line;
  for (;;) {
    const known = ids.get(at);
    if (known !== undefined) return known;
    seen.add(at);
    const parent = parents.get(at);
    if (parent === undefined || !parent.isSidechain || seen.has(parent)) return `sidechain ${at.uuid ?? at.line}`;
    at = parent;
  }
}

function toThread(
  id: string,
  lines: readonly LogLine[],
  parents: ReadonlyMap<LogLine, LogLine>,
  problemsOf: ReadonlyMap<LogLine, RecordedProblem>,
): LogThread {
  const responses = new Map<string, AssistantLine[]>();
  const results = new Map<string, LocatedResult>();
  let foldLine = 0;
  for (const line of lines) {
    if (line.kind === "fold") foldLine = line.line;
    if (line.kind === "user") {
      if (line.isSummary && !followsFold(line, parents)) foldLine = line.line - 1;
      noteResults(line, results);
    }
    if (line.kind !== "assistant") continue;
    const sharing = responses.get(line.messageId);
    if (sharing === undefined) responses.set(line.messageId, [line]);
    else sharing.push(line);
  }
  const problems = lines.flatMap((line) => problemsOf.get(line) ?? []);
  const kind = id === "main" ? "main" : id.startsWith("agent ") ? "agent" : "sidechain";
  return { id, kind, lines, responses, results, foldLine, problems, parentOf: (line) => parents.get(line) ?? null };
}

function noteResults(line: LogLine & { readonly kind: "user" }, results: Map<string, LocatedResult>): void {
  for (const block of line.blocks) {
    if (block.kind !== "result" || block.callId === null || results.has(block.callId)) continue;
    results.set(block.callId, { block, line: line.line, atMs: line.atMs });
  }
}

function followsFold(line: LogLine, parents: ReadonlyMap<LogLine, LogLine>): boolean {
  return parents.get(line)?.kind === "fold";
}

function withProblems(threads: readonly LogThread[], repeats: readonly RecordedProblem[]): readonly LogThread[] {
  const first = threads[0];
  if (first === undefined || repeats.length === 0) return threads;
  return [{ ...first, problems: [...first.problems, ...repeats] }, ...threads.slice(1)];
}
