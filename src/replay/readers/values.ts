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

/** Largest number that is taken for a count of anything in a recording. */
const COUNT_MAX = 1e12;

/** The number when it is a count, else 0: absent usage fields mean none. */
export function countOrZero(value: unknown): number {
  return typeof value === "number" && value > 0 && value <= COUNT_MAX ? value : 0;
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

const BYTE_ORDER_MARK = /^\uFEFF/;

/** Deepest nesting that is read: far below what writing a value down again can bear. */
const NESTING_MAX = 1_000;

/** Parses UTF-8 JSON of bearable depth. The words of a failure never quote the text: it is the user's. */
export function parseJson(bytes: Uint8Array): ParsedJson {
  try {
    const value: unknown = JSON.parse(asBuffer(bytes).toString("utf8").replace(BYTE_ORDER_MARK, ""));
    if (isDeeperThan(value, NESTING_MAX)) return { ok: false, words: `nested deeper than ${NESTING_MAX} levels` };
    return { ok: true, value };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const position = /position (\d+)/.exec(error.message)?.[1];
    return { ok: false, words: `broken line: not JSON${position === undefined ? "" : ` at character ${position}`}` };
  }
}

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  for (const member of Array.isArray(value) ? value : Object.values(value)) {
    if (isDeeperThan(member, levels - 1)) return true;
  }
  return false;
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
