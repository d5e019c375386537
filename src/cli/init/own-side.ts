import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { CONFIG_FILE_NAME } from "../../config/config-file.ts";
import { configFolderOf, dataFolderOf, type Place } from "../../config/folders.ts";
import type { ResolvedConfig } from "../../config/resolved.ts";
import { EbbError } from "../../lib/ebb-error.ts";
import { ownAddressOf } from "../listening-address.ts";

/** What a client is pointed at: the proxy's address, and the command of the tool server. */
export interface OwnSide {
  readonly url: string;
  /** Full paths, so that it works from any folder. */
  readonly command: string;
  readonly args: readonly string[];
}

/** Ebb's side under the configuration in force. Throws `config_invalid` where the port is not known beforehand. */
export function ownSideOf(config: ResolvedConfig, place: Place): OwnSide {
  if (config.port === 0) {
    throw new EbbError(
      "config_invalid",
      "port: expected a port that stays the same, got 0, which takes a free one at each start",
    );
  }
  const program = fileURLToPath(new URL("../../../bin/ebb.mjs", import.meta.url));
  return {
    url: ownAddressOf(config.host, config.port),
    command: process.execPath,
    args: [program, "mcp", ...statedPlaces(config, place)],
  };
}

/** The tool server finds file and folder by itself where they are the user's own. */
function statedPlaces(config: ResolvedConfig, place: Place): readonly string[] {
  const isUsersFile = config.file === null || config.file === join(configFolderOf(place), CONFIG_FILE_NAME);
  const isUsersFolder = config.dataFolder === dataFolderOf(place);
  return [
    ...(isUsersFile || config.file === null ? [] : ["--config", config.file]),
    ...(isUsersFolder ? [] : ["--data-folder", config.dataFolder]),
  ];
}
