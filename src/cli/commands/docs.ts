import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { CommandSpec, ExitCode, GivenArguments } from "../command.ts";
import { type Io, printLine } from "../io.ts";
import { referencePages } from "../reference.ts";

/** `ebb docs`: writes the generated reference of `commands`, or says whether it is stale. */
export function createDocsCommand(commands: () => readonly CommandSpec[]): CommandSpec {
  return {
    name: "docs",
    description: "write the reference of options, commands and models",
    argument: null,
    flags: [
      { name: "folder", value: "folder", description: "where the pages go (default: docs/reference)" },
      { name: "check", value: null, description: "write nothing; fail where a page is stale" },
    ],
    configured: null,
    run: async (given, io) => writeReference(commands(), given, io),
  };
}

function writeReference(commands: readonly CommandSpec[], given: GivenArguments, io: Io): ExitCode {
  const folder = resolve(io.place.cwd, given.textOf("folder") ?? "docs/reference");
  const stale = referencePages(commands).filter(({ fileName, text }) => {
    const file = join(folder, fileName);
    return !existsSync(file) || readFileSync(file, "utf8") !== text;
  });
  if (given.isSet("check")) {
    for (const page of stale) io.err(`ebb: ${join(folder, page.fileName)} is stale; run: ebb docs\n`);
    return stale.length === 0 ? 0 : 1;
  }
  mkdirSync(folder, { recursive: true });
  for (const page of stale) {
    writeFileSync(join(folder, page.fileName), page.text);
    printLine(io, join(folder, page.fileName));
  }
  return 0;
}
