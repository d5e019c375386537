import type { Span } from "../../lib/json-scan.ts";
import type { PlacedAside } from "../../model/ports.ts";
import { insertion, type Splice, shift } from "../shared/splice.ts";
import { type Gap, gapOf, type Put } from "./insert-gap.ts";
import type { Layout } from "./layout.ts";
import { PARTS, type PartJson, userMessage } from "./message-json.ts";
import type { PlacedMessage } from "./source.ts";
import { isEmptyString, listOfString } from "./string-content.ts";

/** The calls of asides in their message, and the message parted around the results; null where it has no place for them. */
export function asideSplices(message: PlacedMessage, asides: readonly PlacedAside[]): readonly Splice[] | null {
  const { layout, role, start, end } = message;
  const puts = asides.flatMap(putsOf);
  if (puts.length === 0) return [];
  if (role !== "assistant" || layout === null || !isInOrder(asides)) return null;
  const blocks = blocksOf(layout);
  const gaps = gapsOf(puts, blocks.length, layout.first === null ? null : PARTS[layout.first]);
  if (gaps === null) return null;
  const own = layout.kind === "list" ? listSplices(layout.content, blocks, gaps) : stringSplices(layout.content, gaps);
  const behind = gaps.get(blocks.length)?.results ?? null;
  const splices = own.map((splice) => shift(splice, start));
  return behind === null ? splices : [...splices, insertion(end, `,${userMessage(behind)}`)];
}

function putsOf({ calls, partedAt, results }: PlacedAside): readonly Put[] {
  const puts: readonly Put[] = calls.map(({ blockIndex, json }) => ({ kind: "call", at: blockIndex, json }));
  return partedAt === null ? puts : [...puts, { kind: "part", at: partedAt, results }];
}

/** The message ends with calls whose results join the next one. */
function isInOrder(asides: readonly PlacedAside[]): boolean {
  return asides.slice(0, -1).every(({ partedAt }) => partedAt !== null);
}

function blocksOf(layout: Layout): readonly Span[] {
  if (layout.kind === "list") return layout.blocks;
  return isEmptyString(layout.content) ? [] : [layout.content];
}

/** By the block that each stands in front of. */
function gapsOf(puts: readonly Put[], blockCount: number, part: PartJson | null): ReadonlyMap<number, Gap> | null {
  const gaps = new Map<number, Gap>();
  let from = 0;
  while (from < puts.length) {
    const at = puts[from]?.at ?? 0;
    const end = puts.findIndex((put, index) => index > from && put.at !== at);
    const to = end === -1 ? puts.length : end;
    const gap = gapOf(puts.slice(from, to), { isFirst: at === 0, isLast: at === blockCount }, part);
    const isBehindOthers = at <= Math.max(-1, ...gaps.keys());
    if (gap === null || isBehindOthers || at > blockCount) return null;
    gaps.set(at, gap);
    from = to;
  }
  return gaps;
}

function listSplices(content: Span, blocks: readonly Span[], gaps: ReadonlyMap<number, Gap>): readonly Splice[] {
  const splices: Splice[] = [];
  for (const [at, { behind, ahead }] of gaps) {
    if (behind !== "") splices.push(insertion(blocks[at - 1]?.end ?? content.start + 1, behind));
    if (ahead !== "") splices.push(insertion(blocks[at]?.start ?? content.start + 1, ahead));
  }
  return splices;
}

function stringSplices(content: Span, gaps: ReadonlyMap<number, Gap>): readonly Splice[] {
  const [first, second] = [gaps.get(0), gaps.get(1)];
  const behind = isEmptyString(content) ? first?.behind : second?.behind;
  return listOfString(content, first?.ahead ?? "", behind ?? "");
}
