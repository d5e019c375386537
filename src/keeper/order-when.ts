import { protectionOf } from "../engine/declared.ts";
import { judgeUntil, untilText } from "../engine/deliberate.ts";
import { keptText } from "../engine/kept-text.ts";
import { type MarkerInput, renderKept, renderMarker } from "../engine/marker.ts";
import { isReplacing } from "../engine/script.ts";
import type { LineageStanding } from "../engine/standing.ts";
import { oneLine } from "../lib/visible.ts";
import type { ItemRecord, LedgerRecord } from "../model/ledger.ts";
import type { TokenCounter } from "../model/ports.ts";
import type { Wish } from "../model/wish.ts";
import { type Carriers, declarablesOf } from "./carriers.ts";
import type { Mode } from "./contract.ts";

/** When a wish acts, as far as the ledger tells. */
export type When =
  | { readonly state: "next"; readonly words: string }
  /** The item stands that way already. */
  | { readonly state: "done" }
  | { readonly state: "waiting"; readonly words: string };

/** What the answer stands on. */
export interface WhenGround {
  readonly standing: LineageStanding;
  readonly records: readonly LedgerRecord[];
  readonly isLeftBehind: boolean;
  readonly carriers: Carriers;
  readonly mode: Mode;
  readonly isPaused: boolean;
  readonly whenFree: boolean;
  readonly tokens: TokenCounter;
}

/** Over this many bytes no marker without kept lines is as large as its item. */
const MARKER_BYTES_MAX = 4_096;
/** Room for the longest way back a marker names, which only the next request tells. */
const CALL_BYTES_MAX = 200;
const CALL_TOKENS_MAX = 80;

/**
 * When a wish about one item acts. `text` is the original, or null where it was not read: then its size is judged by the
 * record. A wish that waits may go on waiting: `words` says for what.
 */
export function whenOf(item: ItemRecord, wish: Wish, text: string | null, ground: WhenGround): When {
  const { standing, whenFree, mode, isPaused } = ground;
  if (isDone(item, wish, standing)) return { state: "done" };
  const decision = standing.decisions.get(item.key);
  if (decision !== undefined && !isReplacing(decision)) {
    return waiting("the provider made it leave, and only it could put it back in its place; recall brings its text");
  }
  if (isPaused) return waiting("for the end of the pause: ebb resume");
  if (!isActing(ground.records, mode)) return waiting("for the mode enforce: in observe and off nothing new acts");
  if (ground.isLeftBehind || !standing.acquired.has(item.key)) {
    return waiting("for a request that holds it: a rewind or the client's compaction took it out");
  }
  const refusal = wish.kind === "whole" ? null : refusalOf(item, ground);
  if (refusal !== null) return waiting(refusal);
  const fit = wish.kind === "whole" || text === null ? "fits" : fitOf(item, wish, text, ground.tokens);
  if (fit === "too large") return waiting("for a smaller marker: what would stand in its place is as large");
  if (isBound(ground.records)) {
    return waiting("thinking that was sent may be signed over it, so it acts only where no thinking follows");
  }
  if (whenFree) return waiting("for a moment that costs nothing");
  const condition = fit === "fits" ? "" : ", if what stands in its place is smaller";
  return { state: "next", words: `from the next request${condition}` };
}

/** How the conversation's last request was handled tells more than how this process is set; one in a pause tells nothing. */
function isActing(records: readonly LedgerRecord[], mode: Mode): boolean {
  const last = records.findLast(({ entry }) => entry.type === "request-sent" && entry.isPaused !== true)?.entry;
  return last?.type === "request-sent" ? last.isActing : mode === "enforce";
}

/** True where an item already stands as the wish wants it. */
export function isDone({ key }: ItemRecord, wish: Wish, { decisions }: LineageStanding): boolean {
  const decision = decisions.get(key);
  if (decision === undefined) return wish.kind === "whole";
  if (wish.kind === "whole") return false;
  const done = decision.wish;
  if (wish.kind === "release") return done?.kind !== "keep";
  return done?.kind === "keep" && done.range.from === wish.range.from && done.range.to === wish.range.to;
}

function refusalOf(item: ItemRecord, { standing, carriers }: WhenGround): string | null {
  const { deliberate, clock } = standing;
  if (item.isReferred === true)
    return "for a body that carries all of it: the attachment is only referred to, or not understood";
  if (!item.isStored) return "for a place in the store: a never_store rule keeps its original out";
  for (const one of declarablesOf(item, carriers)) {
    const protection = protectionOf(one, deliberate, clock);
    if (protection === null || judgeUntil(protection.declaration.until, clock, deliberate.scopes) === "over") continue;
    const { until, reason } = protection.declaration;
    return oneLine(`it is protected ${untilText(until)}: ${reason}`);
  }
  return null;
}

/** Without a way back the marker is the shortest it can be, with room for one the longest. */
function fitOf(item: ItemRecord, wish: Wish, text: string, tokens: TokenCounter): "fits" | "too large" | "may fit" {
  if (item.kind === "media" || (wish.kind === "release" && item.bytes > MARKER_BYTES_MAX)) return "fits";
  const count = tokens.count(text);
  const rendered = renderedFor(item, wish, text, count);
  const bytes = item.bytes - Buffer.byteLength(rendered);
  const spared = count - tokens.count(rendered);
  if (bytes <= 0 || spared <= 0) return "too large";
  return bytes > CALL_BYTES_MAX && spared > CALL_TOKENS_MAX ? "fits" : "may fit";
}

function renderedFor(item: ItemRecord, wish: Wish, text: string, tokens: number): string {
  const input: MarkerInput = {
    address: item.address,
    recalledFrom: null,
    label: item.label,
    reason: "let_go",
    proof: null,
    mode: "full",
    channel: { kind: "none" },
    bytes: item.bytes,
    lines: item.lines,
    tokens,
    isError: item.isError,
    media: null,
    text: () => text,
  };
  if (wish.kind !== "keep") return renderMarker(input);
  return renderKept(input, keptText(text, wish.range, item.label));
}

function isBound(records: readonly LedgerRecord[]): boolean {
  const last = records.findLast(({ entry }) => entry.type === "request-sent")?.entry;
  return last?.type === "request-sent" && last.isBound;
}

function waiting(words: string): When {
  return { state: "waiting", words: `waiting: ${words}` };
}
