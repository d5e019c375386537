import type { ToolKind } from "../../model/acquisition.ts";
import type { ReplacementNames } from "../tools/replacements.ts";
import type { RowForm } from "../tools/rows.ts";

/** How the arguments of a read name its lines. */
export type DescribedRange =
  /** A first line and a number of lines; `firstLine` is the number that the tool gives to the first line of a file. */
  | {
      readonly form: "counted";
      readonly offset: string | null;
      readonly limit: string | null;
      readonly firstLine: 0 | 1;
      readonly limitDefault: number | null;
    }
  /** The first and the last line, both 1-based and shown. */
  | { readonly form: "ends"; readonly start: string | null; readonly end: string | null }
  /** Both in one list, `[a, b]`, 1-based and shown; `-1` is the last line. */
  | { readonly form: "pair"; readonly pair: string };

/** One tool of an agent as plain data. */
export interface DescribedTool {
  readonly kind: ToolKind;
  /** Arguments that may name the file; the first that is there counts. */
  readonly path: readonly string[];
  /** Arguments that may name where a file is moved to. */
  readonly to: readonly string[];
  /** Null: a read shows the whole file. */
  readonly range: DescribedRange | null;
  /** How a read numbers its lines; null: it does not. */
  readonly rows: RowForm | null;
  /** The answer of a command is all that it printed and nothing else. */
  readonly isRawOutput: boolean;
  /** Arguments that say what is run, searched or fetched. */
  readonly command: readonly string[];
  /** Beginnings of the answers of a call that went well; none: whatever does not look like a failure went well. */
  readonly success: readonly string[];
  /** Beginnings of the answers of a call that failed. */
  readonly failure: readonly string[];
  /** Arguments of an edit that replaces one text; null where the call does not state the whole change. */
  readonly replace: ReplacementNames | null;
  /** Argument of a write that is the whole content; null where there is none. */
  readonly content: string | null;
}

/** A dialect as plain data, over another one. */
export interface DialectDescription {
  readonly name: string;
  /** The dialect that says all that is not described. */
  readonly base: string;
  /** All that is stated must hold; null: where the base is recognised, or where the described tools are offered. */
  readonly recognise: {
    readonly tools: readonly string[];
    readonly system: string | null;
    readonly userAgent: string | null;
  } | null;
  readonly tools: Readonly<Record<string, DescribedTool>>;
  /** Null: as the base does. */
  readonly readsThroughShell: boolean | null;
}
