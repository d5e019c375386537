import type { Usage } from "../../model/usage.ts";
import type { RecordedBlock, RecordedMessage } from "../recording.ts";
import type { CodexLine } from "./codex-line.ts";
import { toJsonBlock } from "./json-block.ts";
import { createTeller, type Teller } from "./teller.ts";
import type { ToldEntry } from "./told.ts";

/** The response that is being put together, and the outputs of its calls so far. */
interface Draft {
  readonly line: number;
  readonly atMs: number | null;
  readonly blocks: RecordedBlock[];
  readonly outputs: (RecordedBlock & { readonly atMs: number | null })[];
  readonly model: string | null;
  usage: Usage | null;
  /** A usage was reported since it began, so that what the model says next is another response. */
  isReported: boolean;
}

/** State of a telling. */
interface Telling {
  readonly teller: Teller;
  /** Some line reports a usage: one ends each response, which outputs between calls do not. */
  readonly reportsUsage: boolean;
  draft: Draft | null;
  model: string | null;
  lastTotal: string;
  /** Reported before the first item of its response, as the first versions do. */
  early: Usage | null;
}

/** Puts a rollout's items together to responses and what stands between them. */
export function tellCodex(lines: readonly CodexLine[]): readonly ToldEntry[] {
  const telling: Telling = {
    teller: createTeller(),
    reportsUsage: lines.some(({ kind }) => kind === "usage"),
    draft: null,
    model: null,
    lastTotal: "",
    early: null,
  };
  for (const line of lines) tellLine(telling, line);
  endResponse(telling);
  return telling.teller.entries;
}

function tellLine(telling: Telling, line: CodexLine): void {
  switch (line.kind) {
    case "meta":
      return;
    case "model":
      telling.model = line.model;
      return;
    case "usage":
      tellUsage(telling, line.usage, line.total);
      return;
    case "item":
      tellItem(telling, line.block, line);
      return;
    case "fold":
      endResponse(telling);
      telling.teller.tell({ kind: "fold", opening: openingOf(telling, line), keptFrom: null }, line);
      return;
    case "rollback":
      endResponse(telling);
      telling.teller.goTo(beforeTurns(telling.teller.last(), line.turns));
  }
}

function tellUsage(telling: Telling, usage: Usage, total: string): void {
  if (total === telling.lastTotal) return;
  telling.lastTotal = total;
  const { draft } = telling;
  if (draft !== null) draft.isReported = true;
  if (draft === null || draft.usage !== null) telling.early = usage;
  else draft.usage = usage;
}

function tellItem(telling: Telling, block: RecordedBlock, place: { line: number; atMs: number | null }): void {
  if (block.kind === "result" && telling.draft !== null) {
    telling.draft.outputs.push({ ...block, atMs: place.atMs });
    return;
  }
  if (block.role !== "assistant") {
    endResponse(telling);
    telling.teller.tell({ kind: "said", messages: [{ role: block.role, blocks: [block] }] }, place);
    return;
  }
  const { draft } = telling;
  const ends = draft !== null && (telling.reportsUsage ? draft.isReported : draft.outputs.length > 0);
  if (ends) endResponse(telling);
  if (telling.draft !== null) {
    telling.draft.blocks.push(block);
    return;
  }
  const { line, atMs } = place;
  telling.draft = {
    line,
    atMs,
    blocks: [block],
    outputs: [],
    model: telling.model,
    usage: telling.early,
    isReported: false,
  };
  telling.early = null;
}

function endResponse(telling: Telling): void {
  const { draft, teller } = telling;
  if (draft === null) return;
  telling.draft = null;
  const { line, atMs, blocks, model, usage, outputs } = draft;
  const message: RecordedMessage = { role: "assistant", blocks };
  teller.tell(
    { kind: "response", message, model, messageId: null, usage, askedMs: null, isSentBack: true },
    { line, atMs },
  );
  for (const { atMs: endedMs, ...block } of outputs) {
    teller.tell({ kind: "said", messages: [{ role: "user", blocks: [block] }] }, { line: block.line, atMs: endedMs });
  }
}

/** What a compaction leaves: the list that the client kept, or the person's messages and the summary. */
function openingOf({ teller }: Telling, fold: Extract<CodexLine, { kind: "fold" }>): readonly RecordedMessage[] {
  if (fold.history !== null) return fold.history.map((block) => ({ role: block.role, blocks: [block] }));
  const spoken: RecordedMessage[] = [];
  for (let at = teller.last(); at !== null; at = at.parent) {
    if (at.told.kind === "said") spoken.unshift(...at.told.messages.filter(({ blocks }) => blocks[0]?.kind === "text"));
    if (at.told.kind === "fold") break;
  }
  const content = [{ type: "input_text", text: fold.summary }];
  const summary = toJsonBlock("user", "text", { type: "message", role: "user", content }, fold.line);
  return [...spoken, { role: "user", blocks: [summary] }];
}

/** The entry that stood before the last `turns` messages of the person. */
function beforeTurns(last: ToldEntry | null, turns: number): ToldEntry | null {
  let left = turns;
  let at = last;
  while (at !== null && left > 0) {
    if (isPersons(at)) left -= 1;
    at = at.parent;
  }
  return at;
}

/** What the client adds for itself as a message of the person is wrapped in a tag. */
function isPersons({ told }: ToldEntry): boolean {
  if (told.kind !== "said") return false;
  return told.messages.some(({ role, blocks }) =>
    blocks.some(
      (block) =>
        role === "user" && block.kind === "text" && !Buffer.from(block.json).toString("utf8").includes('"text":"<'),
    ),
  );
}
