import { z } from "zod";
import { ENDPOINTS } from "../providers/endpoints.ts";
import { isUpstreamName } from "../proxy/upstreams.ts";
import { httpAddress, type ValueType, yamlFromText } from "./value-types.ts";

/** Upstreams as stated, by name: an address, or one with the provider whose facts count there; `off` takes a built-in name away. */
export type StatedUpstreams = Readonly<
  Record<string, string | { readonly url: string; readonly provider?: string | undefined }>
>;

/** An upstream that an address may name. */
export interface NamedUpstream {
  readonly name: string;
  readonly url: string;
  /** Name of the provider by whose facts its models are read; null: as its host or the request's format says. */
  readonly provider: string | null;
}

/** Upstreams by name. `providers` are the names that one may state. */
export function upstreamMap(providers: readonly [string, ...string[]]): ValueType<StatedUpstreams> {
  const one = "off, an address, or { url: ADDRESS, provider: NAME }";
  const expects = `a map from a name to ${one}`;
  const address = httpAddress().schema;
  const provider = z.enum(providers, { error: `one of ${providers.join(", ")}` });
  const full = z.strictObject({ url: address, provider: provider.optional() }, { error: one });
  const name = z.string().refine(isUpstreamName, { error: NAME_WORDS });
  const schema = z.record(name, z.union([z.literal("off"), address, full], { error: one }), {
    error: (issue) => (issue.code === "invalid_key" ? NAME_WORDS : expects),
  });
  return { schema, expects, notation: "map", fromText: yamlFromText };
}

/** Those that are built in and those that are stated, each name once. */
export function toUpstreams(stated: StatedUpstreams): readonly NamedUpstream[] {
  const byName = new Map<string, NamedUpstream>(ENDPOINTS.map((one) => [one.name, one]));
  for (const [name, given] of Object.entries(stated)) {
    if (given === "off") byName.delete(name);
    else {
      const { url, provider } = typeof given === "string" ? { url: given, provider: undefined } : given;
      // A built-in name goes on saying whose models answer, wherever it leads.
      byName.set(name, { name, url, provider: provider ?? byName.get(name)?.provider ?? null });
    }
  }
  return Array.from(byName.values());
}

const NAME_WORDS =
  "a name of lower-case letters, digits, - and _, at most 32, that is no path of Ebb's own and no version of an API";
