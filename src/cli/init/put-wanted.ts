import { assert } from "../../lib/assert.ts";
import type { Wanted, WantedFile } from "./client.ts";
import { isSame, valueAt, withValueAt } from "./plain-value.ts";
import { type RouteRules, routeVerdict } from "./route-verdict.ts";
import type { Placed } from "./syntax.ts";

/** A text with what is wanted in it, and why some of it was not put there. */
export interface PutResult {
  readonly text: string;
  readonly placed: readonly Placed[];
  /** One line each, with file and line. */
  readonly refusals: readonly string[];
  readonly notes: readonly string[];
}

/** True where the text holds everything already. */
export function holdsWanted(text: string, { syntax, wanted }: WantedFile): boolean {
  const values = syntax.valueOf(text);
  return wanted.every(({ path, value, kind }) => {
    const found = valueAt(values, path);
    return kind === "setting" ? found !== undefined : isSame(found, value);
  });
}

/** Puts each wanted value into a valid text. What is asked about is refused, and the text then stays as it is there. */
export function putWanted(given: string, file: WantedFile, rules: RouteRules): PutResult {
  let text = given;
  const placed: Placed[] = [];
  const refusals: string[] = [];
  const notes: string[] = [];
  for (const one of file.wanted) {
    const standing = verdictOf(text, file, one, rules);
    if (standing.kind === "stays") continue;
    if (standing.kind === "exchange") notes.push(standing.words);
    const edited = standing.kind === "refuse" ? null : file.syntax.put(text, one.path, one.value);
    if (edited?.ok === true) {
      assert(
        isSame(file.syntax.valueOf(edited.text), withValueAt(file.syntax.valueOf(text), one.path, one.value)),
        "an edit changes one value",
      );
      text = edited.text;
      placed.push(edited.made);
      continue;
    }
    // What was put in before moves lines that the user knows.
    const alone = edited === null ? null : file.syntax.put(given, one.path, one.value);
    const own = alone?.ok === false ? alone.fault.line : edited?.fault.line;
    const line = own ?? file.syntax.lineOf(given, one.path);
    const words = edited?.fault.words ?? (standing.kind === "refuse" ? standing.words : "");
    refusals.push(`${file.path}:${line}: ${words}`);
  }
  return { text, placed, refusals, notes };
}

type Standing =
  | { readonly kind: "stays" }
  | { readonly kind: "absent" }
  | { readonly kind: "exchange"; readonly words: string }
  | { readonly kind: "refuse"; readonly words: string };

function verdictOf(text: string, { syntax }: WantedFile, one: Wanted, rules: RouteRules): Standing {
  const found = valueAt(syntax.valueOf(text), one.path);
  if (found === undefined) return { kind: "absent" };
  if (one.kind === "setting" || isSame(found, one.value)) return { kind: "stays" };
  if (one.kind === "route") return routeVerdict(found, one, rules);
  const name = one.path.join(".");
  if (rules.replaces) return { kind: "exchange", words: `${name} was another tool server.` };
  return { kind: "refuse", words: `${name} is set already, to another tool server; to exchange it, add --replace` };
}
