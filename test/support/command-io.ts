import type { Io } from "../../src/cli/io.ts";
import { main } from "../../src/cli/main.ts";

/** What a command ended with and said. */
export interface CommandEnd {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs one command line in this process, with `folder` as home and working directory, and nobody at the terminal. */
export async function runIn(
  folder: string,
  argv: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<CommandEnd> {
  let [out, err] = ["", ""];
  const io: Io = {
    out: (chunk) => {
      out += Buffer.from(chunk).toString();
    },
    err: (text) => {
      err += text;
    },
    place: { env, cwd: folder, home: folder, platform: "linux" },
    isInteractive: false,
    progress: process.stderr,
    ask: async () => "",
    untilStopped: async () => {},
  };
  return { code: await main(argv, io), out, err };
}
