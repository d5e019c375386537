import type { Insertions, PlacedAside } from "../../model/ports.ts";
import { type Splice, shift, spliceBody } from "../shared/splice.ts";
import { echoOf } from "./echo.ts";
import { besideSplices, takesResults } from "./insert-beside.ts";
import { roundSplices } from "./insert-rounds.ts";
import type { ChatSource } from "./source.ts";
import { toolSplices } from "./tools-json.ts";

/**
 * The body with tools and asides in it, every other byte as it came; null where it has no place for them. Left out whole, so that
 * every call keeps its result: an aside beside calls whose results do not follow.
 */
export function insertInto(body: Uint8Array, source: ChatSource, { tools, asides }: Insertions): Uint8Array | null {
  const added = tools === null ? [] : toolSplices(source, tools);
  if (added === null) return null;
  const splices: Splice[] = [...added];
  for (const [messageIndex, all] of byMessage(asides)) {
    const own = splicesAt(source, messageIndex, all);
    if (own === null) return null;
    splices.push(...own);
  }
  return splices.length === 0 ? body : Buffer.concat(spliceBody(body, splices));
}

function splicesAt(source: ChatSource, messageIndex: number, asides: readonly PlacedAside[]): readonly Splice[] | null {
  const rounds = asides.filter(({ partedAt }) => partedAt !== null);
  const beside = takesResults(source, messageIndex) ? asides.filter(({ partedAt }) => partedAt === null) : [];
  if (rounds.length + beside.length === 0) return [];
  const echo = echoOf(source, messageIndex);
  const start = source.spans[messageIndex]?.start;
  if (echo === null || start === undefined) return null;
  const calls = besideSplices(source, messageIndex, echo, beside);
  if (calls === null) return null;
  return [...roundSplices(echo, rounds).map((splice) => shift(splice, start)), ...calls];
}

function byMessage(asides: readonly PlacedAside[]): ReadonlyMap<number, readonly PlacedAside[]> {
  const groups = new Map<number, PlacedAside[]>();
  for (const aside of asides) {
    const group = groups.get(aside.messageIndex);
    if (group === undefined) groups.set(aside.messageIndex, [aside]);
    else group.push(aside);
  }
  return groups;
}
