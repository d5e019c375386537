import type { Acquisition, ChangeText, Outcome, ToolKind } from "../../model/acquisition.ts";
import type { CallItem, ResultItem } from "../../model/item.ts";
import type { JsonValue } from "../../model/json.ts";
import type { ShellParser } from "../../model/ports.ts";

/** A call with what its result says. */
export interface AnsweredCall {
  readonly callId: string;
  readonly input: JsonValue;
  /** Text of the result; empty without one. */
  readonly text: string;
  /** What the API alone says of the result; formats without a word for errors say `ok` of everything. */
  readonly outcome: Outcome;
  readonly mediaCount: number;
  readonly shell: ShellParser | null;
}

/** What one call means. What is left out is not known or not there; `changes` count only where the outcome is `ok`. */
export interface ToolMeaning {
  readonly kind: ToolKind;
  readonly outcome?: Outcome;
  readonly path?: string | null;
  readonly workingDirectory?: string | null;
  readonly window?: Acquisition["window"];
  readonly printed?: Acquisition["printed"];
  readonly isShellRead?: boolean;
  readonly changes?: Acquisition["changes"];
  readonly command?: string | null;
}

/** One tool of an agent. Pure; never throws, whatever the input. */
export interface Tool {
  meaningOf(call: AnsweredCall): ToolMeaning;
  /** The change that a successful call states, given the text of its result; null where the call does not state all of it. */
  readonly changeText?: (input: JsonValue, text: string) => ChangeText | null;
  /** It runs any shell command. */
  readonly isShell?: boolean;
}

/** A tool that neither reads nor changes files, as far as anyone knows. */
export const otherTool: Tool = { meaningOf: () => ({ kind: "other" }) };

/**
 * What a call of a tool and its result prove. The API's word counts before the tool's reading of the text, which may only make
 * a failure an interruption. A path is claimed with a window alone where a file is shown.
 */
export function acquisitionOf(
  tool: Tool,
  call: CallItem,
  result: ResultItem | null,
  read: { readonly text: string; readonly shell: ShellParser | null },
): Acquisition {
  const told = result === null ? "missing" : result.isError ? "failed" : "ok";
  const text = result === null ? "" : read.text;
  const { callId, input } = call;
  const mediaCount = result?.mediaCount ?? 0;
  const meaning = tool.meaningOf({ callId, input, text, outcome: told, mediaCount, shell: read.shell });
  const outcome = outcomeOf(told, meaning.outcome ?? told);
  const isOk = outcome === "ok";
  const isShellRead = isOk && meaning.kind === "run" && meaning.isShellRead === true;
  const showsFile = isShellRead || meaning.kind === "read";
  const path = meaning.path ?? null;
  const window = showsFile && path !== null ? (meaning.window ?? null) : null;
  return {
    callId,
    tool: call.name,
    kind: meaning.kind,
    outcome,
    path: meaning.kind === "run" && !isShellRead ? null : path,
    workingDirectory: meaning.workingDirectory ?? null,
    window,
    printed: isOk && window !== null ? (meaning.printed ?? null) : null,
    isShellRead,
    isUnchangedStub: false,
    changes: isOk ? (meaning.changes ?? []) : [],
    command: meaning.command ?? null,
  };
}

function outcomeOf(told: "missing" | "failed" | "ok", read: Outcome): Outcome {
  if (told === "missing") return "missing";
  return told === "failed" && read !== "interrupted" ? "failed" : read;
}
