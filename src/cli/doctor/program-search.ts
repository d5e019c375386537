import { accessSync, constants, statSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import type { Place } from "../../config/folders.ts";

/** Path of a program as a shell would find it in this place; null where it is on no path. */
export function findProgram(name: string, place: Place): string | null {
  if (name.includes("/") || isAbsolute(name)) return firstRunnable([resolve(place.cwd, name)]);
  const separator = place.platform === "win32" ? ";" : ":";
  const folders = (place.env.PATH ?? "").split(separator).filter((folder) => folder !== "");
  const endings = place.platform === "win32" ? ["", ".exe", ".cmd", ".bat"] : [""];
  return firstRunnable(
    folders.flatMap((folder) => endings.map((ending) => resolve(place.cwd, join(folder, name + ending)))),
  );
}

function firstRunnable(files: readonly string[]): string | null {
  return files.find(isRunnable) ?? null;
}

function isRunnable(file: string): boolean {
  try {
    if (!statSync(file).isFile()) return false;
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
