import { decodeWtf8, encodeWtf8 } from "../lib/wtf8.ts";
import type { ChangeText } from "../model/acquisition.ts";

/** A change's text as an original: the same bytes for the same change, in any process. */
export function encodeChangeText(change: ChangeText): Uint8Array {
  return encodeWtf8(JSON.stringify(fieldsOf(change)));
}

/** The inverse of `encodeChangeText`; null for bytes that are none. */
export function decodeChangeText(bytes: Uint8Array): ChangeText | null {
  let value: unknown;
  try {
    value = JSON.parse(decodeWtf8(bytes));
  } catch {
    return null;
  }
  return isChangeText(value) ? value : null;
}

/** In a fixed order of fields. */
function fieldsOf(change: ChangeText): ChangeText {
  switch (change.kind) {
    case "replacements": {
      const replacements = change.replacements.map(({ from, to, isAll }) => ({ from, to, isAll }));
      return { kind: "replacements", replacements };
    }
    case "content":
      return { kind: "content", text: change.text, isNew: change.isNew };
    case "cell":
      return { kind: "cell", cell: change.cell, mode: change.mode, text: change.text };
  }
}

function isChangeText(value: unknown): value is ChangeText {
  if (!isRecord(value)) return false;
  switch (value.kind) {
    case "replacements":
      return Array.isArray(value.replacements) && value.replacements.every(isReplacement);
    case "content":
      return typeof value.text === "string" && typeof value.isNew === "boolean";
    case "cell": {
      const isNamed = value.cell === null || typeof value.cell === "string";
      return isNamed && typeof value.text === "string" && ["replace", "insert", "delete"].includes(String(value.mode));
    }
    default:
      return false;
  }
}

function isReplacement(value: unknown): boolean {
  if (!isRecord(value)) return false;
  return typeof value.from === "string" && typeof value.to === "string" && typeof value.isAll === "boolean";
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
