import type { PlacedAcquisition } from "../model/acquisition.ts";
import { distinctiveLinesIn, mayHaveLine } from "./distinctive-lines.ts";
import { createForwardedText, type ForwardedText, hasText, stringsIn, withoutRowNumbers } from "./forwarded-text.ts";
import type { RegretSearch, Release, Shown } from "./regret.ts";

/** Lines looked at of one message, and of them those looked for in what was sent. */
const LINES_MAX = 200;
const LOOKS_MAX = 16;
/** Characters of released text in which what an edit replaces is looked for. */
const RELEASED_CHARS_MAX = 1_048_576;

/** What the agent wrote out of released text: a line of it (use), or what an edit replaces (induced). */
export function textRegrets(search: RegretSearch): readonly Shown[] {
  const forwarded = createForwardedText({
    transcript: search.transcript,
    decisions: new Map(search.decisions.map((decision) => [decision.itemKey, decision])),
    textOf: search.textOf,
    pathOf: (item) => search.placedOf(item)?.path ?? null,
  });
  return [...editRegrets(search, forwarded), ...useRegrets(search, forwarded)];
}

function editRegrets(search: RegretSearch, forwarded: ForwardedText): readonly Shown[] {
  return search.fresh.flatMap((placed) => {
    const release = replacedPartsOf(placed, search)
      .map(({ text, messageIndex }) => {
        const released = releasedHolding(text, messageIndex, search);
        return released === null || forwarded.mayStand(text, messageIndex, placed.path) ? null : released;
      })
      .find((one) => one !== null);
    return release === undefined ? [] : [{ release, kind: "induced" as const, step: placed.step, isFault: true }];
  });
}

/** Texts that a successful edit found in its file. */
function replacedPartsOf(
  placed: PlacedAcquisition,
  search: RegretSearch,
): readonly { readonly text: string; readonly messageIndex: number }[] {
  const { acquisition, callKey, resultKey } = placed;
  if (acquisition.kind !== "edit" || acquisition.outcome !== "ok" || resultKey === null) return [];
  const [call, result] = [search.itemOf(callKey), search.itemOf(resultKey)];
  if (call?.kind !== "call" || result === null) return [];
  const change = search.changeText(call, search.textOf(result));
  if (change?.kind !== "replacements") return [];
  return change.replacements
    .filter(({ from }) => from.trim() !== "")
    .map(({ from }) => ({ text: from, messageIndex: call.messageIndex }));
}

/** The newest release whose text holds another text. */
function releasedHolding(text: string, messageIndex: number, search: RegretSearch): Release | null {
  let chars = 0;
  for (const release of search.releases) {
    if (release.item.kind !== "result" || release.item.messageIndex >= messageIndex) continue;
    const original = search.textOf(release.item);
    chars += original.length;
    if (chars > RELEASED_CHARS_MAX) return null;
    if (hasText(original, text)) return release;
  }
  return null;
}

/** What the agent wrote in one message: its texts, and the strings of its calls. */
interface Written {
  readonly lines: readonly string[];
  readonly messageIndex: number;
  readonly step: number;
}

function useRegrets(search: RegretSearch, forwarded: ForwardedText): readonly Shown[] {
  const written = newlyWritten(search);
  if (written.length === 0) return [];
  const releases = search.releases.filter(({ item, decision }) => {
    return item.kind === "result" && !search.isCounted(decision.itemKey, "use");
  });
  let looks = 0;
  return written.flatMap(({ lines, messageIndex, step }) =>
    releases.flatMap((release): readonly Shown[] => {
      if (release.item.messageIndex >= messageIndex) return [];
      const index = search.linesOf(release.item, isNumbered(release));
      const quoted = lines.find((line) => {
        if (!mayHaveLine(index, line) || ++looks > LOOKS_MAX) return false;
        return hasLine(release, line, search) && !forwarded.mayStand(line, messageIndex, release.placed?.path ?? null);
      });
      return quoted === undefined ? [] : [{ release, kind: "use", step, isFault: true }];
    }),
  );
}

/** By message, the distinctive lines that the agent wrote since the last request; messages without any are left out. */
function newlyWritten({ transcript, newItems, textOf }: RegretSearch): readonly Written[] {
  const byMessage = new Map<number, Set<string>>();
  for (const item of newItems) {
    if (item.role !== "assistant" || (item.kind !== "text" && item.kind !== "call")) continue;
    const lines = byMessage.get(item.messageIndex) ?? new Set<string>();
    byMessage.set(item.messageIndex, lines);
    for (const text of item.kind === "call" ? stringsIn(item.input) : [textOf(item)]) {
      for (const line of distinctiveLinesIn(text, LINES_MAX)) lines.add(line);
    }
  }
  return Array.from(byMessage)
    .filter(([, lines]) => lines.size > 0)
    .map(([messageIndex, lines]) => ({
      lines: Array.from(lines).slice(0, LINES_MAX),
      messageIndex,
      step: transcript.messages.slice(0, messageIndex + 1).filter(({ role }) => role === "assistant").length,
    }));
}

/** Hashes may meet by chance; the text itself decides. */
function hasLine(release: Release, line: string, { textOf }: RegretSearch): boolean {
  const text = textOf(release.item);
  const plain = isNumbered(release) ? withoutRowNumbers(text) : text;
  return plain.split("\n").some((one) => one.trim() === line);
}

function isNumbered({ placed }: Release): boolean {
  return placed !== null && placed.acquisition.printed !== null;
}
