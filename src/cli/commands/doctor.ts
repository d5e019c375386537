import type { CommandSpec, ExitCode, GivenArguments } from "../command.ts";
import { CHECKS } from "../doctor/checks.ts";
import { examine } from "../doctor/examine.ts";
import { exitCodeOf } from "../doctor/finding.ts";
import { findingLines } from "../doctor/finding-lines.ts";
import { createPremises, thisMachine } from "../doctor/premises.ts";
import { type Io, printLine } from "../io.ts";

/** `ebb doctor`: looks at everything that can be wrong and says how to fix it. */
export const doctorCommand: CommandSpec = {
  name: "doctor",
  description:
    "look at installation, store, proxy and agents, and try out a release; exit 1: something needs attention, 2: Ebb cannot work",
  argument: null,
  flags: [{ name: "json", value: null, description: "the findings as JSON" }],
  configured: "doctor",
  run: runDoctor,
};

async function runDoctor(given: GivenArguments, io: Io): Promise<ExitCode> {
  const premises = createPremises(io.place, () => given.config(), thisMachine());
  const findings = await examine(CHECKS, premises);
  const exit = exitCodeOf(findings);
  const { version } = premises;
  if (given.isSet("json")) printLine(io, JSON.stringify({ version, exit, findings }, null, 2));
  else for (const line of findingLines(findings, version)) printLine(io, line);
  return exit;
}
