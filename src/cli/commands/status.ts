import type { Readable } from "node:stream";
import { EbbError } from "../../lib/ebb-error.ts";
import { oneLine } from "../../lib/visible.ts";
import type { CommandSpec, ExitCode, GivenArguments } from "../command.ts";
import { type Io, printLine } from "../io.ts";
import { type StatusKnown, statusLine } from "../status-line.ts";
import { knownStatus } from "../status-source.ts";

/** How long the session's name may take to arrive, in milliseconds, and its largest size, in characters. */
const STDIN_TIMEOUT_MS = 150;
const STDIN_CHARS_MAX = 1_000_000;

/** `ebb status`: one line for a status bar. It never fails: a prompt or a bar stands on it. */
export const statusCommand: CommandSpec = {
  name: "status",
  description: "one line for a status bar: window, released, waiting, net cost; of the conversation used last",
  argument: null,
  flags: [
    { name: "session", value: "id", description: "of this session" },
    { name: "stdin", value: null, description: "of the session_id in JSON on standard input, as Claude Code gives it" },
    { name: "json", value: null, description: "print what is known as JSON" },
  ],
  configured: "stats",
  run: status,
};

async function status(given: GivenArguments, io: Io): Promise<ExitCode> {
  const stated = given.textOf("session");
  try {
    const session = stated ?? (given.isSet("stdin") ? await sessionFrom(process.stdin) : null);
    const known = await knownStatus(session, given.config(), io.place);
    print(known, given.isSet("json"), io);
  } catch (error) {
    const { code, message } = error instanceof EbbError ? error : { code: "unknown reason", message: nameOf(error) };
    if (given.isSet("json")) printLine(io, JSON.stringify({ failure: code, words: message }));
    else printLine(io, `Ebb: ${PROBLEMS[code] ?? oneLine(message)}`);
  }
  return 0;
}

/** Nothing that is wrong in Ebb may break a prompt either. */
function nameOf(error: unknown): string {
  return error instanceof Error ? `no figures (${error.name})` : "no figures";
}

const PROBLEMS: Readonly<Record<string, string>> = {
  config_invalid: "the configuration is refused (ebb doctor)",
};

function print(known: StatusKnown, isJson: boolean, io: Io): void {
  const { mode, ...rest } = known;
  printLine(io, isJson ? JSON.stringify({ running: mode !== null, mode, ...rest }) : statusLine(known));
}

/** Null where no name of a session arrives in time: then the conversation used last is meant. */
export async function sessionFrom(input: Readable): Promise<string | null> {
  let text = "";
  const deadline = setTimeout(() => input.destroy(), STDIN_TIMEOUT_MS);
  try {
    for await (const part of input.setEncoding("utf8")) {
      text += String(part);
      if (text.length > STDIN_CHARS_MAX) return null;
    }
    const value: unknown = JSON.parse(text);
    const id: unknown = typeof value === "object" && value !== null ? Reflect.get(value, "session_id") : null;
    return typeof id === "string" && id !== "" ? id : null;
  } catch {
    // Whatever is no JSON, or not whole, names no session.
    return null;
  } finally {
    clearTimeout(deadline);
  }
}
