import { providers } from "../builtins.ts";
import type { CacheRules, ModelFacts, PriceRow, Prices } from "../model/cache.ts";
import type { TableProvider } from "../providers/model-table.ts";
import { amountWords, countWords } from "./figures.ts";

const MINUTE_MS = 60_000;

/** The page of models: what is taken as fact of each, and from where. */
export function modelsPage(notice: string): string {
  return `${[
    notice,
    "# Models",
    '```yaml\nmodels:\n  "my-model-*": { binding: none, window_tokens: 200000 }\n```',
    "What Ebb takes as fact of each model. One that is not here gets the most cautious facts, which stand last in each table: thinking counts as signed over all that stands before it, and nothing has a price. `ebb stats` and the log name each such model. Whatever is here or missing here can be [stated](../guides/configure.md#models) in the configuration.",
    "Each request is read by the facts of the provider it goes to: see [Providers and upstreams](../guides/providers.md).",
    WORDS,
    ...Object.values(providers).map(providerSection),
  ].join("\n\n")}\n`;
}

const WORDS = [
  "- Thinking: what a thinking block is signed over. `prefix` is everything sent before it, `block` the block alone, `none` nothing that Ebb could change.",
  "- From: shortest prefix that is cached, in tokens. Window: most tokens of prompt and answer together.",
  "- Prices: US dollars per million tokens, of input, cache write for five minutes and for an hour, cache read, and output.",
].join("\n");

function providerSection(provider: TableProvider): string {
  const models = provider.modelIds.map((id) => [`\`${id}\``, provider.modelFacts(id)] as const);
  const all = [...models, ["any other", provider.modelFacts(null)] as const];
  const kinds = new Map(all.map(([, { cache, ttlDefaultMs }]) => [cache.kind, cacheWords(cache, ttlDefaultMs)]));
  return [
    `## \`${provider.name}\``,
    "",
    ...Array.from(kinds, ([kind, words]) => `- Cache \`${kind}\`: ${words}.`),
    "",
    "| model | thinking | cache | from | window | prices hold | input | write 5m | write 1h | read | output |",
    "|---|---|---|---|---|---|---|---|---|---|---|",
    ...all.flatMap(([name, facts]) => modelRows(name, facts)),
    "",
    ...provider.sources.map((words) => `- ${words}`),
  ].join("\n");
}

function modelRows(name: string, facts: ModelFacts): readonly string[] {
  const window = facts.windowTokens === null ? "?" : countWords(facts.windowTokens);
  const known = [name, facts.thinkingBinding, facts.cache.kind, countWords(facts.cacheTokensMin), window];
  if (facts.prices.length === 0) return [rowOf([...known, "not on record", ...Array(PRICE_KEYS.length).fill("")])];
  return facts.prices.map((row, index) => {
    const left = index === 0 ? known : known.map(() => "");
    return rowOf([
      ...left,
      bordersOf(row) ?? (facts.prices.length === 1 ? "always" : "otherwise"),
      ...PRICE_KEYS.map((key) => String(row.prices[key])),
    ]);
  });
}

const PRICE_KEYS: readonly (keyof Prices)[] = ["input", "cacheWrite5m", "cacheWrite1h", "cacheRead", "output"];

function rowOf(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}

/** Null where the prices hold from the beginning and for any length. */
function bordersOf({ fromMs, promptTokensOver }: PriceRow): string | null {
  const words = [
    ...(fromMs === 0 ? [] : [`from ${new Date(fromMs).toISOString().slice(0, 10)}`]),
    ...(promptTokensOver === 0 ? [] : [`over ${countWords(promptTokensOver)} tokens`]),
  ];
  return words.length === 0 ? null : words.join(", ");
}

function cacheWords(cache: CacheRules, ttlDefaultMs: number): string {
  const minutes = amountWords(ttlDefaultMs / MINUTE_MS, "minute");
  if (cache.kind === "none") return "nothing is cached";
  if (cache.kind === "units") {
    return `by itself, whole units that end where a request or an answer ends, for up to ${minutes}`;
  }
  if (cache.kind === "prefix")
    return `by itself, in steps of ${amountWords(cache.stepTokens, "token")}, for up to ${minutes}`;
  const isBounded = cache.lookbackBlocks < Number.MAX_SAFE_INTEGER;
  const blocks = isBounded ? amountWords(cache.lookbackBlocks, "block") : "any number of blocks";
  const other = cache.ttlsMs.length === 1 ? "" : `; ${minutes} where a request asks for nothing else`;
  const lifetimes = cache.ttlsMs.map((ms) => countWords(ms / MINUTE_MS)).join(" or ");
  return `up to ${cache.breakpointsMax} breakpoints in a request, each looks back over ${blocks}, for ${lifetimes} minutes${other}`;
}
