import type { Script } from "../../model/edit.ts";
import { insertion, type Splice } from "../shared/splice.ts";
import type { BlockPlace, Layout } from "./layout.ts";
import type { AnthropicSource, PlacedItem } from "./source.ts";
import type { DeleteBlock } from "./write-deletes.ts";

/** What changes among the blocks of one message. */
interface BlockChange {
  readonly messageStart: number;
  readonly layout: Layout;
  readonly omitted: Set<number>;
  readonly added: AddedBlock[];
  /** Index of the last text block that came; -1 without one. */
  readonly lastText: number;
}

interface AddedBlock {
  readonly json: string;
  readonly isText: boolean;
  readonly needsTextBehind: boolean;
  /** Index of the block that it follows. */
  readonly behind: number;
}

/** Stands behind a block that wants a text behind it. */
const FILLER = '{"type":"text","text":"."}';

/** Blocks put in on the user's side, and thinking of the model's left out. */
export function blockSplices(
  source: AnthropicSource,
  script: Script,
  deletes: ReadonlyMap<number, DeleteBlock>,
): readonly Splice[] {
  const changes = new Map<number, BlockChange>();
  for (const [index, edit] of script.entries()) {
    if (edit.kind === "omit") omit(source, source.placeOf(edit.itemKey), changes);
    const block = edit.kind === "note" ? noteOf(edit.text) : (deletes.get(index) ?? null);
    if (block !== null && "anchorKey" in edit) add(source, source.placeOf(edit.anchorKey), block, changes);
  }
  return Array.from(changes.values()).flatMap(({ layout, ...change }) =>
    layout.kind === "list"
      ? listSplices({ layout, ...change }, layout.blocks)
      : stringSplices({ layout, ...change }, layout.content.start, layout.content.end),
  );
}

type Addition = Omit<AddedBlock, "behind">;

function noteOf(text: string): Addition | null {
  return text === "" ? null : { json: JSON.stringify({ type: "text", text }), isText: true, needsTextBehind: false };
}

/** A message keeps one block at least. */
function omit(source: AnthropicSource, place: PlacedItem | null, changes: Map<number, BlockChange>): void {
  if (place === null || place.layout?.kind !== "list") return;
  const { item, layout } = place;
  if (item.kind !== "thinking" || item.role !== "assistant") return;
  const { omitted } = changeAt(source, place, layout, changes);
  if (omitted.size + 1 < layout.blocks.length) omitted.add(item.blockIndex);
}

/** Tool results stay first: a note goes behind its anchor and all of them, a deletion behind the last of them. */
function add(
  source: AnthropicSource,
  place: PlacedItem | null,
  block: Addition,
  changes: Map<number, BlockChange>,
): void {
  if (place === null || place.layout === null || place.item.role !== "user") return;
  const { item, layout } = place;
  const lastResult = layout.kind === "list" ? layout.resultEnd - 1 : -1;
  const behind = block.isText || lastResult === -1 ? Math.max(item.blockIndex, lastResult) : lastResult;
  changeAt(source, place, layout, changes).added.push({ ...block, behind });
}

function changeAt(
  { transcript }: AnthropicSource,
  { item, messageStart }: PlacedItem,
  layout: Layout,
  changes: Map<number, BlockChange>,
): BlockChange {
  const known = changes.get(item.messageIndex);
  if (known !== undefined) return known;
  const { itemStart, itemEnd } = transcript.messages[item.messageIndex] ?? { itemStart: 0, itemEnd: 0 };
  const texts = transcript.items.slice(itemStart, itemEnd).filter(({ kind }) => kind === "text");
  const lastText = texts.at(-1)?.blockIndex ?? -1;
  const change = { messageStart, layout, omitted: new Set<number>(), added: [], lastText };
  changes.set(item.messageIndex, change);
  return change;
}

function listSplices(change: BlockChange, blocks: readonly BlockPlace[]): readonly Splice[] {
  const { messageStart, omitted } = change;
  const firstKept = blocks.findIndex((_, at) => !omitted.has(at));
  const splices: Splice[] = [];
  for (const at of omitted) {
    const [from, to] =
      at < firstKept ? [blocks[at]?.start, blocks[at + 1]?.start] : [blocks[at - 1]?.end, blocks[at]?.end];
    if (from === undefined || to === undefined) continue;
    splices.push({ start: messageStart + from, end: messageStart + to, bytes: null });
  }
  for (const { behind, json } of withFiller(change)) {
    splices.push(insertion(messageStart + (blocks[behind]?.end ?? 0), `,${json}`));
  }
  return splices;
}

/** The string becomes the text of a block, byte for byte. */
function stringSplices(change: BlockChange, start: number, end: number): readonly Splice[] {
  const added = withFiller(change);
  if (added.length === 0) return [];
  const { messageStart } = change;
  return [
    insertion(messageStart + start, '[{"type":"text","text":'),
    insertion(messageStart + end, `},${added.map(({ json }) => json).join(",")}]`),
  ];
}

/** The added blocks in their order, and a text behind the last one that wants one and has none. */
function withFiller({ added, lastText, layout }: BlockChange): readonly AddedBlock[] {
  const sorted = added.toSorted((one, other) => one.behind - other.behind);
  const at = sorted.findLastIndex(({ needsTextBehind }) => needsTextBehind);
  const wanting = sorted[at];
  if (wanting === undefined || sorted.slice(at).some(({ isText }) => isText)) return sorted;
  if (layout.kind === "list" && lastText > wanting.behind) return sorted;
  return sorted.with(at, { ...wanting, json: `${wanting.json},${FILLER}` });
}
