import type {
  Keeper,
  KeeperRequest,
  KeeperStats,
  Prepared,
  RecallAnswer,
  RecallQuery,
} from "../../../src/keeper/contract.ts";
import type { RequestHeaderValue } from "../../../src/model/ports.ts";
import type { ResponseFacts } from "../../../src/model/usage.ts";
import { createQueue } from "./signals.ts";

export interface Finished {
  readonly facts: ResponseFacts;
  readonly status: number;
}

export interface FakeKeeper extends Keeper {
  readonly requests: KeeperRequest[];
  readonly queries: RecallQuery[];
  /** The next `finish` that the proxy calls, or called and nobody took yet. */
  nextFinish(): Promise<Finished>;
  /** How often the proxy called `finish`. */
  finishes(): number;
}

export interface FakeKeeperParts {
  /** Pieces to send instead of the body; null leaves it as it is. */
  readonly edit?: (body: Uint8Array) => readonly Uint8Array[] | null;
  /** What an edited body needs in the headers. */
  readonly headers?: readonly RequestHeaderValue[];
  readonly prepare?: (request: KeeperRequest) => Promise<Prepared>;
  readonly finish?: () => Promise<void>;
  readonly recall?: (query: RecallQuery) => RecallAnswer;
  readonly decide?: Keeper["decide"];
  readonly window?: Keeper["window"];
  readonly report?: Keeper["report"];
  readonly status?: Keeper["status"];
  readonly bind?: Keeper["bind"];
  readonly storeSize?: Keeper["storeSize"];
}

/** A keeper that forwards what `edit` says and remembers what it was told. */
export function createFakeKeeper(parts: FakeKeeperParts = {}): FakeKeeper {
  const requests: KeeperRequest[] = [];
  const queries: RecallQuery[] = [];
  const finished = createQueue<Finished>();
  const forward = (request: KeeperRequest): Prepared => {
    const edited = parts.edit?.(request.body) ?? null;
    return {
      kind: "forward",
      body: edited ?? [request.body],
      isEdited: edited !== null,
      headers: parts.headers ?? [],
      plan: null,
      problem: null,
      inline: null,
      async finish(facts, status) {
        await parts.finish?.();
        finished.put({ facts, status });
      },
    };
  };
  return {
    mode: "enforce",
    requests,
    queries,
    nextFinish: finished.take,
    finishes: finished.count,
    async prepare(request) {
      requests.push(request);
      return parts.prepare === undefined ? forward(request) : parts.prepare(request);
    },
    async recall(query) {
      queries.push(query);
      return parts.recall?.(query) ?? { ok: false, failure: "unknown id", words: "no such item" };
    },
    decide: parts.decide ?? (async () => ({ ok: false, failure: "unknown id", words: "no such item" })),
    report: parts.report ?? (async () => ({ ok: false, failure: "unknown session", words: "no such session" })),
    window: parts.window ?? (async () => ({ ok: false, failure: "unknown session", words: "no such session" })),
    status: parts.status ?? (async () => ({ ok: true, mode: "enforce", paused: false, status: null })),
    eject: async () => ({ ok: false, failure: "unknown session", words: "no such session" }),
    bind: parts.bind ?? (async () => ({ state: "unbound", words: "no such call" })),
    stats: () => STATS,
    storeSize: parts.storeSize ?? (async () => SIZE),
    purge: async () => ({ originals: 0, bytes: 0 }),
    sweep: async () => ({ originals: 0, bytes: 0 }),
    close: async () => undefined,
  };
}

const SIZE = { originals: 3, storedBytes: 40, originalBytes: 90, lineages: 1, entries: 7 };

const STATS: KeeperStats = {
  mode: "enforce",
  paused: false,
  requests: 5,
  counted: 1,
  unread: {},
  unknown_models: {},
  lineages: 1,
  items: 3,
  released: [],
  would_release: [],
  declined: [],
  regretted: [],
  inline: { offered: 0, asides: 0, rounds: 0 },
  recalls: 0,
  marker_writes: 0,
  predictions: { held: 0, missed: {}, unjudged: 0, none_reported: 0 },
  net_guard: { engaged: 0, requests: 0, standing: [] },
  figures: {
    unique_released_tokens: 0,
    attempted_tokens: 0,
    removed_tokens: 0,
    token_turns: 0,
    stale_token_turns: 0,
    stale_token_turns_avoided: 0,
    reanchored_tokens: 0,
    peak_window: 0,
    recalled_items: 0,
    recalled_tokens: 0,
    net_cost_usd: null,
    regret: { strict: 0, use: 0, induced: 0 },
  },
  errors: [],
  fallbacks: { script_only: 0, original: 0, refused: 0 },
  signature_refusals: 0,
  law_violations: 0,
};
