import type { RequestHeaderValue } from "../model/ports.ts";

/** Header names and values in turn, in the order and spelling of the wire, bytes as latin1. */
export type RawHeaders = readonly string[];

const HOP_BY_HOP = new Set(["connection", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade"]);
const SET_BY_THE_SENDER = new Set(["host", "content-length", "expect"]);
const ABOUT_THE_BYTES = new Set(["content-digest", "content-md5", "digest", "repr-digest"]);

/**
 * Headers to send upstream: the client's, without those that belong to its connection, the host, the length, and
 * `Expect`, which the proxy answers itself. For an edited body also without those that describe its former bytes.
 */
export function toUpstreamHeaders(raw: RawHeaders, isEdited: boolean): string[] {
  return withoutHopByHop(raw, (name) => {
    if (SET_BY_THE_SENDER.has(name)) return false;
    return !isEdited || (name !== "content-encoding" && !ABOUT_THE_BYTES.has(name));
  });
}

/** Headers to send to the client: the upstream's, without those that belong to its connection. */
export function toClientHeaders(raw: RawHeaders): string[] {
  return withoutHopByHop(raw, () => true);
}

/** The same headers with these values in them: each joins the header of its name, or comes as a new one; none twice. */
export function withValues(raw: RawHeaders, added: readonly RequestHeaderValue[]): string[] {
  const headers = [...raw];
  for (const { name, value } of added) {
    const members = headerValues(headers, name.toLowerCase()).flatMap((text) => text.split(","));
    if (members.some((member) => member.trim() === value)) continue;
    const last = headers.findLastIndex((text, at) => at % 2 === 0 && text.toLowerCase() === name.toLowerCase());
    if (last === -1) headers.push(name, value);
    else headers[last + 1] = [headers[last + 1], value].filter((text) => text !== "").join(",");
  }
  return headers;
}

/** Values of one header, by lower-case name, in order. */
export function headerValues(raw: RawHeaders, name: string): readonly string[] {
  const values: string[] = [];
  for (const [key, value] of pairsOf(raw)) if (key.toLowerCase() === name) values.push(value);
  return values;
}

/** Value of one header, by lower-case name; repeated ones joined by commas; null when absent. */
export function headerValue(raw: RawHeaders, name: string): string | null {
  const values = headerValues(raw, name);
  return values.length === 0 ? null : values.join(", ");
}

/**
 * The same headers with every coding that `isDecodable` refuses taken out of `Accept-Encoding`; the very values when
 * there is none.
 */
export function withDecodableCodings(raw: RawHeaders, isDecodable: (coding: string) => boolean): string[] {
  const headers: string[] = [];
  for (const [name, value] of pairsOf(raw)) {
    headers.push(name, name.toLowerCase() === "accept-encoding" ? decodableOf(value, isDecodable) : value);
  }
  return headers;
}

/** The same headers, which ask for a response in no coding. */
export function withIdentityCoding(raw: RawHeaders): string[] {
  return [...withoutNamed(raw, new Set(["accept-encoding"])), "accept-encoding", "identity"];
}

/** The same headers without those of these lower-case names. */
export function withoutNamed(raw: RawHeaders, names: ReadonlySet<string>): string[] {
  const headers: string[] = [];
  for (const [key, value] of pairsOf(raw)) if (!names.has(key.toLowerCase())) headers.push(key, value);
  return headers;
}

/** Headers to send to the client with a body that Ebb put together: none that describe other bytes. */
export function toClientHeadersOfOther(raw: RawHeaders): string[] {
  return withoutNamed(toClientHeaders(raw), new Set(["content-length", ...ABOUT_THE_BYTES]));
}

/** Lower-case members of a comma-separated header value, without their parameters. */
export function tokensIn(value: string): readonly string[] {
  return value
    .split(",")
    .map((member) => (member.split(";")[0] ?? "").trim().toLowerCase())
    .filter((token) => token !== "");
}

function decodableOf(value: string, isDecodable: (coding: string) => boolean): string {
  const members = value.split(",").filter((member) => member.trim() !== "");
  const kept = members.filter((member) => {
    const coding = tokensIn(member)[0] ?? "";
    return coding === "*" || coding === "identity" || isDecodable(coding);
  });
  if (kept.length === members.length) return value;
  return kept.length === 0 ? "identity" : kept.join(",").trim();
}

function withoutHopByHop(raw: RawHeaders, isKept: (name: string) => boolean): string[] {
  const named = new Set(headerValues(raw, "connection").flatMap(tokensIn));
  const headers: string[] = [];
  for (const [key, value] of pairsOf(raw)) {
    const name = key.toLowerCase();
    if (HOP_BY_HOP.has(name) || named.has(name) || name.startsWith("proxy-")) continue;
    if (isKept(name)) headers.push(key, value);
  }
  return headers;
}

function* pairsOf(raw: RawHeaders): Generator<readonly [string, string]> {
  for (let index = 0; index + 1 < raw.length; index += 2) yield [raw[index] ?? "", raw[index + 1] ?? ""];
}
