/** Where a request's read was predicted to end. */
export type ReadPlace = "nothing" | "head" | "request";

/**
 * What explains that recorded and predicted reads differ; only what the recording itself shows:
 *
 * - `before-recording`: the first request reads what was cached before it
 * - `other-conversation`: a read of system prompt and tools that this conversation did not write
 * - `head-size`: both end after system prompt and tools, whose size the first samples do not tell
 * - `hidden-request`: more was read, up to a place where no recorded request ended
 * - `image`: an image came or went
 * - `tools-changed`: both end after system prompt and tools, which are not as long as in the first samples; or not even
 *   they were read
 * - `client-event`: the prompt shrank though its log only grew
 */
export type CheckCause =
  | "before-recording"
  | "other-conversation"
  | "head-size"
  | "hidden-request"
  | "image"
  | "tools-changed"
  | "client-event"
  | "unknown";

/** What is on record of one request whose reads differ. */
export interface Difference {
  readonly place: ReadPlace;
  readonly predicted: number;
  readonly read: number;
  /** A recorded request wrote a prefix of exactly the size that was read. */
  readonly isWrittenSize: boolean;
  readonly isFirstOfFile: boolean;
  /** What the provider counted for the conversation's first prompt. */
  readonly firstPrompt: number;
  /** What it counted for this prompt and the one before it; null where there is none. */
  readonly prompt: number;
  readonly promptBefore: number | null;
  /** The log sends at least as much as in the request before. */
  readonly hasGrown: boolean;
  readonly hasOtherImages: boolean;
  /** Null where the first samples do not tell it. */
  readonly head: number | null;
}

/** A prompt that shrank by more than this was edited. */
const SHRUNK_SHARE = 0.98;

/** The cause of a difference, `unknown` where the recording shows none. */
export function causeOf(difference: Difference): CheckCause {
  const { place, read, predicted, firstPrompt } = difference;
  if (difference.isFirstOfFile && read > predicted) return "before-recording";
  const endsInHead = read > 0 && read < firstPrompt;
  if (place === "nothing" && endsInHead) return "other-conversation";
  if (place === "head" && endsInHead) return difference.head === null ? "head-size" : "tools-changed";
  if (difference.hasOtherImages) return "image";
  if (read > predicted) return difference.isWrittenSize ? "unknown" : "hidden-request";
  return causeOfLess(difference);
}

function causeOfLess(difference: Difference): CheckCause {
  const { prompt, promptBefore, hasGrown, head, read } = difference;
  if (hasGrown && promptBefore !== null && prompt < promptBefore * SHRUNK_SHARE) return "client-event";
  return head !== null && read < head ? "tools-changed" : "unknown";
}
