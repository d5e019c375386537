/** The edit calls of a conversation, applied to a text by a few lines that share nothing with Ebb. */
export interface EditCall {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** The file after the calls; null where a call does not fit, as a real tool would have refused it. */
export function replayCalls(before: string | null, calls: readonly EditCall[]): string | null {
  let text = before;
  for (const { tool, input } of calls) {
    if (tool === "Write") text = String(input.content);
    else for (const edit of tool === "MultiEdit" ? listOf(input.edits) : [input]) text = replayEdit(text, edit);
  }
  return text;
}

function replayEdit(text: string | null, edit: Readonly<Record<string, unknown>>): string | null {
  const from = String(edit.old_string);
  const to = String(edit.new_string);
  if (from === "") return to;
  const pieces = text === null ? [] : text.split(from);
  const isFit = edit.replace_all === true ? pieces.length >= 2 : pieces.length === 2;
  return isFit ? pieces.join(to) : null;
}

function listOf(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value : [];
}

/** A text with a unified diff's hunks applied; throws where a hunk's lines do not stand where it says. */
export function applyHunks(
  before: string,
  hunks: readonly {
    readonly before: { readonly start: number; readonly count: number };
    readonly lines: readonly string[];
  }[],
): string {
  const source = before.split(/(?<=\n)/);
  const out: string[] = [];
  let at = 0;
  for (const { before: side, lines } of hunks) {
    const start = side.count === 0 ? side.start : side.start - 1;
    while (at < start) out.push(source[at++] ?? fail("a hunk begins behind the end"));
    lines.forEach((line, index) => {
      const isOpen = lines[index + 1]?.startsWith("\\") === true;
      const body = line.slice(1) + (isOpen ? "" : "\n");
      if (line.startsWith("\\")) return;
      if (!line.startsWith("+") && source[at++] !== body)
        fail(`line ${at} is ${source[at - 1]}, the hunk says ${body}`);
      if (!line.startsWith("-")) out.push(body);
    });
  }
  return [...out, ...source.slice(at)].join("");
}

function fail(words: string): never {
  throw new Error(words);
}
