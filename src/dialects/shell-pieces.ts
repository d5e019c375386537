/** A simple command as it stands in a shell text, and what joins it to the one before; null for the first. */
export interface ShellPiece {
  readonly text: string;
  readonly operator: "&&" | "|" | null;
}

const ALLOWED_REDIRECT = /^2>(?:\/dev\/null|&1)(?=\s|$)/;
/** Whatever else the shell would act on. */
const FORBIDDEN = new Set("<>(){}`$!*?[]#~;&|\n\r");

/**
 * The simple commands of a shell text, joined by `&&` and `|`; null where anything but simple commands and these stands in it.
 * Errors may be sent elsewhere. Quotes are respected; what stands in them is the parser's to judge.
 */
export function piecesOf(text: string): readonly ShellPiece[] | null {
  const pieces: ShellPiece[] = [];
  let operator: ShellPiece["operator"] = null;
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    const next = skipped(text, at);
    if (next === null) return null;
    const joined = operatorAt(text, at);
    if (joined !== null && next === at) {
      pieces.push({ text: text.slice(start, at).trim(), operator });
      operator = joined;
      at += joined.length - 1;
      start = at + 1;
    } else if (next === at && FORBIDDEN.has(text[at] ?? "")) return null;
    else at = next;
  }
  return [...pieces, { text: text.slice(start).trim(), operator }];
}

/** The last character of what begins at `at` and means nothing to the shell; null for a quote that does not end. */
function skipped(text: string, at: number): number | null {
  const char = text[at];
  if (char === "\\") return at + 1;
  if (char === "'" || char === '"') return closingQuote(text, at);
  const [redirect = ""] = isWordStart(text, at) ? (ALLOWED_REDIRECT.exec(text.slice(at)) ?? []) : [];
  return redirect === "" ? at : at + redirect.length - 1;
}

function operatorAt(text: string, at: number): ShellPiece["operator"] {
  if (text.startsWith("&&", at)) return "&&";
  return text[at] === "|" && text[at + 1] !== "|" && text[at + 1] !== "&" && text[at - 1] !== "|" ? "|" : null;
}

function closingQuote(text: string, open: number): number | null {
  const quote = text[open] ?? "";
  for (let at = open + 1; at < text.length; at++) {
    if (text[at] === "\\" && quote === '"') at++;
    else if (text[at] === quote) return at;
  }
  return null;
}

function isWordStart(text: string, at: number): boolean {
  return at === 0 || /\s/.test(text[at - 1] ?? "");
}
