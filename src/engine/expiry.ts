import type { PlacedAcquisition } from "../model/acquisition.ts";
import type { Item, ItemKey, MediaItem, ResultItem } from "../model/item.ts";
import type { LifetimeRule } from "../model/lifetime-rule.ts";
import type { Clock, Transcript } from "../model/transcript.ts";
import { judgeUntil, untilText } from "./deliberate.ts";
import type { LineageStanding } from "./standing.ts";

export interface ExpiryInput {
  readonly transcript: Transcript;
  readonly standing: LineageStanding;
  readonly clock: Clock;
  readonly rules: readonly LifetimeRule[];
  acquisitionOf(item: Item): PlacedAcquisition | null;
}

/**
 * Items whose declared or configured lifetime is over, with why. What was found over before stays so. Of a result with media
 * only the media leave, and its text stays; what was declared of the result counts for them.
 */
export function expiriesOf(input: ExpiryInput): ReadonlyMap<ItemKey, string> {
  const { transcript, standing, rules } = input;
  const { spans, expired } = standing.deliberate;
  const found = new Map(expired);
  if (spans.size === 0 && rules.length === 0) return found;
  for (const item of transcript.items) {
    if (found.has(item.key) || !canExpire(item)) continue;
    const words = expiryOf(item, input);
    if (words !== null) found.set(item.key, words);
  }
  return found;
}

type Expiring = ResultItem | MediaItem;

function canExpire(item: Item): item is Expiring {
  return item.kind === "media" || (item.kind === "result" && item.mediaCount === 0);
}

function expiryOf(item: Expiring, { standing, clock, rules, acquisitionOf }: ExpiryInput): string | null {
  const { spans, scopes } = standing.deliberate;
  const placed = acquisitionOf(item);
  const span = spans.get(item.key) ?? spans.get(placed?.resultKey ?? "");
  if (span !== undefined && span.until !== null) {
    return judgeUntil(span.until, clock, scopes) === "over" ? `declared ${untilText(span.until)}` : null;
  }
  return expiryByRule(item, standing.acquired.get(item.key) ?? null, clock, rules, placed);
}

function expiryByRule(
  item: Expiring,
  acquired: Clock | null,
  clock: Clock,
  rules: readonly LifetimeRule[],
  placed: PlacedAcquisition | null,
): string | null {
  // What the user sent stays until someone says otherwise.
  if (acquired === null || item.callId === null) return null;
  const rule = rules.find((one) => fits(one, item, placed));
  if (rule === undefined) return null;
  if (rule.turns !== null && clock.turn > acquired.turn + rule.turns) return `its kind stays ${rule.turns} turns`;
  if (rule.steps !== null && clock.step > acquired.step + rule.steps) return `its kind stays ${rule.steps} steps`;
  return null;
}

function fits(rule: LifetimeRule, item: Expiring, placed: PlacedAcquisition | null): boolean {
  if (rule.media !== null && rule.media !== mediaKindOf(item)) return false;
  if (rule.tools !== null && (placed === null || !rule.tools.includes(placed.acquisition.tool))) return false;
  if (rule.kinds !== null && (placed === null || !rule.kinds.includes(placed.acquisition.kind))) return false;
  return rule.fitsPath === null || (placed?.path !== null && placed !== null && rule.fitsPath(placed.path));
}

function mediaKindOf(item: Expiring): LifetimeRule["media"] {
  if (item.kind !== "media") return null;
  return item.mediaType.startsWith("image/") ? "image" : "document";
}
