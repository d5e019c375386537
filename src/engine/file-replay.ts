import type { ChangeText, Replacement } from "../model/acquisition.ts";
import { type Fragment, replaceInFragments, unwind } from "./fragments.ts";

/** A whole file as far as it is known; with `isEndKnown` false, whether its last line is ended is not. */
export interface KnownText {
  readonly text: string;
  readonly isEndKnown: boolean;
}

/** Changes of one file with no unrecorded change among them. */
export interface Stretch {
  /** Null: not known. */
  readonly before: KnownText | null;
  readonly now: KnownText | null;
  /** Where `before` is not known: what the changes say of it. Empty where the file was written whole. */
  readonly fragments: readonly Fragment[];
  readonly changes: number;
}

/** Follows one file through its recorded changes; what is not proven is not known. */
export interface FileReplay {
  /** A read of the whole file. False: it shows what no recorded change gives. */
  see(text: string): boolean;
  /** False: the change does not fit what was known, so something unrecorded came before it. */
  apply(change: ChangeText): boolean;
  /** A change of unknown content. */
  lose(): void;
  /** What is known now is what the file was before. */
  begin(): void;
  stretches(): readonly Stretch[];
}

const UNKNOWN: Stretch = { before: null, now: null, fragments: [], changes: 0 };

/** A file of which nothing is known yet. */
export function createFileReplay(): FileReplay {
  let done: readonly Stretch[] = [];
  let current = UNKNOWN;

  function part(next: Stretch): void {
    if (current.changes > 0) done = [...done, current];
    current = next;
  }

  return {
    see(text) {
      const seen = { text, isEndKnown: false };
      const met = meet(current, seen);
      if (met.kind === "fits") current = met.stretch;
      else part({ ...UNKNOWN, before: seen, now: seen });
      return met.kind !== "differs";
    },
    apply(change) {
      const next = changed(current, change);
      if (next !== null) {
        current = next;
        return true;
      }
      part(UNKNOWN);
      current = changed(UNKNOWN, change) ?? { ...UNKNOWN, changes: 1 };
      return false;
    },
    lose: () => part(UNKNOWN),
    begin() {
      done = [];
      current = { ...UNKNOWN, before: current.now, now: current.now };
    },
    stretches: () => (current.changes > 0 ? [...done, current] : done),
  };
}

/** Two texts to compare: where the end of one is not known, both are taken to end with a line end. */
export function comparable(before: KnownText, now: KnownText): readonly [string, string] {
  return before.isEndKnown === now.isEndKnown ? [before.text, now.text] : [ended(before.text), ended(now.text)];
}

function ended(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

/** Reads do not always print how a file ends. */
function isShownBy(known: KnownText, seen: KnownText): boolean {
  return known.text.replace(/\n+$/, "") === seen.text.replace(/\n+$/, "");
}

type Met =
  | { readonly kind: "fits"; readonly stretch: Stretch }
  /** The read begins a new stretch, and nothing speaks of an unrecorded change. */
  | { readonly kind: "apart" }
  | { readonly kind: "differs" };

function meet(stretch: Stretch, seen: KnownText): Met {
  if (stretch.now !== null) return isShownBy(stretch.now, seen) ? { kind: "fits", stretch } : { kind: "differs" };
  if (stretch.changes === 0) return { kind: "fits", stretch: { ...stretch, before: seen, now: seen } };
  const unwound = unwind(stretch.fragments, seen.text);
  if (unwound === "unknown") return { kind: "apart" };
  if (unwound === "differs") return { kind: "differs" };
  const before = { text: unwound.text, isEndKnown: false };
  return { kind: "fits", stretch: { ...stretch, before, now: seen, fragments: [] } };
}

function changed(stretch: Stretch, change: ChangeText): Stretch | null {
  const changes = stretch.changes + 1;
  switch (change.kind) {
    case "replacements":
      return replaced(stretch, change.replacements, changes);
    case "content":
    case "cell": {
      const now = { text: change.text, isEndKnown: true };
      const isNew = change.kind === "content" ? change.isNew : change.mode === "insert";
      if (!isNew) return { ...stretch, now, fragments: [], changes };
      const nothing = { text: "", isEndKnown: true };
      if (stretch.now !== null && stretch.now.text !== "") return null;
      if (stretch.now === null && stretch.changes > 0) return null;
      return { before: stretch.before ?? nothing, now, fragments: [], changes };
    }
  }
}

function replaced(stretch: Stretch, replacements: readonly Replacement[], changes: number): Stretch | null {
  if (stretch.now !== null) {
    const text = replacedText(stretch.now.text, replacements);
    return text === null ? null : { ...stretch, now: { ...stretch.now, text }, changes };
  }
  let fragments: readonly Fragment[] | null = stretch.fragments;
  for (const one of replacements) fragments = fragments === null ? null : replaceInFragments(fragments, one);
  return fragments === null ? null : { ...stretch, fragments, changes };
}

/** Null where a text does not stand where it was replaced: not once, or for all, not at all. Counted from the left, without overlaps. */
function replacedText(before: string, replacements: readonly Replacement[]): string | null {
  let text = before;
  for (const { from, to, isAll } of replacements) {
    const at = text.indexOf(from);
    if (from === "" || at === -1) return null;
    if (isAll) text = text.replaceAll(from, () => to);
    else if (text.indexOf(from, at + from.length) !== -1) return null;
    else text = text.slice(0, at) + to + text.slice(at + from.length);
  }
  return text;
}
