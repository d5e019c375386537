import type { ItemKey } from "../model/item.ts";
import type { View } from "../model/view.ts";
import { type BatchGround, requestsExpectedAfter } from "./batch.ts";
import { type PrefixKeeping, prefixKeeping } from "./kept-prefix.ts";
import { pricesAt } from "./price.ts";
import { type PromptSizes, promptSizes } from "./prompt-sizes.ts";

/** What the batches of one request are priced with. */
export interface Ground extends BatchGround {
  readonly sizes: PromptSizes;
  readonly keeping: PrefixKeeping;
  /** The most tokens a prompt and its answer may have together; null where that is not known. */
  readonly windowTokens: number | null;
  indexOf(key: ItemKey): number;
}

const BYTES_PER_TOKEN = 4;
const HOUR_MS = 3_600_000;

/** The ground of one request. What stands behind the first of `changed` is written again in any case. */
export function groundOf(
  view: View,
  changed: ReadonlySet<ItemKey>,
  { attentionPrice, marks }: { readonly attentionPrice: number; readonly marks: boolean },
): Ground {
  const { items, breakpoints, header } = view.transcript;
  const indexes = new Map(items.map(({ key }, index) => [key, index]));
  const sizes = promptSizes({
    headTokens: Math.ceil(header.overheadBytes / BYTES_PER_TOKEN),
    itemTokens: items.map((item) => {
      if (view.isGone(item)) return 0;
      const standing = view.standingOf(item.key);
      return standing.state === "released" ? standing.decision.markerTokens : view.tokensOf(item);
    }),
    entries: view.cache.entries,
    counted: view.cache.counted,
  });
  const keeping = prefixKeeping(view, marks);
  const heldCount = Math.min(view.cache.heldCount, ...Array.from(changed, (key) => indexes.get(key) ?? items.length));
  const tokensBetween = (from: number, to: number) => Math.max(0, sizes.upTo(to) - sizes.upTo(from));
  return {
    sizes,
    keeping,
    windowTokens: provenWindow(view),
    indexOf: (key) => indexes.get(key) ?? items.length,
    promptTokens: sizes.total,
    tokensBetween,
    heldCount,
    lostBefore(index) {
      const { itemCount } = keeping.before(index);
      const { cache } = view.model;
      // The end of what stays is read in whole steps.
      if (cache.kind === "prefix") return Math.min(cache.stepTokens, sizes.upTo(itemCount));
      const head = itemCount === 0 && header.headBreakpoints === 0 ? sizes.upTo(0) : 0;
      return head + tokensBetween(itemCount, index);
    },
    pricesOf: (promptTokens) => pricesAt(view.model, promptTokens, view.cache.atMs),
    isLongLived: (breakpoints.at(-1)?.ttlMs ?? header.cacheTtlMs ?? 0) >= HOUR_MS,
    requestsExpected: requestsExpectedAfter(view.clock.step),
    attentionPrice,
  };
}

/** A window that a prompt of this conversation was longer than is none. */
function provenWindow({ model: { windowTokens }, cache: { entries, counted } }: View): number | null {
  const longest = Math.max(counted?.tokens ?? 0, ...entries.map(({ tokens }) => tokens ?? 0));
  return windowTokens === null || longest > windowTokens ? null : windowTokens;
}
