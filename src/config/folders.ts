import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";

/** Where a process runs: what look-ups of folders depend on. */
export interface Place {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute working directory. */
  readonly cwd: string;
  readonly home: string;
  readonly platform: NodeJS.Platform;
}

/** The place of this process. */
export function currentPlace(): Place {
  return { env: process.env, cwd: process.cwd(), home: homedir(), platform: process.platform };
}

/** The user's data folder of Ebb: XDG where set, else the platform's. */
export function dataFolderOf(place: Place): string {
  return userFolder(place, "XDG_DATA_HOME", { windows: "LOCALAPPDATA", other: ".local/share" });
}

/** The user's configuration folder of Ebb: XDG where set, else the platform's. */
export function configFolderOf(place: Place): string {
  return userFolder(place, "XDG_CONFIG_HOME", { windows: "APPDATA", other: ".config" });
}

/** `given` as an absolute path: `~/` is the home folder, a relative path counts from `base`. */
export function absolutePath(given: string, base: string, place: Place): string {
  if (given === "~" || given.startsWith("~/")) return join(place.home, given.slice(1));
  return resolve(base, given);
}

function userFolder(
  place: Place,
  xdgName: string,
  names: { readonly windows: string; readonly other: string },
): string {
  const xdg = place.env[xdgName];
  if (xdg !== undefined && isAbsolute(xdg)) return join(xdg, "ebb");
  if (place.platform === "darwin") return join(place.home, "Library", "Application Support", "ebb");
  const windows = place.env[names.windows];
  if (place.platform === "win32" && windows !== undefined) return join(windows, "ebb");
  return join(place.home, names.other, "ebb");
}
