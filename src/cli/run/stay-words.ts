import type { KeeperStats } from "../../keeper/contract.ts";
import type { DeclineReason } from "../../model/decision.ts";
import { amountWords, countWords } from "../figures.ts";

type Declined = KeeperStats["declined"][number];

/** Reasons that say that nothing could have left. */
const NOTHING_TO_LEAVE: ReadonlySet<DeclineReason> = new Set(["no_file_reads", "fresh_read", "already_marked"]);

const REASONS_SHOWN = 3;

const WORDS: Readonly<Record<DeclineReason, string>> = {
  no_file_reads: "no file was read",
  fresh_read: "fresh",
  already_marked: "left before",
  below_min_tokens: "too small",
  path_active: "of files just used",
  load_bearing: "that a later answer points to",
  cached_prefix: "until that costs nothing",
  unknown_boundary: "from before Ebb",
  bound_thinking: "that thinking is signed over",
  marker_no_win: "no larger than a marker",
  non_text_blocks: "of a kind that Ebb does not know",
  not_stored: "never stored",
  kept_verbatim_after_expand: "recalled on purpose",
  protected: "protected",
  held_by_span: "held on purpose",
  does_not_pay: "dearer to let go than to send",
  thrash_guard: "missed when they left before",
};

/** What held back most, each with its count of items and the name under which it is explained; null where nothing did. */
export function stayWords(declined: readonly Declined[]): string | null {
  const holding = declined.filter(({ reason }) => !NOTHING_TO_LEAVE.has(reason));
  if (holding.length === 0) return null;
  const most = holding.toSorted((one, other) => other.items - one.items);
  const shown = most
    .slice(0, REASONS_SHOWN)
    .map(({ reason, items }) => `${countWords(items)} ${WORDS[reason]} (${reason})`);
  const left = most.length - shown.length;
  return [...shown, ...(left === 0 ? [] : [amountWords(left, "more reason")])].join(", ");
}

/** Why nothing left although the requests were read. */
export function whyNothingLeft({ items, declined }: Pick<KeeperStats, "items" | "declined">): string {
  const holding = stayWords(declined);
  if (holding !== null) return "what could leave stayed";
  if (items === 0) return "no tool was used";
  if (declined.some(({ reason }) => reason === "fresh_read")) return "every read was fresh";
  return "no result counts as a file read, and none was too large";
}
