import type { Keeper, Prepared } from "../../src/keeper/contract.ts";
import type { JsonObject, JsonValue } from "../../src/model/json.ts";
import type { Store } from "../../src/model/store.ts";
import type { Usage } from "../../src/model/usage.ts";
import { anthropicProvider } from "../../src/providers/anthropic.ts";
import { withStatedModels } from "../../src/providers/stated-models.ts";
import { betasOf } from "../../src/replay/simulated/betas.ts";
import { createCapture } from "../../src/replay/simulated/capture.ts";
import { byteCounter } from "../../src/replay/simulated/prompt.ts";
import { createSimulator, type Simulator } from "../../src/replay/simulated/simulator.ts";
import type { CacheEditsAdapter } from "../../src/wires/anthropic-messages/cache-edits.ts";
import { createAnthropicMessages } from "../../src/wires/anthropic-messages/index.ts";
import { type BodyOptions, bodyOf, type Talk } from "./conversation.ts";
import { createTestKeeper, prepare, type SendOptions, type TestKeeperOptions } from "./keeper.ts";

/** A model that is stated to delete from its cache; every other one does not. */
export const DELETING_MODEL = "claude-opus-4-5";

/** Names of nobody's form of cache edits. */
export const ADAPTER: CacheEditsAdapter = {
  blockType: "drop_from_cache",
  editsMember: "asked",
  deleteType: "drop",
  referenceMember: "cache_name",
  needsTextBehind: true,
  betaHeader: "drops-2026-01-01",
};

const deletingWire = createAnthropicMessages({ cacheEdits: ADAPTER });

/** A provider that deletes from its cache when it is asked in the adapter's form. */
export function deletingProvider(): Simulator {
  return createSimulator({
    rules: { models: anthropicProvider, counter: byteCounter, signatures: false, mediaMax: 100 },
    scenario: { scripts: [{ match: "", steps: [{ text: "ok" }] }], cacheEdits: ADAPTER },
    clock: () => 0,
    capture: createCapture(null),
  });
}

/** A keeper in front of it; `deletes` false knows no form in which to ask. */
export function deletingKeeper({
  deletes = true,
  ...options
}: TestKeeperOptions & { readonly deletes?: boolean } = {}) {
  const stated = [{ name: DELETING_MODEL, deletesInCache: deletes }];
  return createTestKeeper({ provider: withStatedModels(anthropicProvider, stated), ...options });
}

/** One request of a talk. `status` other than 200: the provider fails before it looks at the request. */
export interface Asked extends BodyOptions, SendOptions {
  readonly status?: number;
}

/** How one request went. */
export interface Answered {
  readonly prepared: Extract<Prepared, { kind: "forward" }>;
  /** The body as it was sent. */
  readonly sent: string;
  readonly usage: Usage | null;
  /** Tokens deleted from the cached prefix so far, as the provider tells; null where it does not. */
  readonly deletedTokens: number | null;
}

/** Sends a talk through a keeper to a provider; throws where the provider finds the request invalid. */
export async function ask(
  { keeper, provider }: { readonly keeper: Keeper; readonly provider: Simulator },
  talk: Talk,
  { status = 200, ...asked }: Asked = {},
): Promise<Answered> {
  const body = bodyOf(talk, { model: DELETING_MODEL, stream: false, ...asked });
  const prepared = await prepare(keeper, body, { wire: deletingWire, ...asked });
  if (prepared.kind === "refuse") throw new Error(prepared.words);
  const sent = Buffer.concat(prepared.body).toString();
  const facts = { messageId: null, stopReason: null, calls: [], isComplete: status === 200 };
  if (status !== 200 || asked.kind === "count") {
    await prepared.finish({ ...facts, usage: null, errorType: status === 200 ? null : "overloaded_error" }, status);
    return { prepared, sent, usage: null, deletedTokens: null };
  }
  const betas = betasOf(prepared.headers.map(({ value }) => value));
  const answer = provider.exchange(JSON.parse(sent), { atMs: asked.atMs ?? 0, betas });
  if (!answer.ok) throw new Error(answer.refusal.words);
  const told = answer.message.usage as JsonObject;
  const usage = usageOf(told);
  await prepared.finish({ ...facts, usage, errorType: null }, 200);
  return { prepared, sent, usage, deletedTokens: countOf(told.cache_deleted_input_tokens) };
}

/** The deletions a sent body asks for: the calls by which the results go, and the note behind them, message by message. */
export function deletionsIn(sent: string): readonly { readonly calls: readonly string[]; readonly note: string }[] {
  const { messages }: { messages: readonly { content: readonly JsonObject[] }[] } = JSON.parse(sent);
  return messages.flatMap(({ content }) =>
    content.flatMap((block, index) => {
      if (block.type !== ADAPTER.blockType) return [];
      const edits = block[ADAPTER.editsMember] as readonly JsonObject[];
      const calls = edits.map((edit) => String(edit[ADAPTER.referenceMember]));
      return [{ calls, note: String(content[index + 1]?.text) }];
    }),
  );
}

/** All that the ledgers of a session hold, lineage by lineage, oldest first. */
export async function ledgersOf(store: Store, tenant = "local") {
  const listed = await store.listLineages(tenant, 100);
  const ledgers = await Promise.all(listed.toReversed().map(({ lineage }) => store.loadLineage(tenant, lineage)));
  return ledgers.map((records) => records.map(({ entry }) => entry));
}

function usageOf(told: JsonObject): Usage {
  return {
    inputTokens: countOf(told.input_tokens) ?? 0,
    cacheReadTokens: countOf(told.cache_read_input_tokens) ?? 0,
    cacheWriteTokens: countOf(told.cache_creation_input_tokens) ?? 0,
    outputTokens: countOf(told.output_tokens) ?? 0,
  };
}

function countOf(told: JsonValue | undefined): number | null {
  return typeof told === "number" ? told : null;
}
