import { amountWords } from "../../figures.ts";
import type { Check } from "../check.ts";
import { type Finding, fail, ok, warn } from "../finding.ts";
import type { SeenStats } from "../proxy-look.ts";

const AREA = "requests";
const NAME_CHARS_MAX = 60;

/** What the running proxy counted since it started. */
export const requestsCheck: Check = {
  area: AREA,
  name: "counted",
  deadlineMs: 2_000,
  async run({ proxy, store }) {
    const seen = await proxy();
    if (seen.kind === "ebb" && seen.stats !== null && seen.stats !== "refused") return judgeStats(seen.stats);
    const look = store();
    const newest = look.kind === "opened" ? look.newestAtMs : null;
    const last = newest === null ? "" : `; the last one in the store is of ${new Date(newest).toISOString()}`;
    return [ok(AREA, "counted", `no proxy tells of any${last}`)];
  },
};

/** What to think of a proxy's counts. Shows codes and Ebb's own words, never what was in a request. */
export function judgeStats(stats: SeenStats): readonly Finding[] {
  const requests = stats.requests + stats.counted;
  const first = ok(
    AREA,
    "counted",
    requests === 0 ? "none yet since the proxy started" : `${amountWords(requests, "request")} since the proxy started`,
  );
  return [first, ...PARTS.flatMap((part) => part(stats) ?? [])];
}

type Part = (stats: SeenStats) => Finding | null;

const PARTS: readonly Part[] = [
  lawPart,
  errorPart,
  fallbackPart,
  unreadPart,
  refusedPart,
  thinkingPart,
  guardPart,
  modelPart,
];

function lawPart({ law_violations: count }: SeenStats): Finding | null {
  if (count === 0) return null;
  return fail(AREA, "laws", {
    words: `a body would have broken a law (${amountWords(count, "time")}): it was sent in an earlier form`,
    fix: "`ebb proxy --mode off` goes on without new releases; please report the codes of `ebb stats`",
  });
}

/** Codes alone: words of errors may name files. */
function errorPart({ errors }: SeenStats): Finding | null {
  const last = errors.at(-1);
  if (last === undefined) return null;
  const when = new Date(last.at_ms).toISOString();
  return warn(AREA, "errors", {
    words: `${amountWords(errors.length, "error")}, the last one at ${when}: ${last.code}`,
    fix: "`ebb stats` says more of each; what the codes mean stands in docs/concepts/store.md",
  });
}

function fallbackPart({ fallbacks }: SeenStats): Finding | null {
  return countPart("fallbacks", fallbacks, {
    words: "requests went out in a fallback form",
    fix: "the errors beside this say why; `ebb stats` lists them",
  });
}

/** Without the reasons: they may quote what was in a body. */
function unreadPart({ unread, proxy }: SeenStats): Finding | null {
  const count = [...Object.values(unread), ...Object.values(proxy.unedited)].reduce((sum, one) => sum + one, 0);
  if (count === 0) return null;
  return warn(AREA, "unread", {
    words: `passed through unread: ${amountWords(count, "request")}`,
    fix: "`ebb stats` says why; docs/guides/proxy.md says what is read",
  });
}

/** A refused WebSocket is as it should be: clients that ask for one, such as Codex, go on with HTTP. */
function refusedPart({ proxy }: SeenStats): Finding | null {
  const { upgrade: _asItShouldBe, ...refused } = proxy.refused;
  return countPart(
    "refused",
    { ...refused, ...proxy.upstream_errors },
    {
      words: "requests were answered by Ebb or had no answer",
      fix: "docs/guides/troubleshooting.md, requests fail; is the upstream the right one?",
    },
  );
}

function thinkingPart({ signature_refusals: count }: SeenStats): Finding | null {
  if (count === 0) return null;
  return warn(AREA, "thinking", {
    words: `${amountWords(count, "request")} refused for signed thinking that did not fit`,
    fix: "begin that conversation anew if it goes on: docs/guides/troubleshooting.md",
  });
}

function guardPart({ net_guard: guard }: SeenStats): Finding | null {
  if (guard.engaged === 0) return null;
  return warn(AREA, "net guard", {
    words: `came to stand ${amountWords(guard.engaged, "time")}: Ebb cost more than it saved, so nothing new leaves there`,
    fix: "it needs nothing; `ebb stats` shows the net cost, and a new conversation begins without it",
  });
}

function modelPart({ unknown_models: models }: SeenStats): Finding | null {
  return countPart("models", models, {
    words: "requests were for models that are not on record",
    fix: "state what they are under models in ebb.yaml: docs/reference/models.md",
  });
}

function countPart(
  name: string,
  counts: Readonly<Record<string, number>>,
  told: { words: string; fix: string },
): Finding | null {
  const found = Object.entries(counts).filter(([, count]) => count > 0);
  if (found.length === 0) return null;
  const list = found.map(([what, count]) => `${what.slice(0, NAME_CHARS_MAX)}: ${count}`).join(", ");
  return warn(AREA, name, { words: `${told.words} (${list})`, fix: told.fix });
}
