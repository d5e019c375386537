import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { TOKEN_FILE_NAME } from "../data-folder.ts";
import { codeOf } from "../failure-code.ts";

/** What the token's file holds, without changing anything. */
export type TokenLook =
  | { readonly kind: "absent" }
  | { readonly kind: "unreadable"; readonly code: string }
  /** Not what Ebb writes there. */
  | { readonly kind: "no token" }
  | { readonly kind: "token"; readonly token: string; readonly mode: number };

/** Reads the token of a data folder; never throws for what the environment does. */
export function lookAtToken(dataFolder: string): TokenLook {
  const file = join(dataFolder, TOKEN_FILE_NAME);
  try {
    const { mode } = statSync(file);
    const token = readFileSync(file, "utf8").trim();
    return /^[A-Za-z0-9_-]{43}$/.test(token) ? { kind: "token", token, mode: mode & 0o777 } : { kind: "no token" };
  } catch (error) {
    const code = codeOf(error);
    return code === "ENOENT" || code === "ENOTDIR" ? { kind: "absent" } : { kind: "unreadable", code };
  }
}
