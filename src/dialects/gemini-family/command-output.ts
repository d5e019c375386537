/** What a command's result states. */
export interface CommandOutput {
  /** Null: nothing tells how it ended. */
  readonly isOk: boolean | null;
  /** All that it printed; null where the result does not hold it alone. */
  readonly output: string | null;
}

const UNTRUSTED = /^<untrusted_context>\n([\s\S]*)\n<\/untrusted_context>\s*$/;
const EMPTY = "(empty)";
/** What follows an output; an exit code is stated only where it is not 0. */
const SHORT =
  /^Output: ([\s\S]*?)(?:\n(Error: [^\n]*))?(?:\nExit Code: (-?\d+))?(?:\n(Signal: [^\n]*))?(?:\nBackground PIDs: [^\n]*)?(?:\nProcess Group PGID: \d+)?\s*$/;
const LONG =
  /^Command: [\s\S]*?\nDirectory: [^\n]*\n(?:Stdout|Output): ([\s\S]*?)(?:\nStderr: ([\s\S]*?))?\nError: [\s\S]*?\nExit Code: (-?\d+|\(none\))\n/;

/**
 * Parts of a result of `run_shell_command`, in the forms of google-gemini/gemini-cli, packages/core/src/tools/shell.ts, over its
 * versions. A text in neither form states nothing.
 */
export function commandOutputOf(text: string): CommandOutput {
  const inner = UNTRUSTED.exec(text)?.[1] ?? text;
  if (inner.startsWith("Output: ")) {
    const [, output = "", error, exitCode, signal] = SHORT.exec(inner) ?? [];
    const isOk = error === undefined && signal === undefined && (exitCode === undefined || Number(exitCode) === 0);
    return { isOk, output: withoutEmpty(output) };
  }
  const [, output, errors = EMPTY, exitCode] = LONG.exec(inner) ?? [];
  if (output === undefined) return { isOk: null, output: null };
  return { isOk: exitCode === "0", output: errors.trim() === EMPTY ? withoutEmpty(output) : null };
}

function withoutEmpty(output: string): string {
  return output === EMPTY ? "" : output;
}
