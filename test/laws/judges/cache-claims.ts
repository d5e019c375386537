import { isDeepStrictEqual } from "node:util";
import type { Keeper } from "../../../src/keeper/contract.ts";
import { emptyCache, type PromptCache, serve } from "../../../src/replay/simulated/cache.ts";
import { type Prompt, promptOf } from "../../../src/replay/simulated/prompt.ts";
import type { ReadResult } from "../bodies.ts";
import { type ClientRequest, MODELS } from "../client/session-play.ts";
import type { TalkBlock, TalkMessage } from "../client/talk.ts";
import { blocksOf, canonicalBody, withBlock } from "./canonical-body.ts";

/** One request that went out, as it went out. */
interface Sent {
  readonly atMs: number;
  /** The process that sent it and could not record it; null where it is on record. */
  readonly unrecordedIn: Keeper | null;
  prompt(): Prompt;
}

/** Requests nobody saw: of them only the history they can have shared is known. */
interface Unseen extends Pick<Sent, "unrecordedIn"> {
  readonly blocks: readonly TalkBlock[];
  readonly untilMs: number;
}

/** A body on its way, and whether something in front of what is judged changes in it. */
interface Leaving {
  readonly body: Uint8Array;
  readonly isChangedInFront: boolean;
}

/** What the provider may hold, by what went out to it: of all threads together. */
export interface ProviderCache {
  /**
   * True where nothing is read of this result or attachment when the request leaves with `body`. Where something in front of it
   * changes in this request, no request that nobody saw left it in that form.
   */
  isBroken(result: ReadResult, leaving: Leaving, request: ClientRequest, keeper: Keeper): boolean;
  note(body: Uint8Array, request: ClientRequest, unrecordedIn: Keeper | null): void;
}

const SLACK_MS = 60_000;
const LIFETIME_MAX_MS = 3_600_000;
/** The model that leaves thinking out once the user speaks again. */
const FORGETTING: string = MODELS[0];

/** A cache in which nothing is yet. */
export function createProviderCache(): ProviderCache {
  const sent: Sent[] = [];
  const unseen: Unseen[] = [];
  return {
    isBroken(result, { body, isChangedInFront }, { messages, atMs }, keeper) {
      const isKnown = ({ unrecordedIn }: Pick<Sent, "unrecordedIn">) =>
        unrecordedIn === null || unrecordedIn === keeper;
      const blocks = talkOf(messages);
      const named = blocks.findIndex((block) => block.kind === "result" && block.id === result.callId);
      const place = named === -1 ? result.at : named;
      const isHeld = (one: Unseen) => atMs < one.untilMs + SLACK_MS && isShared(one.blocks, blocks, place);
      if (!isChangedInFront && unseen.some((one) => isKnown(one) && isHeld(one))) return false;
      return placeIn(body, result) > (readUpTo(heldBy(sent.filter(isKnown)), promptIn(body), atMs) ?? -1);
    },
    note(body, { messages, hasUnseen, atMs }, unrecordedIn) {
      if (hasUnseen) unseen.push({ blocks: talkOf(messages), untilMs: atMs + LIFETIME_MAX_MS, unrecordedIn });
      let prompt: Prompt | null = null;
      sent.push({ atMs, unrecordedIn, prompt: () => (prompt ??= promptIn(body)) });
    },
  };
}

/** All that these requests left, also what has expired since. */
function heldBy(sent: readonly Sent[]): PromptCache {
  let held = emptyCache;
  for (const { atMs, prompt } of sent) {
    held = new Map([...held, ...serve(held, prompt(), { atMs, tokensMin: 0 }).cache]);
  }
  return held;
}

/** The last position that is read; what expired within the slack may be there still. */
function readUpTo(held: PromptCache, prompt: Prompt, atMs: number): number | null {
  const slack = Array.from(
    held,
    ([key, entry]) => [key, { ...entry, lifetimeMs: entry.lifetimeMs + SLACK_MS }] as const,
  );
  return serve(new Map(slack), prompt, { atMs, tokensMin: 0 }).readUpTo;
}

/** Sizes are no matter: the shortest prefix is held. */
function promptIn(body: Uint8Array): Prompt {
  return promptOfBlocks(canonicalBody(body));
}

function promptOfBlocks(body: ReturnType<typeof canonicalBody>): Prompt {
  return promptOf(body, {
    traits: { allowsSystemMessages: true, keepsThinking: body.model !== FORGETTING },
    counter: { count: () => 0 },
    isDropped: () => false,
  });
}

/** The position of the prompt at which the item stands: the first that is another one when the item is. */
function placeIn(bytes: Uint8Array, { callId, at }: ReadResult): number {
  const body = canonicalBody(bytes);
  const named = blocksOf(body).findIndex((block) => block.type === "tool_result" && block.tool_use_id === callId);
  const changed = withBlock(body, named === -1 ? at : named, (block) => ({ ...block, isAnother: true }));
  const other = promptOfBlocks(changed).positions;
  return promptOfBlocks(body).positions.findIndex(({ key }, index) => key !== other[index]?.key);
}

function talkOf(messages: readonly TalkMessage[]): readonly TalkBlock[] {
  return messages.flatMap(({ blocks }) => blocks);
}

function isShared(left: readonly TalkBlock[], right: readonly TalkBlock[], place: number): boolean {
  for (let index = 0; index <= place; index++) if (!isDeepStrictEqual(left[index], right[index])) return false;
  return true;
}
