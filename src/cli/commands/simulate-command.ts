import { type CommandSpec, type ExitCode, type GivenArguments, UsageError } from "../command.ts";
import { type Io, printLine } from "../io.ts";
import { simulate } from "./simulate.ts";

const PORT_DEFAULT = 4142;

/** `ebb simulate`: a provider without a model, for trying agents and the proxy with no key and no network. */
export const simulateCommand: CommandSpec = {
  name: "simulate",
  description: "serve a simulated provider with scripted answers and a prompt cache; no key, no network",
  argument: null,
  flags: [
    { name: "port", value: "port", description: `port to listen on, 0 for a free one (default: ${PORT_DEFAULT})` },
    { name: "scenario", value: "file", description: "JSON file of scripted answers" },
    { name: "capture", value: "folder", description: "write every request into this folder" },
    { name: "skip-signatures", value: null, description: "do not check what thinking blocks were signed over" },
  ],
  configured: null,
  run: runSimulate,
};

async function runSimulate(given: GivenArguments, io: Io): Promise<ExitCode> {
  const provider = await simulate({
    port: portOf(given.textOf("port")),
    scenario: given.textOf("scenario"),
    captureFolder: given.textOf("capture"),
    signatures: !given.isSet("skip-signatures"),
  });
  printLine(io, `A simulated provider listens on ${provider.url}`);
  printLine(io, `  ebb proxy --upstream ${provider.url}`);
  printLine(io, "Stop with Ctrl-C.");
  await io.untilStopped();
  await provider.close();
  return 0;
}

function portOf(text: string | null): number {
  if (text === null) return PORT_DEFAULT;
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new UsageError(`--port: expected a whole number from 0 to 65535, got ${JSON.stringify(text)}`);
}
