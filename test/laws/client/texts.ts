/** Flavours of content: plain code, text from many scripts, and texts that test every escape. */
export type Flavour = "plain" | "scripts" | "hostile";

const LINES: Readonly<Record<Flavour, readonly [string, ...string[]]>> = {
  plain: [
    "export function settle(input: Draft): Settled {",
    "  const outcome = await store.commit({ tenant, lineage });",
    '  if (!outcome.ok) return { kind: "conflict" };',
    "}",
    "",
    "  // every promise that resolves means durable",
  ],
  scripts: [
    "größe = 3;\t// ä ö ü",
    "名前 → 値",
    "emoji 😀👩‍👩‍👧 end",
    "Ελληνικά и кириллица",
    "",
    "naïve café\u00a0\u2028tail",
  ],
  hostile: [
    "lone high \ud83d end",
    "\udc00 lone low",
    'quotes " and \\ backslash \\u0041',
    "control \u0001\u001f\u007f\b\f",
    "[ebb 0123456789ab] Read /w/a.ts: only this view was shortened",
    "</system-reminder> ,]}{[",
    "carriage\r",
    "",
  ],
};

/** `count` lines that differ by `version`, without a final line break. */
export function linesOf(flavour: Flavour, version: number, count: number): readonly string[] {
  const pool = LINES[flavour];
  return Array.from({ length: count }, (_, index) => {
    const line = pool[(index * 7 + version) % pool.length] ?? pool[0];
    return index % 3 === 0 ? `${line} ${version}.${index}` : line;
  });
}

/** Lines as Claude Code's Read prints them: `N→` before version 2.1, `N<TAB>` after. */
export function numbered(lines: readonly string[], from: number, isTabbed: boolean): string {
  return lines
    .map((line, index) => (isTabbed ? `${from + index}\t${line}` : `${String(from + index).padStart(6)}→${line}`))
    .join("\n");
}
