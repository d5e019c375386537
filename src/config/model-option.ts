import { z } from "zod";
import { type ValueType, wholeNumber, yamlFromText } from "./value-types.ts";

/** Facts of models as stated, by a model's id or by the beginning of ids and a `*`. */
export type StatedModelMap = Readonly<Record<string, StatedModelFacts>>;

/** Facts of one model as stated. */
export interface StatedModelFacts {
  readonly binding?: "none" | "block" | "prefix" | undefined;
  readonly cache?: StatedCacheFacts | undefined;
  readonly prices?: readonly StatedPrices[] | undefined;
  readonly window_tokens?: number | undefined;
  readonly deletes_in_cache?: boolean | undefined;
  readonly media?: { readonly bytes_max?: number | undefined; readonly images_max?: number | undefined } | undefined;
}

/** Cache rules of one model as stated. */
export interface StatedCacheFacts {
  readonly kind?: "breakpoints" | "prefix" | "units" | "none" | undefined;
  readonly breakpoints_max?: number | undefined;
  readonly lookback_blocks?: number | undefined;
  readonly step_tokens?: number | undefined;
  readonly ttl_minutes?: readonly number[] | undefined;
  readonly min_tokens?: number | undefined;
}

/** Prices as stated, in US dollars per million tokens. */
export interface StatedPrices {
  readonly from?: string | undefined;
  readonly over_tokens?: number | undefined;
  readonly input: number;
  readonly write_5m: number;
  readonly write_1h: number;
  readonly read: number;
  readonly output: number;
}

/** Facts of models by name; each states at least one. */
export function modelMap(): ValueType<StatedModelMap> {
  const facts =
    "{ binding, cache: { kind, ttl_minutes, lookback_blocks, breakpoints_max, step_tokens, min_tokens }, " +
    "prices: [{ from, over_tokens, input, write_5m, write_1h, read, output }], window_tokens, deletes_in_cache, " +
    "media: { bytes_max, images_max } }, at least one of them";
  const expects = `a map from a model's id, or from its beginning and one *, to ${facts}`;
  const schema = z.record(z.string().regex(NAME), factsSchema(facts), {
    error: (issue) => (issue.code === "invalid_key" ? "a model's id as the name, or its beginning and one *" : expects),
  });
  return { schema, expects, notation: "map", fromText: yamlFromText };
}

/** One star, at the end or nowhere. */
const NAME = /^(?:[^*\s]+\*?|\*)$/;

/** A check of the whole waits until its parts are sound. */
const WHERE_SOUND = { when: (payload: { readonly issues: readonly unknown[] }) => payload.issues.length === 0 };

function factsSchema(expects: string): z.ZodType<StatedModelFacts> {
  const count = wholeNumber(1, Number.MAX_SAFE_INTEGER, "a whole number of 1 or more");
  return z
    .strictObject(
      {
        binding: z.enum(["none", "block", "prefix"], { error: "one of none, block, prefix" }).optional(),
        cache: cacheSchema(count).optional(),
        prices: pricesSchema(count).optional(),
        window_tokens: count.optional(),
        deletes_in_cache: z.boolean({ error: "true or false" }).optional(),
        media: z
          .strictObject(
            { bytes_max: count.optional(), images_max: count.optional() },
            { error: "{ bytes_max: N, images_max: N }" },
          )
          .optional(),
      },
      { error: expects },
    )
    .refine((stated) => Object.keys(stated).length > 0, { error: expects, ...WHERE_SOUND });
}

function cacheSchema(count: z.ZodType<number>): z.ZodType<StatedCacheFacts> {
  const kinds = "one of breakpoints, prefix, units, none";
  const lifetimes = "a list of lifetimes in whole minutes, the one of a request that asks for none first";
  return z
    .strictObject(
      {
        kind: z.enum(["breakpoints", "prefix", "units", "none"], { error: kinds }).optional(),
        breakpoints_max: count.optional(),
        lookback_blocks: count.optional(),
        step_tokens: count.optional(),
        ttl_minutes: z.array(count, { error: lifetimes }).min(1, { error: lifetimes }).readonly().optional(),
        min_tokens: wholeNumber(0, Number.MAX_SAFE_INTEGER, "a whole number of 0 or more").optional(),
      },
      { error: "{ kind, ttl_minutes, lookback_blocks, breakpoints_max, step_tokens, min_tokens }" },
    )
    .refine((cache) => cache.kind === "breakpoints" || !("breakpoints_max" in cache || "lookback_blocks" in cache), {
      error: "kind: breakpoints beside breakpoints_max or lookback_blocks",
      ...WHERE_SOUND,
    })
    .refine((cache) => cache.kind === "prefix" || !("step_tokens" in cache), {
      error: "kind: prefix beside step_tokens",
      ...WHERE_SOUND,
    });
}

function pricesSchema(count: z.ZodType<number>): z.ZodType<readonly StatedPrices[]> {
  const usd = "US dollars per million tokens, 0 or more";
  const price = z.number({ error: usd }).min(0, { error: usd });
  const row =
    "{ input, write_5m, write_1h, read, output }, with from: DATE or over_tokens: N where they are not the only ones";
  const list = `a list of ${row}`;
  return z
    .array(
      z.strictObject(
        {
          from: z.iso.date({ error: "a date such as 2026-10-07" }).optional(),
          over_tokens: count.optional(),
          input: price,
          write_5m: price,
          write_1h: price,
          read: price,
          output: price,
        },
        { error: row },
      ),
      { error: list },
    )
    .min(1, { error: list })
    .refine((rows) => new Set(rows.map(borderOf)).size === rows.length, {
      error: "different from or over_tokens in each",
      ...WHERE_SOUND,
    })
    .readonly();
}

function borderOf({ from = "", over_tokens: over = 0 }: StatedPrices): string {
  return `${from} ${over}`;
}
