import { EbbError } from "../lib/ebb-error.ts";
import { type CredentialSigns, credentialOwners, likelyOwner } from "./credentials.ts";
import { headerValues, type RawHeaders } from "./headers.ts";
import { isOwnPath } from "./own-endpoints.ts";
import { UPSTREAM_NAME } from "./target.ts";
import { openUpstream, type Upstream } from "./upstream.ts";

/** Where requests may go: no other place is ever chosen. */
export interface UpstreamSettings {
  /** Origin, with an optional path before every client's, of requests whose address names none; null: each by what it is. */
  readonly upstream: string | null;
  /** Origins that an address may name by its first segment. */
  readonly upstreams?: readonly { readonly name: string; readonly url: string }[];
  /** The upstream whose credentials alone go to a host; null where anyone's may. Left out: anyone's may go anywhere. */
  readonly ownerOfHost?: (host: string) => string | null;
  /** The upstream that a wire's requests go to where nothing else says so. */
  readonly upstreamOfWire?: (wire: string) => string | null;
}

/** What tells where a request goes. */
export interface Routable extends CredentialSigns {
  /** Name of the upstream it asks for. */
  readonly name: string | null;
  /** The wire that reads it; null for none. */
  readonly wire: string | null;
}

/** Where a request goes, or why nowhere. */
export type Chosen =
  | { readonly ok: true; readonly upstream: Upstream }
  | { readonly ok: false; readonly words: string };

/** The upstreams of one proxy, with their connections. */
export interface Upstreams {
  /** Names that the address of a request with these headers may ask for. */
  namesFor(headers: RawHeaders): ReadonlySet<string>;
  /** The same for the same request. Credentials that are certainly one provider's never go to another one's host. */
  choose(request: Routable): Chosen;
  close(): Promise<void>;
}

/** Opens them. Throws `config_invalid` for what is no address, and for a name that is another's, or a path. */
export function openUpstreams(settings: UpstreamSettings): Upstreams {
  const stated = settings.upstream === null ? null : openUpstream(settings.upstream);
  const named = new Map<string, Upstream>();
  for (const { name, url } of settings.upstreams ?? []) {
    if (!isUpstreamName(name) || named.has(name)) {
      throw new EbbError("config_invalid", `upstreams: ${JSON.stringify(name)} cannot be the name of one`);
    }
    named.set(name, openUpstream(url, name));
  }
  const names = new Set(named.keys());
  const namesBesideAzure = new Set(Array.from(names).filter((name) => name !== "openai"));
  const ownerOfHost = settings.ownerOfHost ?? (() => null);

  function nameOf(request: Routable, owners: ReadonlySet<string>): string {
    const [owner, other] = owners;
    if (owner !== undefined && other === undefined) return owner;
    const ofWire = request.wire === null ? null : (settings.upstreamOfWire?.(request.wire) ?? null);
    return ofWire ?? likelyOwner(request);
  }

  function find(request: Routable, owners: ReadonlySet<string>): Chosen {
    if (request.name === null && stated !== null) return { ok: true, upstream: stated };
    const name = request.name ?? nameOf(request, owners);
    const upstream = named.get(name);
    if (upstream !== undefined) return { ok: true, upstream };
    return {
      ok: false,
      words: `expected an upstream for credentials of ${name}: state one, or name it in the address`,
    };
  }

  return {
    // Azure's own paths begin with `/openai/`, and its keys come in a header that OpenAI does not take.
    namesFor: (headers) => (headerValues(headers, "api-key").length === 0 ? names : namesBesideAzure),
    choose(request) {
      const owners = credentialOwners(request);
      const chosen = find(request, owners);
      if (!chosen.ok) return chosen;
      const taken = ownerOfHost(chosen.upstream.host);
      const strange = taken === null ? [] : Array.from(owners).filter((owner) => owner !== taken);
      if (strange.length === 0) return chosen;
      return { ok: false, words: `expected credentials of ${taken}, got those of ${strange.join(" and ")}` };
    },
    close: async () => {
      const all = stated === null ? [...named.values()] : [stated, ...named.values()];
      await Promise.all(all.map(({ pool }) => pool.destroy()));
    },
  };
}

/** True for what may stand in an address as the name of an upstream: no path of Ebb's own, of a run, or of an API's version. */
export function isUpstreamName(name: string): boolean {
  return UPSTREAM_NAME.test(name) && !RESERVED.test(name) && !isOwnPath(`/${name}`) && !isOwnPath(`/${name}/`);
}

const RESERVED = /^(?:run|v\d+\w*)$/;
