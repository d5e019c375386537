import { fileURLToPath } from "node:url";
import type { ResolvedConfig } from "../../config/resolved.ts";
import type { ToolServer } from "./agent.ts";

const OWN_PROGRAM = fileURLToPath(new URL("../../../bin/ebb.mjs", import.meta.url));

/** `ebb mcp` of this very installation, on the store of a configuration. */
export function toolServerOf({ dataFolder, file }: Pick<ResolvedConfig, "dataFolder" | "file">): ToolServer {
  const args = [OWN_PROGRAM, "mcp", "--data-folder", dataFolder];
  return { command: process.execPath, args: file === null ? args : [...args, "--config", file] };
}
