import { providerOfWire } from "../builtins.ts";
import type { ResolvedConfig } from "../config/resolved.ts";
import type { Provider } from "../model/ports.ts";
import { compatibleProvider } from "../providers/compatible.ts";
import { providerNameOfHost } from "../providers/endpoints.ts";
import type { Destination } from "../proxy/exchange.ts";

/** Formats that others than their own provider speak. */
const SPOKEN_BY_OTHERS: ReadonlySet<string> = new Set(["openai-chat", "openai-responses"]);

/**
 * Whose facts count for a request: what is stated of its upstream, else what its host says, else the provider of its format. A named
 * upstream of unknown host speaks OpenAI's formats as a compatible server.
 */
export function destinationProvider(
  { upstreams }: Pick<ResolvedConfig, "upstreams">,
  providers: readonly Provider[],
): (to: Destination) => Provider {
  const stated = new Map(upstreams.map(({ name, provider }) => [name, provider] as const));
  return ({ wire, name, host }) => {
    const ofName = name === null ? null : (stated.get(name) ?? null);
    const other = name !== null && SPOKEN_BY_OTHERS.has(wire) ? compatibleProvider.name : null;
    const known = ofName ?? providerNameOfHost(host) ?? other;
    return providers.find((one) => one.name === known) ?? providerOfWire(wire, providers);
  };
}
