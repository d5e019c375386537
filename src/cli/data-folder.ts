import { randomBytes } from "node:crypto";
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { EbbError } from "../lib/ebb-error.ts";

/** Name of the store's file in the data folder. */
export const STORE_FILE_NAME = "ebb.sqlite";

/** Name of the token file in the data folder. */
export const TOKEN_FILE_NAME = "token";

const TOKEN_BYTES = 32;
const OTHERS_BITS = 0o077;

/**
 * Makes the data folder usable by its user alone (0700); of a link, what it leads to counts. A folder that others can enter and that holds other things is
 * refused, never changed.
 */
export function ensureDataFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (process.platform === "win32" || (statSync(folder).mode & OTHERS_BITS) === 0) return;
    if (!isOurs(folder)) {
      throw new EbbError(
        "store_unwritable",
        `${folder}: other users can enter this folder; choose an empty one, or one that only you can enter (mode 0700)`,
      );
    }
    chmodSync(folder, 0o700);
  } catch (cause) {
    if (cause instanceof EbbError) throw cause;
    throw new EbbError("store_unwritable", `${folder}: the data folder cannot be used (${reasonOf(cause)})`, cause);
  }
}

/** The token that opens the proxy's private paths; made once, in a file that only the user can read. */
export function ensureToken(folder: string): string {
  const known = readToken(folder);
  if (known !== null) return known;
  const file = join(folder, TOKEN_FILE_NAME);
  const draft = join(folder, `.${TOKEN_FILE_NAME}-${randomBytes(6).toString("hex")}`);
  try {
    writeFileSync(draft, `${randomBytes(TOKEN_BYTES).toString("base64url")}\n`, { mode: 0o600, flag: "wx" });
    try {
      linkSync(draft, file);
    } catch (error) {
      if (!isAlreadyThere(error)) throw error;
    } finally {
      unlinkSync(draft);
    }
  } catch (cause) {
    throw new EbbError("store_unwritable", `${file}: the token cannot be written (${reasonOf(cause)})`, cause);
  }
  const made = readToken(folder);
  if (made === null)
    throw new EbbError("store_unwritable", `${file}: this is not a token; remove the file and start again`);
  return made;
}

/** The token, or null where no proxy ever made one. Takes other users' access away where there is any. */
export function readToken(folder: string): string | null {
  const file = join(folder, TOKEN_FILE_NAME);
  if (!existsSync(file)) return null;
  try {
    const token = readFileSync(file, "utf8").trim();
    if (process.platform !== "win32" && (statSync(file).mode & OTHERS_BITS) !== 0) chmodSync(file, 0o600);
    return /^[A-Za-z0-9_-]{43}$/.test(token) ? token : null;
  } catch (cause) {
    throw new EbbError("store_unwritable", `${file}: the token cannot be read (${reasonOf(cause)})`, cause);
  }
}

function isOurs(folder: string): boolean {
  const names = readdirSync(folder);
  return names.length === 0 || names.includes(TOKEN_FILE_NAME) || names.includes(STORE_FILE_NAME);
}

function isAlreadyThere(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EEXIST";
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error && "code" in cause ? String(cause.code) : "unknown reason";
}
