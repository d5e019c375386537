const PREFIX = /^OBSERVATION:\r?\n/;
const FOOTER = /(?:\r?\n)?(?:\(Open file: [^\n]*\)\r?\n)?\(Current directory: ([^\n]*)\)\r?\nbash-\$\s*$/;
const SILENT = "Your command ran successfully and did not produce any output.";
const ELIDED = /characters were elided|<response clipped>/;

/** The text of an observation without what the template puts around it. */
export function observedText(text: string): string {
  return text.replace(PREFIX, "").replace(FOOTER, "");
}

/** The directory that the shell stands in behind an observation; null where it does not say. */
export function directoryBehind(text: string): string | null {
  return FOOTER.exec(text)?.[1]?.trim() ?? null;
}

/** All that a command printed; null where some of it was left out. */
export function printedOutput(text: string): string | null {
  const observed = observedText(text);
  if (ELIDED.test(observed)) return null;
  return observed.startsWith(SILENT) ? "" : observed;
}
