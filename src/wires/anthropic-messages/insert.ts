import type { Insertions, PlacedAside } from "../../model/ports.ts";
import { type Splice, spliceBody } from "../shared/splice.ts";
import { asideSplices } from "./insert-asides.ts";
import { resultSplices, takesResults } from "./insert-results.ts";
import type { AnthropicSource } from "./source.ts";
import { toolSplices } from "./tools-json.ts";

/**
 * The body with tools and asides in it, every other byte as it came; null where it has no place for them. Left out whole, so that
 * every call keeps its result: an aside whose results would join a message of the user that does not follow, or takes none.
 */
export function insertInto(
  body: Uint8Array,
  source: AnthropicSource,
  { tools, asides }: Insertions,
): Uint8Array | null {
  const splices: Splice[] = [];
  const added = tools === null ? [] : toolSplices(source, tools);
  if (added === null) return null;
  splices.push(...added);
  for (const [messageIndex, all] of byMessage(asides)) {
    const next = source.messageAt(messageIndex + 1);
    const placed = all.filter(({ partedAt }) => partedAt !== null || takesResults(next));
    const message = source.messageAt(messageIndex);
    const own = message === null ? null : asideSplices(message, placed);
    if (own === null) return null;
    splices.push(...own, ...resultSplices(next, placed));
  }
  return splices.length === 0 ? body : Buffer.concat(spliceBody(body, splices));
}

function byMessage(asides: readonly PlacedAside[]): ReadonlyMap<number, readonly PlacedAside[]> {
  const groups = new Map<number, PlacedAside[]>();
  for (const aside of asides) groups.set(aside.messageIndex, [...(groups.get(aside.messageIndex) ?? []), aside]);
  return groups;
}
