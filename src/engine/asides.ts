import type { Aside } from "../model/aside.ts";
import type { BlockMark } from "../model/ports.ts";
import type { Attempt } from "./attempts.ts";

/** An aside in a message that a client sent back. Places are indexes of the message's blocks: in front of that block. */
export interface AsideInMessage {
  readonly aside: Aside;
  /** Where each of its calls stands, in order. */
  readonly calls: readonly number[];
  /** Where the message is parted; null for an aside beside the client's own calls. */
  readonly partedAt: number | null;
}

/** The attempt that a message came from, and its asides in their places. */
export interface ChosenAttempt {
  readonly attempt: Attempt;
  readonly asides: readonly AsideInMessage[];
}

/**
 * Which of the attempts at its anchor a message came from, by the marks of its blocks; null where it fits none. Clients drop
 * blocks and cut a message short, so what they send back is a part of what they saw, in order; what they saw of a message
 * that never ended is known up to its last aside only.
 */
export function chooseAttempt(marks: readonly BlockMark[], attempts: readonly Attempt[]): ChosenAttempt | null {
  if (marks.length === 0) return null;
  const latestFirst = attempts.toReversed();
  for (const fits of [fitsWhole, fitsBegun, fitsCut]) {
    for (const attempt of latestFirst) {
      const found = fits(marks, attempt, attempts);
      if (found !== null) return { attempt, asides: placed(attempt.asides, marks, found) };
    }
  }
  return null;
}

/** For each block its index in what was seen; null for one behind all that is known. */
type Found = readonly (number | null)[];

function fitsWhole(marks: readonly BlockMark[], { seen }: Attempt): Found | null {
  if (seen === null) return null;
  const found = findIn(seen, marks);
  return found.includes(null) ? null : found;
}

/**
 * Where nothing is found of what was seen in front of its asides, it fits when clients drop all of that, and no other request at the
 * same place may have led to the message.
 */
function fitsBegun(marks: readonly BlockMark[], attempt: Attempt, attempts: readonly Attempt[]): Found | null {
  const { seen, asides } = attempt;
  const last = asides.at(-1);
  if (seen !== null || last === undefined) return null;
  const found = findIn(last.seen, marks);
  const mayBeOther = () => attempts.some((other) => other !== attempt && other.seen === null);
  return found[0] === null && (!last.seen.every(isDropped) || mayBeOther()) ? null : found;
}

function isDropped(mark: string): boolean {
  return DROPPED.some((kind) => mark.startsWith(kind));
}

/** What marks begin with of blocks that clients leave out. */
const DROPPED = ["thinking:", "redacted_thinking:"];

/** The last block was cut short on its way to the transcript. */
function fitsCut(marks: readonly BlockMark[], { seen }: Attempt): Found | null {
  if (seen === null || marks.length < 2) return null;
  const found = findIn(seen, marks);
  return found.slice(0, -1).includes(null) ? null : found;
}

/** The first block that is not found ends what is known. */
function findIn(seen: readonly string[], marks: readonly BlockMark[]): Found {
  const found: (number | null)[] = [];
  let next: number | null = 0;
  for (const { mark } of marks) {
    const at: number = next === null ? -1 : seen.indexOf(mark, next);
    next = at === -1 ? null : at + 1;
    found.push(at === -1 ? null : at);
  }
  return found;
}

function placed(asides: readonly Aside[], marks: readonly BlockMark[], found: Found): readonly AsideInMessage[] {
  const behind = (count: number): number => {
    const last = found.findLastIndex((at) => at !== null && at < count);
    return last === -1 ? 0 : (marks[last]?.blockIndex ?? 0) + 1;
  };
  return asides.map((aside) => ({
    aside,
    calls: aside.calls.map(({ seenBefore }) => behind(seenBefore)),
    partedAt: aside.place === "round" ? behind(aside.seen.length) : null,
  }));
}
