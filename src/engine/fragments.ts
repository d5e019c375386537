import type { Replacement } from "../model/acquisition.ts";

/** A part of a file whose whole is not known: what stood there, and what stands there now. */
export interface Fragment {
  readonly before: string;
  readonly now: string;
  /** False once a later change may have touched it: then nothing later is joined to it. */
  readonly isOpen: boolean;
}

/** Beyond this many characters of both, whether two texts may overlap is not looked for. */
const OVERLAP_CHARS_MAX = 4_096;

/**
 * The fragments after one more replacement. It is joined to a fragment only where it must have acted inside it: `from` stands once
 * in the file, and once in that fragment alone. Null where the fragments contradict it, so that something else changed the file.
 */
export function replaceInFragments(
  fragments: readonly Fragment[],
  { from, to, isAll }: Replacement,
): readonly Fragment[] | null {
  if (isAll) return [...fragments.map(closed), { before: from, now: to, isOpen: false }];
  const holding = fragments.filter(({ now, isOpen }) => isOpen && now.includes(from));
  const [only, other] = holding;
  if (other !== undefined) return null;
  if (only === undefined) {
    const touched = fragments.map((one) => (mayTouch(one.now, from) ? closed(one) : one));
    return [...touched, { before: from, now: to, isOpen: true }];
  }
  const at = only.now.indexOf(from);
  if (only.now.indexOf(from, at + from.length) !== -1) return null;
  if (mayBeginBefore(only.now.slice(0, at), from)) {
    return [...fragments.map((one) => (one === only ? closed(one) : one)), { before: from, now: to, isOpen: false }];
  }
  const now = only.now.slice(0, at) + to + only.now.slice(at + from.length);
  return fragments.map((one) => (one === only ? { ...only, now } : one));
}

/**
 * The whole file as it was before the fragments changed, from what it is now. `unknown` where a place cannot be told, `differs` where
 * a fragment is not in the file.
 */
export function unwind(fragments: readonly Fragment[], now: string): { readonly text: string } | "unknown" | "differs" {
  let text = now;
  for (const one of fragments.toReversed()) {
    if (!one.isOpen) return "unknown";
    const at = text.indexOf(one.now);
    if (at === -1) return "differs";
    if (one.now === "" || text.indexOf(one.now, at + 1) !== -1) return "unknown";
    text = text.slice(0, at) + one.before + text.slice(at + one.now.length);
  }
  return { text };
}

/** True where the text may stand a little further left as well, across the fragment's border: tools take the leftmost place. */
function mayBeginBefore(left: string, from: string): boolean {
  if (from.length > OVERLAP_CHARS_MAX) return true;
  for (let shift = left.length + 1; shift < from.length; shift++) {
    const isPeriod = from.startsWith(from.slice(shift));
    if (isPeriod && left === from.slice(shift - left.length, shift)) return true;
  }
  return false;
}

function closed(fragment: Fragment): Fragment {
  return { ...fragment, isOpen: false };
}

/** True unless `from` surely stands beside the fragment. */
function mayTouch(now: string, from: string): boolean {
  if (now === "" || from.includes(now)) return true;
  const most = Math.min(now.length, from.length);
  if (most > OVERLAP_CHARS_MAX) return true;
  for (let count = 1; count <= most; count++) {
    if (now.endsWith(from.slice(0, count)) || from.endsWith(now.slice(0, count))) return true;
  }
  return false;
}
