/** How much of a provider's limits was in use, by the name of the limit: shares from 0 to 1. */
export type RateLimits = Readonly<Record<string, RateLimit>>;

/** One limit as responses told of it. */
export interface RateLimit {
  readonly first: number;
  readonly last: number;
  readonly highest: number;
}

/** What responses tell of rate limits: first, latest and highest. */
export interface RateLimitCounts {
  /** `headers` as they came, name and value in turn. */
  note(headers: readonly string[]): void;
  shares(): RateLimits;
}

const HEADER = /^anthropic-ratelimit-([a-z0-9-]{1,64})-(limit|remaining|utilization)$/i;
const NAMES_MAX = 32;

/** Nothing was told yet. */
export function createRateLimitCounts(): RateLimitCounts {
  const limits = new Map<string, RateLimit>();
  return {
    note(headers) {
      for (const [name, share] of sharesIn(headers)) {
        const known = limits.get(name);
        if (known === undefined && limits.size >= NAMES_MAX) continue;
        const highest = Math.max(known?.highest ?? 0, share);
        limits.set(name, { first: known?.first ?? share, last: share, highest });
      }
    },
    shares: () => Object.fromEntries(limits),
  };
}

/** A share is what the provider states as such, else what is not remaining of the limit. */
function sharesIn(headers: readonly string[]): ReadonlyMap<string, number> {
  const told = new Map<string, Map<string, number>>();
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const [, name, field] = HEADER.exec(headers[index] ?? "") ?? [];
    const text = headers[index + 1] ?? "";
    if (name === undefined || field === undefined || !/^\d+(\.\d+)?$/.test(text)) continue;
    const fields = told.get(name.toLowerCase()) ?? new Map<string, number>();
    told.set(name.toLowerCase(), fields.set(field.toLowerCase(), Number(text)));
  }
  const shares = new Map<string, number>();
  for (const [name, fields] of told) {
    const share = shareOf(fields);
    if (share !== null) shares.set(name, share);
  }
  return shares;
}

function shareOf(fields: ReadonlyMap<string, number>): number | null {
  const stated = fields.get("utilization");
  if (stated !== undefined) return stated;
  const [limit, remaining] = [fields.get("limit"), fields.get("remaining")];
  if (limit === undefined || remaining === undefined || limit === 0) return null;
  return Math.min(1, Math.max(0, 1 - remaining / limit));
}
