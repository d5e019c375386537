/** A parsed JSON object whose members are not known yet. */
export type JsonRecord = Readonly<Record<string, unknown>>;

/** True for a JSON object. */
export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The string, or null for anything else and for "". */
export function textOrNull(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

/** The number when it is a count, else 0: absent usage fields mean none. */
export function countOrZero(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : 0;
}

/** What a value is, for messages to people. */
export function kindOf(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  return Array.isArray(value) ? "a list" : `a${typeof value === "object" ? "n object" : ` ${typeof value}`}`;
}

export type ParsedJson =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly words: string };

/** Parses UTF-8 JSON. The words of a failure never quote the text: it is the user's. */
export function parseJson(bytes: Uint8Array): ParsedJson {
  try {
    return { ok: true, value: JSON.parse(asBuffer(bytes).toString("utf8")) };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const position = /position (\d+)/.exec(error.message)?.[1];
    return { ok: false, words: `broken line: not JSON${position === undefined ? "" : ` at character ${position}`}` };
  }
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
