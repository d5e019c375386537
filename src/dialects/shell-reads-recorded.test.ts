import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { callsOf } from "../../test/support/recorded-calls.ts";
import { recordedSessions } from "../../test/support/shared.ts";
import { createShellParser } from "../keeper/shell-parser.ts";
import { resolvePath } from "../lib/paths.ts";
import type { Acquisition } from "../model/acquisition.ts";
import { processOutputOf } from "./codex/output.ts";
import { createCodexDialect } from "./codex.ts";

const dialect = createCodexDialect();
const shell = createShellParser();

/** Commands that certainly leave every file of the project as it was. */
const HARMLESS = /^(?:git (?:status|diff|log|show|branch|rev-parse|rev-list|merge-base)\b|gh |rg |ls\b|pwd\b)/;

interface Step extends Acquisition {
  readonly output: string;
}

function stepsOf(name: string): readonly Step[] {
  const text = readFileSync(join(recordedSessions ?? "", "sessions/codex", name), "utf8");
  const lines = text.split("\n").flatMap((line) => (line.trim() === "" ? [] : [JSON.parse(line)]));
  return callsOf(lines).map(({ call, result, text: answer }) => ({
    ...dialect.acquire(call, result, answer, shell),
    output: processOutputOf(answer)?.output ?? "",
  }));
}

/** Lines as two reads of the same unchanged file printed them; every line of the later read that the earlier had. */
function comparedLines(steps: readonly Step[]): readonly { readonly isEqual: boolean; readonly where: string }[] {
  const known = new Map<string, Map<number, string>>();
  const compared: { isEqual: boolean; where: string }[] = [];
  for (const step of steps) {
    for (const { path } of step.changes) known.delete(resolvePath(path, step.workingDirectory));
    if (step.isShellRead && step.path !== null && step.printed !== null) {
      const path = resolvePath(step.path, step.workingDirectory);
      const lines = known.get(path) ?? new Map<number, string>();
      known.set(path, lines);
      linesOf(step).forEach((line, index) => {
        const number = (step.printed?.start ?? 1) + index;
        const before = lines.get(number);
        if (before !== undefined) compared.push({ isEqual: before === line, where: `${path}:${number}` });
        lines.set(number, line);
      });
    } else if (step.kind === "run" && !HARMLESS.test(step.command ?? "")) known.clear();
  }
  return compared;
}

/** Without the numbers that a program put before them. */
function linesOf({ output, command }: Step): readonly string[] {
  const lines = output === "" ? [] : output.replace(/\n$/, "").split("\n");
  return /^nl -ba /.test(command ?? "") ? lines.map((line) => line.replace(/^ *\d+\t/, "")) : lines;
}

describe.skipIf(recordedSessions === null)("shell reads of recorded Codex sessions", () => {
  const names = recordedSessions === null ? [] : readdirSync(join(recordedSessions, "sessions/codex"));
  const sessions = names.map(stepsOf);
  const reads = sessions.flat().filter(({ isShellRead }) => isShellRead);

  test("are found, nearly all with the lines they printed", () => {
    expect(reads.length).toBeGreaterThan(50);
    expect(reads.filter(({ printed }) => printed !== null).length).toBeGreaterThan(50);
  });

  test("print as many lines as they claim", () => {
    const wrong = reads.filter(
      (read) => read.printed !== null && linesOf(read).length !== read.printed.end - read.printed.start + 1,
    );
    expect(wrong).toEqual([]);
  });

  test("agree line by line where two print the same lines of a file that nothing changed between", () => {
    const compared = sessions.flatMap(comparedLines);
    expect(compared.length).toBeGreaterThan(100);
    expect(compared.filter(({ isEqual }) => !isEqual)).toEqual([]);
  });

  test("are no results that were cut, that failed, or that tell of an error", () => {
    const told = /truncated\u2026|omitted \d+ of|^(?:sed|cat|nl|rg|head|zsh|bash): /m;
    expect(
      reads.filter(({ output, outcome }) => outcome !== "ok" || told.test(output)).map(({ command }) => command),
    ).toEqual([]);
  });
});
