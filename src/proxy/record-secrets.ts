import { type JsonBytes, scanJson, skipValue, toJsonBytes } from "../lib/json-scan.ts";
import { decodeString, visitElements, visitMembers } from "../lib/json-spans.ts";

/** Names of members that hold credentials, without case, `_` and `-`. */
const SECRET_NAMES = new Set([
  "authorization",
  "proxyauthorization",
  "authorizationtoken",
  "apikey",
  "apikeystring",
  "xapikey",
  "xgoogapikey",
  "accesstoken",
  "authtoken",
  "bearertoken",
  "clientsecret",
  "password",
]);

/** Members whose every text may be a credential. */
const SECRET_GROUPS = new Set(["headers", "extraheaders", "httpheaders", "customheaders", "env"]);

/** What people, models and tools wrote, and schemas: not looked at. */
const CONVERSATION = new Set(["messages", "contents", "system", "instructions", "systeminstruction"]);
const SCHEMAS = new Set(["parameters", "inputschema", "parametersjsonschema", "schema", "jsonschema", "properties"]);

/** Of an entry of the conversation only the tools that it brings are looked at. */
const ENTRIES = "input";
const TOOLS = "tools";

/** Deeper than this no API takes credentials. */
const LEVELS_MAX = 12;

/** Members that hold an address, in whose query or user part a credential may stand. */
const ADDRESSES = new Set(["url", "serverurl", "baseurl"]);
const SECRET_ADDRESS = /^[^?#]*@|\?/;

const REDACTED = '"(redacted)"';
const QUOTE = 0x22;
const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;

/** A text without the credentials in it, and what these were. */
export interface Redacted {
  readonly text: string;
  readonly secrets: readonly string[];
}

/**
 * The text of a body without the credentials in it, such as those for servers of tools. Every other character stays; a body that
 * holds none is the very same text. What people and tools wrote is not looked at.
 */
export function withoutSecrets(text: string): Redacted {
  const json = toJsonBytes(Buffer.from(text));
  if (!scanJson(json).ok) return { text, secrets: [] };
  const found: Found = { json, pieces: [], secrets: new Set(), at: 0 };
  visit(found, skipLeading(json), { level: 0, kind: "any" });
  if (found.secrets.size === 0) return { text, secrets: [] };
  found.pieces.push(json.bytes.toString("utf8", found.at));
  return { text: found.pieces.join(""), secrets: [...found.secrets] };
}

/** A text without credentials that are known, as themselves and as JSON writes them. */
export function withoutKnown(text: string, secrets: readonly string[]): string {
  let redacted = text;
  for (const secret of secrets.filter(({ length }) => length >= KNOWN_CHARS_MIN)) {
    redacted = redacted.replaceAll(JSON.stringify(secret), REDACTED).replaceAll(secret, "(redacted)");
  }
  return redacted;
}

/** A shorter one may be a word of any text. */
const KNOWN_CHARS_MIN = 8;

interface Found {
  readonly json: JsonBytes;
  readonly pieces: string[];
  readonly secrets: Set<string>;
  /** Bytes before it are in the pieces. */
  at: number;
}

interface Place {
  readonly level: number;
  readonly kind: "any" | "secret" | "address";
}

function visit(found: Found, start: number, place: Place): number {
  const { json } = found;
  const next = { ...place, level: place.level + 1 };
  switch (json.bytes[start]) {
    case QUOTE:
      return visitText(found, start, place);
    case OPEN_BRACE:
      if (place.level > LEVELS_MAX) return skipValue(json, start);
      return visitMembers(json, start, (key, at) => visitMember(found, key, at, next));
    case OPEN_BRACKET:
      if (place.level > LEVELS_MAX) return skipValue(json, start);
      return visitElements(json, start, (at) => visit(found, at, next));
  }
  return skipValue(json, start);
}

function visitMember(found: Found, key: string, start: number, { level, kind }: Place): number {
  const name = key.toLowerCase().replace(/[_-]/g, "");
  const isTop = level === 1;
  if ((isTop && CONVERSATION.has(name)) || SCHEMAS.has(name)) return skipValue(found.json, start);
  if (isTop && name === ENTRIES) return visitEntries(found, start);
  return visit(found, start, { level, kind: kind === "secret" ? kind : kindOf(name) });
}

function kindOf(name: string): Place["kind"] {
  if (SECRET_NAMES.has(name) || SECRET_GROUPS.has(name)) return "secret";
  return ADDRESSES.has(name) ? "address" : "any";
}

function visitEntries(found: Found, start: number): number {
  const { json } = found;
  if (json.bytes[start] !== OPEN_BRACKET) return skipValue(json, start);
  return visitElements(json, start, (entry) => {
    if (json.bytes[entry] !== OPEN_BRACE) return skipValue(json, entry);
    return visitMembers(json, entry, (key, at) =>
      key === TOOLS ? visit(found, at, { level: 2, kind: "any" }) : skipValue(json, at),
    );
  });
}

function visitText(found: Found, start: number, { kind }: Place): number {
  const { json } = found;
  const end = skipValue(json, start);
  if (kind === "any" || end <= start + 2) return end;
  const told = decodeString(json, { start, end });
  if (kind === "address" && !SECRET_ADDRESS.test(told)) return end;
  found.secrets.add(told);
  found.pieces.push(json.bytes.toString("utf8", found.at, start), REDACTED);
  found.at = end;
  return end;
}

function skipLeading({ bytes }: JsonBytes): number {
  return bytes.findIndex((byte) => byte > 0x20);
}
