import type { Keeper } from "../../src/keeper/contract.ts";
import type { JsonObject } from "../../src/model/json.ts";
import type { Usage } from "../../src/model/usage.ts";
import { emptyCache, type InputBill, type PromptCache, serve } from "../../src/replay/simulated/cache.ts";
import { promptOf } from "../../src/replay/simulated/prompt.ts";
import { prepare, type SendOptions } from "./keeper.ts";

/** A provider with a prompt cache that answers every body with what it read and wrote. */
export interface CachedProvider {
  answer(body: string, atMs: number): Usage;
  /** What it would answer, without serving it. */
  look(body: string, atMs: number): Usage;
  /** Loses everything, for no reason of its client's. */
  forget(): void;
}

const BYTES_PER_TOKEN = 3;
const TOKENS_MIN = 1_024;
const OUTPUT_TOKENS = 20;
const COUNTER = { count: (text: string) => Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN) };

/** Counts tokens in its own way; `keepsThinking` false forgets the thinking of earlier turns. */
export function createCachedProvider(keepsThinking = true): CachedProvider {
  let cache: PromptCache = emptyCache;
  const serveFrom = (body: string, atMs: number) => {
    const request: JsonObject = JSON.parse(body);
    const prompt = promptOf(request, {
      traits: { allowsSystemMessages: true, keepsThinking },
      counter: COUNTER,
      isDropped: () => false,
    });
    return serve(cache, prompt, { atMs, tokensMin: TOKENS_MIN });
  };
  return {
    look: (body, atMs) => usageOf(serveFrom(body, atMs).bill),
    forget() {
      cache = emptyCache;
    },
    answer(body, atMs) {
      const served = serveFrom(body, atMs);
      cache = served.cache;
      return usageOf(served.bill);
    },
  };
}

function usageOf(bill: InputBill): Usage {
  const { inputTokens, cacheReadTokens, cacheWrite5mTokens, cacheWrite1hTokens } = bill;
  const cacheWriteTokens = cacheWrite5mTokens + cacheWrite1hTokens;
  return { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens: OUTPUT_TOKENS };
}

export interface ExchangeOptions extends SendOptions {
  readonly atMs: number;
  /** The provider's own clock where it is another. */
  readonly providerAtMs?: number;
  /** What the response tells, where it is not what the provider counted. */
  readonly told?: (usage: Usage) => Usage | null;
}

/** Sends one body through a keeper to a provider, and lets the response end; answers what was forwarded. */
export async function exchange(
  { keeper, provider }: { readonly keeper: Keeper; readonly provider: CachedProvider },
  body: Uint8Array,
  options: ExchangeOptions,
): Promise<string> {
  const prepared = await prepare(keeper, body, options);
  if (prepared.kind === "refuse") throw new Error(`refused: ${prepared.words}`);
  const forwarded = Buffer.concat(prepared.body).toString("utf8");
  const told = options.told ?? ((usage) => usage);
  const usage =
    options.kind === "count" ? null : told(provider.answer(forwarded, options.providerAtMs ?? options.atMs));
  const calls = (options.calls ?? []).map((id) => ({ id, name: "Read" }));
  const facts = { messageId: null, stopReason: "end_turn", errorType: null, isComplete: true };
  await prepared.finish({ ...facts, usage, calls }, 200);
  return forwarded;
}
