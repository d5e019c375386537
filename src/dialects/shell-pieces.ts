const ALLOWED_REDIRECT = /^2>(?:\/dev\/null|&1)(?=\s|$)/;
/** Whatever else the shell would act on. */
const FORBIDDEN = new Set("<>(){}`$!*?[]#~;&\n\r");

/**
 * The operators (`&&`, `|`) that join the simple commands of a shell text, in order; null where anything but simple commands and
 * these stands in it. Errors may be sent elsewhere. Quotes are respected; what stands in them is the parser's to judge.
 */
export function operatorsOf(text: string): readonly ("&&" | "|")[] | null {
  const operators: ("&&" | "|")[] = [];
  for (let at = 0; at < text.length; at++) {
    const char = text[at] ?? "";
    if (char === "\\") at++;
    else if (char === "'" || char === '"') {
      at = closingQuote(text, at);
      if (at === -1) return null;
    } else if (char === "2" && isWordStart(text, at) && ALLOWED_REDIRECT.test(text.slice(at))) {
      at += text.startsWith("2>&1", at) ? 3 : "2>/dev/null".length - 1;
    } else if (text.startsWith("&&", at)) {
      operators.push("&&");
      at++;
    } else if (char === "|" && text[at + 1] !== "|" && text[at + 1] !== "&") operators.push("|");
    else if (char === "|" || FORBIDDEN.has(char)) return null;
  }
  return operators;
}

function closingQuote(text: string, open: number): number {
  const quote = text[open] ?? "";
  if (quote === "'") return text.indexOf("'", open + 1);
  for (let at = open + 1; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === quote) return at;
  }
  return -1;
}

function isWordStart(text: string, at: number): boolean {
  return at === 0 || /\s/.test(text[at - 1] ?? "");
}
