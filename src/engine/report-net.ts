import type { DiffEngine, Hunk, NetEffect, ReportedChange, ReportedPart } from "../model/report.ts";
import { comparable, type KnownText, type Stretch } from "./file-replay.ts";

/** What is different in the end, by the stretches of proven changes and the count of those that no recorded call states. */
export function netOf(
  stretches: readonly Stretch[],
  losses: number,
  changes: readonly ReportedChange[],
  diff: DiffEngine,
): NetEffect {
  const [only, other] = stretches;
  if (only === undefined) return losses > 0 ? unknown(changes) : { kind: "none", words: "nothing was changed" };
  if (other === undefined && losses === 0) return netOfOne(only, diff);
  const parts = stretches.flatMap((stretch) => partsOf(stretch, diff));
  if (parts.length === 0 && losses > 0) return unknown(changes);
  const words = losses > 0 ? "not the whole difference: changes without a record stand between" : APART;
  return { kind: "changed", isWhole: false, parts, words };
}

const APART = "not the whole difference: how these changes join is not known";

function netOfOne(stretch: Stretch, diff: DiffEngine): NetEffect {
  const { before, now, fragments } = stretch;
  const parts = partsOf(stretch, diff);
  if (before !== null && now !== null) {
    if (parts.length === 0) return { kind: "none", words: BACK };
    return { kind: "changed", isWhole: true, parts, words: "the whole difference" };
  }
  if (now !== null) {
    const done = now.text === "" ? "emptied or removed" : "written whole";
    return { kind: "changed", isWhole: false, parts, words: `${done}; what stood there before is not known` };
  }
  if (fragments.length > 0 && fragments.every((one) => one.isOpen && one.before === one.now)) {
    return { kind: "none", words: BACK };
  }
  const isJoined = fragments.every(({ isOpen }) => isOpen);
  return { kind: "changed", isWhole: isJoined, parts, words: isJoined ? PLACELESS : APART };
}

const BACK = "changed, and changed back";
const PLACELESS = "the whole difference; line numbers are not the file's";

function partsOf({ before, now, fragments }: Stretch, diff: DiffEngine): readonly ReportedPart[] {
  if (now !== null) {
    const isKnown = before !== null;
    const hunks = before === null ? diff.diff("", now.text) : diffOf(before, now, diff);
    return hunks.length === 0 ? [] : [{ hasLines: isKnown, hunks }];
  }
  return fragments
    .filter((one) => one.before !== one.now)
    .map((one) => ({ hasLines: false, hunks: diff.diff(`${one.before}\n`, `${one.now}\n`) }));
}

function diffOf(before: KnownText, now: KnownText, diff: DiffEngine): readonly Hunk[] {
  const [left, right] = comparable(before, now);
  return left === right ? [] : diff.diff(left, right);
}

function unknown(changes: readonly ReportedChange[]): NetEffect {
  const isCommand = changes.some(({ by, isProven }) => by === "command" && !isProven);
  return { kind: "unknown", words: isCommand ? "changed by command, no diff recorded" : "changed, no diff recorded" };
}
