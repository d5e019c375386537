import type { PlacedAcquisition } from "../model/acquisition.ts";
import type { Item, ItemKey } from "../model/item.ts";
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

/** Items whose declared or configured lifetime is over, with why. What was found over before stays so. */
export function expiriesOf({
  transcript,
  standing,
  clock,
  rules,
  acquisitionOf,
}: ExpiryInput): ReadonlyMap<ItemKey, string> {
  const { spans, expired, scopes } = standing.deliberate;
  const found = new Map(expired);
  if (spans.size === 0 && rules.length === 0) return found;
  for (const item of transcript.items) {
    if (item.kind !== "result" || found.has(item.key)) continue;
    const span = spans.get(item.key);
    if (span !== undefined && span.until !== null) {
      if (judgeUntil(span.until, clock, scopes) === "over") found.set(item.key, `declared ${untilText(span.until)}`);
      continue;
    }
    const words = expiryByRule(standing.acquired.get(item.key) ?? null, clock, rules, acquisitionOf(item));
    if (words !== null) found.set(item.key, words);
  }
  return found;
}

function expiryByRule(
  acquired: Clock | null,
  clock: Clock,
  rules: readonly LifetimeRule[],
  placed: PlacedAcquisition | null,
): string | null {
  if (acquired === null) return null;
  const rule = rules.find((one) => fits(one, placed));
  if (rule === undefined) return null;
  if (rule.turns !== null && clock.turn > acquired.turn + rule.turns) return `its kind stays ${rule.turns} turns`;
  if (rule.steps !== null && clock.step > acquired.step + rule.steps) return `its kind stays ${rule.steps} steps`;
  return null;
}

function fits(rule: LifetimeRule, placed: PlacedAcquisition | null): boolean {
  if (rule.tools !== null && (placed === null || !rule.tools.includes(placed.acquisition.tool))) return false;
  if (rule.kinds !== null && (placed === null || !rule.kinds.includes(placed.acquisition.kind))) return false;
  return rule.fitsPath === null || (placed?.path !== null && placed !== null && rule.fitsPath(placed.path));
}
