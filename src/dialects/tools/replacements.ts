import type { ChangeText, Replacement } from "../../model/acquisition.ts";
import type { JsonValue } from "../../model/json.ts";
import { isSet, wholeText } from "../call-input.ts";

/** Argument names of one replacement. */
export interface ReplacementNames {
  readonly from: string;
  readonly to: string;
  /** Names the argument that replaces every occurrence; null where the tool has none. */
  readonly all: string | null;
}

/** The replacements that a list of values states; null where any of them is not whole. */
export function replacementsIn(values: readonly JsonValue[], names: ReplacementNames): ChangeText | null {
  const replacements: Replacement[] = [];
  for (const value of values) {
    const from = wholeText(value, names.from);
    const to = wholeText(value, names.to);
    if (from === null || from === "" || to === null) return null;
    replacements.push({ from, to, isAll: names.all !== null && isSet(value, names.all) });
  }
  return replacements.length === 0 ? null : { kind: "replacements", replacements };
}

/** A content that a call states whole. */
export function contentOf(input: JsonValue, name: string, isNew: boolean): ChangeText | null {
  const text = wholeText(input, name);
  return text === null ? null : { kind: "content", text, isNew };
}
