import type { ChangeText, LineRange, Outcome, ToolKind, Window } from "../../model/acquisition.ts";
import type { JsonValue } from "../../model/json.ts";
import { wholeText } from "../call-input.ts";
import { contentOf, replacementsIn } from "../tools/replacements.ts";
import type { AnsweredCall, Tool, ToolMeaning } from "../tools/tool.ts";
import { firstText } from "../tools/values.ts";
import { pairWindow } from "../tools/windows.ts";

/** How an agent answers calls of the editor, and what its own version of it writes. */
export interface EditorForm {
  outcomeOf(command: string, text: string): Outcome;
  /** True for the listing of a folder. */
  isListing(text: string): boolean;
  printedOf(text: string, window: Window, mediaCount: number): LineRange | null;
  /** It writes the file with nothing but the stated replacement made. */
  readonly statesReplacements: boolean;
  /** It refuses to create a file that is there. */
  readonly createsNew: boolean;
}

const KINDS: ReadonlyMap<string, ToolKind> = new Map([
  ["create", "write"],
  ["str_replace", "edit"],
  ["insert", "edit"],
  ["undo_edit", "edit"],
]);
const NAMES = { from: "old_str", to: "new_str", all: null };

/**
 * The editor that models of Anthropic were taught: one tool whose `command` says what it does. Source:
 * https://platform.claude.com/docs/en/agents-and-tools/tool-use/text-editor-tool
 */
export function editorTool(form: EditorForm): Tool {
  return {
    meaningOf: (call) => {
      const command = firstText(call.input, ["command"]) ?? "";
      return command === "view" ? viewMeaning(form, call) : changeMeaning(form, command, call);
    },
    changeText: (input, text) => changeText(form, input, text),
  };
}

function viewMeaning(form: EditorForm, { input, text, mediaCount }: AnsweredCall): ToolMeaning {
  const path = firstText(input, ["path"]);
  const outcome = form.outcomeOf("view", text);
  if (outcome === "ok" && form.isListing(text)) return { kind: "search", command: path };
  const window = pairWindow(input, "view_range");
  return { kind: "read", path, outcome, window, printed: form.printedOf(text, window, mediaCount) };
}

function changeMeaning(form: EditorForm, command: string, { input, text }: AnsweredCall): ToolMeaning {
  const kind = KINDS.get(command);
  const path = firstText(input, ["path"]);
  if (kind !== "write" && kind !== "edit") return { kind: "other" };
  const changes = path === null ? [] : [{ kind, path, source: "tool" } as const];
  return { kind, path, outcome: form.outcomeOf(command, text), changes };
}

function changeText(form: EditorForm, input: JsonValue, text: string): ChangeText | null {
  const command = firstText(input, ["command"]);
  if (command === "create") return contentOf(input, "file_text", form.createsNew);
  if (command !== "str_replace" || !form.statesReplacements || form.outcomeOf(command, text) !== "ok") return null;
  const from = wholeText(input, NAMES.from);
  return from === null
    ? null
    : replacementsIn([{ [NAMES.from]: from, [NAMES.to]: wholeText(input, NAMES.to) ?? "" }], NAMES);
}
