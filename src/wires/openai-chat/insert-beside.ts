import type { PlacedAside } from "../../model/ports.ts";
import { insertion, type Splice, shift } from "../shared/splice.ts";
import { thoughtCall } from "./call-json.ts";
import type { Echo } from "./echo.ts";
import type { ChatSource } from "./source.ts";

/** True where a result follows the message. */
export function takesResults({ entries }: ChatSource, messageIndex: number): boolean {
  return entries[messageIndex + 1]?.isResult === true;
}

/** Calls of asides among those of the message, and their results behind the last one of those; null where it has none. */
export function besideSplices(
  { spans, entries }: ChatSource,
  messageIndex: number,
  { outline, words }: Echo,
  asides: readonly PlacedAside[],
): readonly Splice[] | null {
  if (asides.length === 0) return [];
  const calls = outline.calls ?? [];
  const last = calls.at(-1);
  const start = spans[messageIndex]?.start ?? 0;
  if (last === undefined || asides.length > 1) return null;
  const splices = asides.flatMap((aside) =>
    aside.calls.map(({ blockIndex, json }) => {
      const { call } = thoughtCall(json);
      const next = calls[Math.max(0, blockIndex - words.length)];
      return next === undefined ? insertion(last.span.end, `,${call}`) : insertion(next.span.start, `${call},`);
    }),
  );
  let end = messageIndex + 1;
  while (entries[end + 1]?.isResult === true) end += 1;
  const results = asides.flatMap((aside) => aside.results).join(",");
  return [...splices.map((splice) => shift(splice, start)), insertion(spans[end]?.end ?? 0, `,${results}`)];
}
