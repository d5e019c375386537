import { toJsonBytes } from "../../lib/json-scan.ts";
import { elementsOf } from "../../lib/json-spans.ts";
import type { Digest } from "../../model/item.ts";
import { readEntry } from "./entry.ts";
import { outlineEntry } from "./outline.ts";

/** Digests of the reasoning that stands in front of calls. */
export function thoughtsIn(calls: readonly string[]): ReadonlySet<Digest> {
  const text = toJsonBytes(Buffer.from(`[${calls.join(",")}]`));
  return new Set(
    elementsOf(text, 0).flatMap(({ start, end }) => {
      const outline = outlineEntry(toJsonBytes(text.bytes.subarray(start, end)));
      if (typeof outline === "number") return [];
      return readEntry(outline).entry.seeds.flatMap(({ item }) => (item.kind === "thinking" ? [item.digest] : []));
    }),
  );
}
