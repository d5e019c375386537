import { isDeepStrictEqual } from "node:util";
import type { Keeper } from "../../../src/keeper/contract.ts";
import type { ReadResult } from "../bodies.ts";
import type { ClientRequest } from "../client/session-play.ts";
import type { TalkBlock, TalkMessage } from "../client/talk.ts";

/** One request that went out, or several nobody saw: of these only the history they can have shared is known. */
interface Sent {
  readonly model: string | null;
  readonly cache: string | null;
  readonly blocks: readonly TalkBlock[];
  readonly untilMs: number;
  /** The process that sent it and could not record it; null where it is on record. */
  readonly unrecordedIn: Keeper | null;
}

/** What the provider may hold, by what the client sent: all of its threads together. */
export interface ProviderCache {
  /** True where no request that may be alive had the same history up to and with this result or attachment. */
  isBroken(result: ReadResult, request: ClientRequest, keeper: Keeper): boolean;
  note(request: ClientRequest, unrecordedIn: Keeper | null): void;
}

const SLACK_MS = 60_000;
const LIFETIME_MAX_MS = 3_600_000;

/** A cache in which nothing is yet. */
export function createProviderCache(): ProviderCache {
  const sent: Sent[] = [];
  return {
    isBroken({ callId, at }, { model, cache, messages, ttlMs, hasUnseen, atMs }, keeper) {
      if (ttlMs === null || hasUnseen) return false;
      const blocks = blocksOf(messages);
      const named = blocks.findIndex((block) => block.kind === "result" && block.id === callId);
      const place = named === -1 ? at : named;
      return !sent.some(
        (one) =>
          (one.unrecordedIn === null || one.unrecordedIn === keeper) &&
          (one.model === null || one.model === model) &&
          (one.cache === null || one.cache === cache) &&
          atMs < one.untilMs + SLACK_MS &&
          isShared(one.blocks, blocks, place),
      );
    },
    note({ model, cache, messages, ttlMs, hasUnseen, atMs }, unrecordedIn) {
      const blocks = blocksOf(messages);
      if (hasUnseen) sent.push({ model: null, cache: null, blocks, untilMs: atMs + LIFETIME_MAX_MS, unrecordedIn });
      const untilMs = ttlMs === null ? Number.POSITIVE_INFINITY : atMs + ttlMs;
      sent.push({ model, cache, blocks, untilMs, unrecordedIn });
    },
  };
}

function blocksOf(messages: readonly TalkMessage[]): readonly TalkBlock[] {
  return messages.flatMap(({ blocks }) => blocks);
}

function isShared(left: readonly TalkBlock[], right: readonly TalkBlock[], place: number): boolean {
  for (let index = 0; index <= place; index++) if (!isDeepStrictEqual(left[index], right[index])) return false;
  return true;
}
