import { join } from "node:path";
import { EbbError } from "../../../lib/ebb-error.ts";
import { TOKEN_FILE_NAME } from "../../data-folder.ts";
import { pausedSince } from "../../pause-file.ts";
import type { Check } from "../check.ts";
import { type Finding, fail, ok, warn } from "../finding.ts";
import { quoted } from "../quoted.ts";
import { lookAtToken, type TokenLook } from "../token-look.ts";

const AREA = "data folder";

/** The token that opens a proxy's private paths, and a pause that stands. */
export const tokenCheck: Check = {
  area: AREA,
  name: "token",
  deadlineMs: 500,
  async run({ config, place }) {
    const file = join(config.dataFolder, TOKEN_FILE_NAME);
    const hasModes = place.platform !== "win32";
    return [judgeToken(lookAtToken(config.dataFolder), file, hasModes), ...pauseFindings(config.dataFolder)];
  },
};

/** What to think of the token's file. Never shows what is in it. */
export function judgeToken(look: TokenLook, file: string, hasModes: boolean): Finding {
  switch (look.kind) {
    case "absent":
      return ok(AREA, "token", "none yet: it is made at the first start");
    case "unreadable":
      return fail(AREA, "token", { words: `${file} cannot be read (${look.code})`, fix: `chmod 600 ${quoted(file)}` });
    case "no token":
      return fail(AREA, "token", {
        words: `${file} holds no token`,
        fix: `rm ${quoted(file)}, and start the proxy again`,
      });
    case "token":
      if (!hasModes || (look.mode & 0o077) === 0) return ok(AREA, "token", "yours alone");
      return warn(AREA, "token", {
        words: `other users can read ${file}`,
        fix: `chmod 600 ${quoted(file)}; rm it instead and start the proxy again if someone else may have read it`,
      });
  }
}

function pauseFindings(dataFolder: string): readonly Finding[] {
  const sinceMs = pauseOf(dataFolder);
  if (sinceMs === null) return [];
  const words = `Ebb is paused since ${new Date(sinceMs).toISOString()}: nothing new leaves`;
  return [warn(AREA, "pause", { words, fix: "`ebb resume`" })];
}

/** A folder that cannot be read is told of by its own check. */
function pauseOf(dataFolder: string): number | null {
  try {
    return pausedSince(dataFolder);
  } catch (error) {
    if (error instanceof EbbError) return null;
    throw error;
  }
}
