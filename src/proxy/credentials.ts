import { headerValue, headerValues, type RawHeaders } from "./headers.ts";

/** What a request shows of whose it is. */
export interface CredentialSigns {
  readonly headers: RawHeaders;
  /** Without the question mark. */
  readonly query: string;
  readonly path: string;
}

/**
 * Whose credentials a request certainly carries: nobody else issues keys of that form, or takes them in that header. Empty where
 * nothing tells.
 */
export function credentialOwners({ headers, query }: CredentialSigns): ReadonlySet<string> {
  const owners = new Set<string>();
  if (headerValues(headers, "x-goog-api-key").length > 0) owners.add("gemini");
  if (headerValues(headers, "api-key").length > 0) owners.add("azure");
  for (const secret of secretsIn(headers, query)) {
    const owner = KEY_FORMS.find(([form]) => form.test(secret))?.[1];
    if (owner !== undefined) owners.add(owner);
  }
  return owners;
}

/**
 * Whose request one without a name probably is that nothing reads, by the headers that the clients of an API send and by its paths.
 * Without any credentials it is Anthropic's.
 */
export function likelyOwner({ headers, query, path }: CredentialSigns): string {
  if (headerValue(headers, "x-api-key") !== null || headerValue(headers, "anthropic-version") !== null) {
    return "anthropic";
  }
  if (path.startsWith("/v1beta/") || keysInQuery(query).length > 0) return "gemini";
  return headerValue(headers, "authorization") === null ? "anthropic" : "openai";
}

/** Forms of keys with one issuer each. Sources: the providers' own pages on keys and on secret scanning. */
const KEY_FORMS: readonly (readonly [RegExp, string])[] = [
  [/^sk-ant-/, "anthropic"],
  [/^sk-(?:proj|svcacct|admin)-/, "openai"],
  [/^sk-or-/, "openrouter"],
  [/^gsk_/, "groq"],
  [/^AIza/, "gemini"],
  [/^xai-/, "xai"],
  [/^AWS4-/, "aws"],
];

const SCHEME = /^\S+\s+/;

function secretsIn(headers: RawHeaders, query: string): readonly string[] {
  const authorizations = headerValues(headers, "authorization").flatMap((value) => {
    const own = value.trim();
    return [own, own.replace(SCHEME, "")];
  });
  return [...authorizations, ...headerValues(headers, "x-api-key"), ...keysInQuery(query)];
}

function keysInQuery(query: string): readonly string[] {
  return query === "" ? [] : new URLSearchParams(query).getAll("key");
}
