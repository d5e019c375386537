import { amountWords } from "../figures.ts";
import { AREAS, type Finding } from "./finding.ts";

const NAME_COLUMNS = 14;
const INDENT = 2 + "warn".length + 2 + NAME_COLUMNS + 2;

/** Findings for a person: by area, what is fine in one line, what is not with its fix below. */
export function findingLines(findings: readonly Finding[], version: string): readonly string[] {
  const sections = AREAS.flatMap((area) => {
    const own = findings.filter((finding) => finding.area === area);
    return own.length === 0 ? [] : ["", area, ...own.flatMap(linesOf)];
  });
  return [`Ebb ${version} looks at this machine.`, ...sections, "", conclusionOf(findings)];
}

function linesOf({ state, name, words, fix }: Finding): readonly string[] {
  const head = `  ${state.padEnd(4)}  ${name.padEnd(NAME_COLUMNS)}  `;
  return [`${head}${words}`, ...(fix === null ? [] : [`${" ".repeat(INDENT)}fix: ${fix}`])];
}

function conclusionOf(findings: readonly Finding[]): string {
  const count = findings.filter(({ state }) => state !== "ok").length;
  if (count === 0) return "All is well.";
  return `${amountWords(count, "finding")} ${count === 1 ? "needs" : "need"} attention.`;
}
