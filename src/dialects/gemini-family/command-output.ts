/** What a command's result states. */
export interface CommandOutput {
  /** Null: nothing tells how it ended. */
  readonly isOk: boolean | null;
  /** All that it printed; null where the result does not hold it alone. */
  readonly output: string | null;
}

const OPEN = "<untrusted_context>\n";
const CLOSE = "\n</untrusted_context>";
const EMPTY = "(empty)";
/** What follows an output in the shorter form, from the end on; an exit code is stated only where it is not 0. */
const TAIL = [/^Process Group PGID: \d+$/, /^Background PIDs: /, /^Signal: /, /^Exit Code: -?\d+$/, /^Error: /];
const OK_TAIL = 2;

/**
 * Parts of a result of `run_shell_command`, in the forms of google-gemini/gemini-cli, packages/core/src/tools/shell.ts, over its
 * versions. A text in neither form states nothing.
 */
export function commandOutputOf(text: string): CommandOutput {
  const inner = withoutFrame(text);
  if (inner.startsWith("Output: ")) return shortForm(inner.slice("Output: ".length));
  return inner.startsWith("Command: ") ? longForm(inner) : { isOk: null, output: null };
}

function withoutFrame(text: string): string {
  const whole = text.trimEnd();
  return whole.startsWith(OPEN) && whole.endsWith(CLOSE) ? whole.slice(OPEN.length, -CLOSE.length) : text;
}

function shortForm(body: string): CommandOutput {
  let rest = body;
  let isOk = true;
  TAIL.forEach((pattern, index) => {
    const start = rest.lastIndexOf("\n");
    if (start === -1 || !pattern.test(rest.slice(start + 1))) return;
    isOk &&= index < OK_TAIL;
    rest = rest.slice(0, start);
  });
  return { isOk, output: withoutEmpty(rest) };
}

/** Each part begins a line of its own; the last that fits is the client's. */
function longForm(text: string): CommandOutput {
  const exit = text.lastIndexOf("\nExit Code: ");
  const error = exit === -1 ? -1 : text.lastIndexOf("\nError: ", exit);
  const directory = text.indexOf("\nDirectory: ");
  const [, label] = /^\n(Stdout|Output): /.exec(text.slice(text.indexOf("\n", directory + 1))) ?? [];
  const start = text.indexOf("\n", directory + 1) + `\n${label}: `.length;
  if (directory === -1 || label === undefined || error < start) return { isOk: null, output: null };
  const errors = text.lastIndexOf("\nStderr: ", error);
  const end = errors >= start ? errors : error;
  const isQuiet = errors < start || text.slice(errors + "\nStderr: ".length, error).trim() === EMPTY;
  const isOk = /^0(?:\n|$)/.test(text.slice(exit + "\nExit Code: ".length, exit + "\nExit Code: ".length + 2));
  return { isOk, output: isQuiet ? withoutEmpty(text.slice(start, end)) : null };
}

function withoutEmpty(output: string): string {
  return output === EMPTY ? "" : output;
}
