import { readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import type { Check } from "../check.ts";
import { type Finding, ok, warn } from "../finding.ts";
import { findProgram } from "../program-search.ts";
import { quoted } from "../quoted.ts";

/** Whether the command that markers name can be run by an agent's shell. */
export const programCheck: Check = {
  area: "installation",
  name: "recall command",
  deadlineMs: 500,
  async run({ config, place, version, packageFolder }) {
    const [program = ""] = config.recallCommand.trim().split(/\s+/);
    const file = findProgram(program, place);
    const seen = { file, version: file === null ? null : versionOf(file) };
    return [judgeProgram({ ...seen, command: config.recallCommand, own: version, packageFolder })];
  },
};

/** What was found of the program that a command begins with. */
export interface ProgramSeen {
  readonly command: string;
  /** Null: on no path. */
  readonly file: string | null;
  /** Null: it is not an Ebb, or does not tell. */
  readonly version: string | null;
  /** The version that looks. */
  readonly own: string;
  readonly packageFolder: string;
}

/** What to think of the program. */
export function judgeProgram({ command, file, version, own, packageFolder }: ProgramSeen): Finding {
  const [program = ""] = command.trim().split(/\s+/);
  if (file === null) {
    return warn("installation", "recall command", {
      words: `markers name \`${command}\` as the way back, and there is no program \`${program}\` on the path`,
      fix: `(cd ${quoted(packageFolder)} && npm link), or state another command with recall_command`,
    });
  }
  if (version !== null && version !== own) {
    return warn("installation", "recall command", {
      words: `\`${command}\` runs another version, ${version}, at ${file}`,
      fix: `(cd ${quoted(packageFolder)} && npm link) puts this one there, or state another command with recall_command`,
    });
  }
  return ok("installation", "recall command", `\`${command}\` runs ${file}`);
}

const packageSchema = z.object({ name: z.literal("ebb"), version: z.string() });

/** Version of the package whose `bin` folder holds the program. */
function versionOf(file: string): string | null {
  try {
    const text = readFileSync(join(dirname(realpathSync(file)), "..", "package.json"), "utf8");
    return packageSchema.safeParse(JSON.parse(text)).data?.version ?? null;
  } catch {
    return null;
  }
}
