import type { ChangeText, LineRange, Outcome, Window } from "../../model/acquisition.ts";
import type { JsonValue } from "../../model/json.ts";
import type { Tool } from "./tool.ts";
import { firstText } from "./values.ts";

/** A tool that shows one file. */
export interface ReadForm {
  /** Arguments that may name the file; the first that is there counts. */
  readonly path: readonly string[];
  windowOf(input: JsonValue): Window;
  /** Lines that a successful result tells it printed; null: those it was asked for, or none that are lines. */
  printedOf(text: string, window: Window, mediaCount: number): LineRange | null;
  /** What the text proves where the API says nothing bad. */
  outcomeOf(text: string): Outcome;
}

/** A tool that changes one file. */
export interface ChangeForm {
  readonly kind: "edit" | "write" | "delete";
  readonly path: readonly string[];
  outcomeOf(text: string, input: JsonValue): Outcome;
  changeText?(input: JsonValue, text: string): ChangeText | null;
}

/** A tool that moves a file: both its places change. */
export interface RenameForm {
  readonly from: readonly string[];
  readonly to: readonly string[];
  outcomeOf(text: string): Outcome;
}

/** The tool of a form of reads. */
export function readTool(form: ReadForm): Tool {
  return {
    meaningOf: ({ input, text, mediaCount }) => {
      const window = form.windowOf(input);
      return {
        kind: "read",
        path: firstText(input, form.path),
        outcome: form.outcomeOf(text),
        window,
        printed: form.printedOf(text, window, mediaCount),
      };
    },
  };
}

/** The tool of a form of changes; without a path it changes nothing anybody knows. */
export function changeTool(form: ChangeForm): Tool {
  const { kind } = form;
  return {
    meaningOf: ({ input, text }) => {
      const path = firstText(input, form.path);
      return {
        kind,
        path,
        outcome: form.outcomeOf(text, input),
        changes: path === null ? [] : [{ kind, path, source: "tool" }],
      };
    },
    ...(form.changeText === undefined ? {} : { changeText: form.changeText }),
  };
}

/** The tool of a form of moves. */
export function renameTool(form: RenameForm): Tool {
  return {
    meaningOf: ({ input, text }) => {
      const paths = [firstText(input, form.from), firstText(input, form.to)].filter((path) => path !== null);
      const changes = paths.map((path) => ({ kind: "rename", path, source: "tool" }) as const);
      return { kind: "rename", path: paths[0] ?? null, outcome: form.outcomeOf(text), changes };
    },
  };
}
