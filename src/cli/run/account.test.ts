import { describe, expect, test } from "vitest";
import { createAccounting } from "../../keeper/accounting.ts";
import { createCounts } from "../../proxy/counts.ts";
import { type Account, accountLines } from "./account.ts";
import { claude } from "./agents/claude.ts";
import { codex } from "./agents/codex.ts";
import type { RunStats } from "./run-proxy.ts";

const NOTHING: RunStats = { ...createAccounting().stats("enforce", 0), proxy: createCounts().stats(0) };
const FIGURES = { ...NOTHING.figures, peak_window: 84_112, stale_token_turns: 1_200, net_cost_usd: 0 };
const READ: RunStats = { ...NOTHING, requests: 38, items: 20, figures: FIGURES };
const STALE = { policy: "readlifecycle", reason: "stale", moment: "pays", count: 12, tokens: 60_000 } as const;
const REPAIR = { policy: "stubrepair", reason: "stub_repair", moment: "first-send", count: 3, tokens: 90 } as const;

function lines(stats: Partial<RunStats> | null, more: Partial<Account> = {}): string {
  const given: Account = {
    agent: claude,
    mode: "enforce",
    isPaused: false,
    port: 40_123,
    stats: stats === null ? null : { ...READ, ...stats },
    logFile: "/data/run.log",
    ...more,
  };
  return accountLines(given).join("\n");
}

describe("the account of a run", () => {
  test("says in five lines what left, what came back, what stayed and what it cost", () => {
    const stats: Partial<RunStats> = {
      released: [STALE, { ...STALE, moment: "cold", count: 2, tokens: 1_204 }, REPAIR],
      declined: [
        { reason: "fresh_read", item_requests: 900, items: 90 },
        { reason: "below_min_tokens", item_requests: 9, items: 2 },
        { reason: "cached_prefix", item_requests: 40, items: 3 },
        { reason: "protected", item_requests: 1, items: 1 },
        { reason: "not_stored", item_requests: 1, items: 1 },
      ],
      figures: {
        ...FIGURES,
        recalled_items: 2,
        recalled_tokens: 3_180,
        stale_token_turns_avoided: 402_310,
        net_cost_usd: -0.2114,
      },
      proxy: { ...READ.proxy, rate_limits: { "unified-5h": { first: 0.118, last: 0.14, highest: 0.2 } } },
    };
    expect(lines(stats)).toMatchInlineSnapshot(`
      "14 released (61,204 tokens); 2 recalled (3,180 tokens); 38 requests
      peak window 84,112 tokens
      402,310 stale token-turns avoided, 1,200 sent
      stayed: 3 until that costs nothing (cached_prefix), 2 too small (below_min_tokens), 1 protected (protected), 1 more reason
      net cost -0.2114 USD (estimate); limits in use: unified-5h 12 % to 14 %"
    `);
  });

  test("says why nothing left", () => {
    const fresh = { reason: "fresh_read", item_requests: 5, items: 5 } as const;
    expect(lines({ declined: [fresh] })).toMatchInlineSnapshot(`
      "0 released: every read was fresh; 0 recalled; 38 requests
      peak window 84,112 tokens
      0 stale token-turns avoided, 1,200 sent
      stayed: nothing that could have left
      net cost 0.0000 USD (estimate); the provider told no limits"
    `);
    expect(lines({ items: 0 })).toMatch(/^0 released: no tool was used; 0 recalled; 38 requests\n/);
    expect(lines({})).toMatch(/^0 released: no result counts as a file read, and none was too large; /);
    const waiting = { reason: "cached_prefix", item_requests: 5, items: 5 } as const;
    expect(lines({ declined: [fresh, waiting] })).toMatch(
      /^0 released: what could leave stayed; [\s\S]*stayed: 5 until that costs nothing \(cached_prefix\)\n/,
    );
    expect(lines({}, { isPaused: true })).toMatch(/^0 released: Ebb is paused; /);
    expect(lines({}, { mode: "off" })).toMatch(/^0 released: the mode is off; /);
  });

  test("ends observing with what would have been released", () => {
    const would = { would_release: [STALE, REPAIR] };
    expect(lines(would, { mode: "observe" })).toMatchInlineSnapshot(`
      "0 released (mode observe): 12 would have been (60,000 tokens); 0 recalled; 38 requests
      peak window 84,112 tokens
      0 stale token-turns avoided, 1,200 sent
      stayed: nothing that could have left
      net cost 0.0000 USD (estimate); the provider told no limits"
    `);
    expect(lines({ items: 0 }, { mode: "observe" })).toMatch(
      /^0 released, and 0 would have been \(mode observe\): no tool was used; /,
    );
  });

  test("is one line where nothing was read, or nothing came", () => {
    const passed = { requests: 0, proxy: { ...READ.proxy, passed: 12 } };
    expect(lines(passed, { agent: codex })).toBe(
      "0 released: none was for the OpenAI Responses API; 12 requests passed unchanged",
    );
    expect(lines(passed)).toBe("0 released: none was for the Anthropic Messages API; 12 requests passed unchanged");
    expect(lines({ requests: 0 })).toBe("0 released: no request came through Ebb");
    expect(lines({ requests: 0, counted: 2 })).toBe("0 released: only token counts were asked for");
    expect(lines({ requests: 2, unread: { "no JSON": 2 } })).toBe("0 released: 2 requests could not be read (no JSON)");
  });

  test("says that a cost is unknown, and that no limits were told", () => {
    const unknown = { figures: { ...FIGURES, net_cost_usd: null } };
    expect(lines(unknown)).toContain("\nnet cost unknown; the provider told no limits");
  });

  test("says what went wrong, and where to read of it", () => {
    const stats: Partial<RunStats> = {
      fallbacks: { script_only: 1, original: 0, refused: 1 },
      errors: [{ at_ms: 1, code: "store_locked", words: "w" }],
      proxy: { ...READ.proxy, upstream_errors: { ECONNREFUSED: 2 } },
    };
    const trouble =
      "trouble: 1 request had no form that may be sent, 2 failures to reach the provider, 1 error survived";
    expect(lines(stats)).toContain(`\n${trouble}; see /data/run.log`);
    expect(lines(stats, { logFile: null }).endsWith(trouble)).toBe(true);
  });

  test("is lost with a proxy that ended before the agent", () => {
    expect(lines(null)).toMatch(/^the proxy on port 40123 ended before the agent: /);
  });
});
