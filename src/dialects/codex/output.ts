/** What a tool that ran a process said of it. */
export interface ProcessOutput {
  /** Null: it still runs, or nothing tells. */
  readonly exitCode: number | null;
  readonly isRunning: boolean;
  /** All that it printed; null where it was cut. */
  readonly output: string | null;
}

const SECTIONS =
  /^(?:Command: [\s\S]*?\n)?(?:Chunk ID: \S+\n)?(?:Exit code: (-?\d+)\nWall time: [^\n]*\n|Wall time: [^\n]*\nProcess (?:exited with code (-?\d+)|running with session ID \S+)\n)(?:Total output lines: \d+\n)?(?:Original token count: \d+\n)?Output:\n?/;
const CUT_HEAD = /^(?:Warning: truncated output \(original token count: \d+\)\n)?Total output lines: \d+\n\n/;
const CUT =
  /\u2026\d+ (?:tokens|chars) truncated\u2026|\n\[\.\.\. (?:omitted \d+ of \d+ lines|output truncated)[^\]\n]*\]/;
const TIMED_OUT = /^command timed out after \d+ milliseconds(?:\n|$)/;

/**
 * The parts of a result in the forms of openai/codex (codex-rs/core/src/tools/mod.rs and context.rs): sections before the output,
 * or JSON with the exit code beside it. Null for a text in neither.
 */
export function processOutputOf(text: string): ProcessOutput | null {
  const [sections, exitCode, exitCodeLater] = SECTIONS.exec(text) ?? [];
  if (sections === undefined) return jsonOutputOf(text);
  const code = exitCode ?? exitCodeLater;
  const isCut = /^Total output lines: /m.test(sections);
  const output = text.slice(sections.length);
  return {
    exitCode: code === undefined ? null : Number(code),
    isRunning: code === undefined,
    output: isCut ? null : wholeOf(output),
  };
}

function jsonOutputOf(text: string): ProcessOutput | null {
  if (!text.startsWith("{")) return null;
  const value = parsed(text);
  if (!isRecord(value) || typeof value.output !== "string") return null;
  const exitCode = isRecord(value.metadata) ? value.metadata.exit_code : null;
  return {
    exitCode: typeof exitCode === "number" ? exitCode : null,
    isRunning: false,
    output: wholeOf(value.output),
  };
}

function wholeOf(output: string): string | null {
  return CUT_HEAD.test(output) || CUT.test(output) || TIMED_OUT.test(output) ? null : output;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
