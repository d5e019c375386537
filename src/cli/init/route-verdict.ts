import type { Wanted } from "./client.ts";

/** What becomes of a base URL that is set already. */
export type RouteVerdict =
  | { readonly kind: "exchange"; readonly words: string }
  | { readonly kind: "refuse"; readonly words: string };

/** What decides it. */
export interface RouteRules {
  readonly upstream: string;
  readonly replaces: boolean;
}

/** An address that is the proxy's upstream is reached through the proxy; another one is given up only where that is asked for. */
export function routeVerdict(
  existing: unknown,
  { path, suffix }: Wanted,
  { upstream, replaces }: RouteRules,
): RouteVerdict {
  const name = path.join(".");
  const shown = typeof existing === "string" ? existing : JSON.stringify(existing);
  const bare = withoutSuffix(shown, suffix);
  if (bare === upstream) {
    return {
      kind: "exchange",
      words: `${name} was ${shown}, which is the proxy's upstream: requests still end there.`,
    };
  }
  if (replaces) {
    return { kind: "exchange", words: `${name} was ${shown}: requests now go to ${upstream}, and no longer there.` };
  }
  const keep =
    bare === null ? "Ebb cannot stand in front of it" : `to keep it behind Ebb, set \`upstream: ${bare}\` in ebb.yaml`;
  return {
    kind: "refuse",
    words: `${name} is set already: ${shown}; ${keep}; to send requests to ${upstream} instead, add --replace`,
  };
}

/** Null where the address does not end as the client's must, or is none. */
function withoutSuffix(address: string, suffix: string): string | null {
  const plain = address.replace(/\/+$/, "");
  if (!/^https?:\/\/[^/?#@]+[^?#]*$/.test(plain) || !plain.endsWith(suffix)) return null;
  return plain.slice(0, plain.length - suffix.length).replace(/\/+$/, "");
}
