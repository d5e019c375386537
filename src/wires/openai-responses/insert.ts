import type { Insertions, PlacedAside } from "../../model/ports.ts";
import { insertion, type Splice, spliceBody } from "../shared/splice.ts";
import { isHeldByProvider } from "./held-by-provider.ts";
import { entriesOf, type ResponsesSource } from "./source.ts";
import { toolSplices } from "./tools-json.ts";

/** A text in front of an entry of a message; their count for the end of the message. */
interface Put {
  readonly at: number;
  readonly json: string;
}

/** The body with tools and asides in it, every other byte as it came; null where it has no place for them. */
export function insertInto(
  body: Uint8Array,
  source: ResponsesSource,
  { tools, asides }: Insertions,
): Uint8Array | null {
  if (source.fields.isInputTwice || (asides.length > 0 && isHeldByProvider(source))) return null;
  const splices: Splice[] = [];
  const added = tools === null ? [] : toolSplices(source, tools);
  if (added === null) return null;
  splices.push(...added);
  for (const [messageIndex, placed] of byMessage(asides)) {
    const own = asideSplices(source, messageIndex, placed.flatMap(putsOf));
    if (own === null) return null;
    splices.push(...own);
  }
  return splices.length === 0 ? body : Buffer.concat(spliceBody(body, splices));
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

/** Results beside the client's own stand behind all that the model said, in front of those. */
function putsOf({ calls, partedAt, results }: PlacedAside): readonly Put[] {
  const puts: Put[] = calls.map(({ blockIndex, json }) => ({ at: blockIndex, json }));
  for (const json of results) puts.push({ at: partedAt ?? Number.POSITIVE_INFINITY, json });
  return puts;
}

/** Null where one would stand in front of what it follows, or the message is none of the model's. */
function asideSplices(source: ResponsesSource, messageIndex: number, puts: readonly Put[]): readonly Splice[] | null {
  const message = entriesOf(source, messageIndex);
  if (message === null || message.role !== "assistant") return null;
  const { spans } = message;
  const end = spans.at(-1)?.end ?? null;
  const isInOrder = puts.every(({ at }, index) => at >= (puts[index - 1]?.at ?? 0));
  if (end === null || !isInOrder) return null;
  return puts.map(({ at, json }) => {
    const next = spans[at];
    return next === undefined ? insertion(end, `,${json}`) : insertion(next.start, `${json},`);
  });
}
