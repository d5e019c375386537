const CHARS_MAX = 60;
const SECRET_CHARS_MIN = 20;

/** A value for an error message, one line and short; whatever may be a secret is named, never shown. */
export function printable(value: unknown): string {
  if (value === null || value === undefined) return "nothing";
  if (typeof value === "string") return printableText(value);
  if (typeof value !== "object") return String(value);
  const line = Array.isArray(value) ? printableList(value) : printableMap(Object.entries(value));
  if (line.length <= CHARS_MAX) return line;
  return Array.isArray(value) ? `a list of ${value.length}` : `a map of ${Object.keys(value).length}`;
}

function printableList(values: readonly unknown[]): string {
  return `[${values.map(printable).join(", ")}]`;
}

function printableMap(entries: readonly (readonly [string, unknown])[]): string {
  if (entries.length === 0) return "an empty map";
  return `{ ${entries.map(([name, value]) => `${name}: ${printable(value)}`).join(", ")} }`;
}

function printableText(given: string): string {
  if (isSecretLike(given)) return "a text that may hold a secret (not shown)";
  const line = JSON.stringify(given);
  return line.length <= CHARS_MAX ? line : `${line.slice(0, CHARS_MAX)}…"`;
}

function isSecretLike(given: string): boolean {
  if (/\b(sk|pk|ghp|gho|xox[abp]|AKIA|eyJ)[-_A-Za-z0-9]{8,}/.test(given)) return true;
  if (/:[^\s/@]*@|:\/\/[^/]*@|[?&#][^=]*=|bearer |-----BEGIN/i.test(given)) return true;
  const words = given.split(/[\s/\\:.,]+/);
  return words.some((word) => word.length >= SECRET_CHARS_MIN && /\d/.test(word) && /[A-Za-z]/.test(word));
}
