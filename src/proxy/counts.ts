import type { PassedKind } from "./passing.ts";
import { createRateLimitCounts, type RateLimits } from "./rate-limits.ts";

/** Why a body of a claimed route went out as it came, unread. */
export type UneditedReason =
  | "body over the limit"
  | "content coding unknown"
  | "content coding did not decode"
  | "decoded body over the limit";

/** Why Ebb itself answered. */
export type RefusedReason = "busy" | "closing" | "keeper" | "fault" | "target" | "transfer coding" | "upgrade";

/** What `/stats` says of the proxy itself, since it started. */
export interface ProxyStats {
  /** Exchanges under way. */
  readonly active: number;
  /** Answers to clients by class of status, own endpoints apart. */
  readonly answers: Readonly<Record<string, number>>;
  /** Exchanges of routes that no wire reads: carried as they came. */
  readonly passed: number;
  /** The same by what they are: `bedrock` and `vertex` by their paths, `other`. */
  readonly passed_by: Readonly<Record<string, number>>;
  readonly unedited: Readonly<Record<string, number>>;
  readonly refused: Readonly<Record<string, number>>;
  /** Upstream failures by code. */
  readonly upstream_errors: Readonly<Record<string, number>>;
  readonly client_left: number;
  /** Responses whose usage could not be read along. */
  readonly unwatched: number;
  readonly rate_limits: RateLimits;
}

/** Counters of one proxy. Every set of keys is bounded. */
export interface Counts {
  answered(status: number): void;
  passed(kind: PassedKind): void;
  unedited(reason: UneditedReason): void;
  refused(reason: RefusedReason): void;
  upstreamFailed(code: string): void;
  clientLeft(): void;
  unwatched(): void;
  /** What a response's headers tell of rate limits. */
  responded(headers: readonly string[]): void;
  /** `run`: of that run alone, where runs are told apart. */
  stats(active: number, run?: string): ProxyStats;
}

/** Different upstream error codes that are counted by name; further ones count as `other`. */
const ERROR_CODES_MAX = 32;

/** Counters that start at nothing. */
export function createCounts(): Counts {
  const answers: Record<string, number> = {};
  const unedited: Record<string, number> = {};
  const refused: Record<string, number> = {};
  const upstreamErrors: Record<string, number> = {};
  const rateLimits = createRateLimitCounts();
  const passedBy: Record<string, number> = {};
  let passed = 0;
  let left = 0;
  let unwatched = 0;
  return {
    answered: (status) => add(answers, `${Math.floor(status / 100)}xx`),
    passed(kind) {
      passed += 1;
      add(passedBy, kind);
    },
    unedited: (reason) => add(unedited, reason),
    refused: (reason) => add(refused, reason),
    upstreamFailed(code) {
      const isNamed = code in upstreamErrors || Object.keys(upstreamErrors).length < ERROR_CODES_MAX;
      add(upstreamErrors, isNamed ? code : "other");
    },
    clientLeft() {
      left += 1;
    },
    unwatched() {
      unwatched += 1;
    },
    responded: rateLimits.note,
    stats: (active) => ({
      active,
      answers: { ...answers },
      passed,
      passed_by: { ...passedBy },
      unedited: { ...unedited },
      refused: { ...refused },
      upstream_errors: { ...upstreamErrors },
      client_left: left,
      unwatched,
      rate_limits: rateLimits.shares(),
    }),
  };
}

function add(counters: Record<string, number>, key: string): void {
  counters[key] = (counters[key] ?? 0) + 1;
}
