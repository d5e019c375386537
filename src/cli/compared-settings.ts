import { absolutePath, type Place } from "../config/folders.ts";
import { nearestName } from "../config/nearest-name.ts";
import { resolveFrom } from "../config/resolve.ts";
import type { Configuration } from "../replay/comparison.ts";
import { UsageError } from "./command.ts";
import type { Io } from "./io.ts";
import { replaySettingsOf } from "./replay-settings.ts";

/** Configurations that need no file, by what they state. */
const NAMED: Readonly<Record<string, ReadonlyMap<string, string>>> = {
  none: new Map(),
  seed: new Map([["pipeline", "readlifecycle"]]),
  standard: new Map([["preset", "standard"]]),
  tidy: new Map([["preset", "tidy"]]),
};
const EXPECTED = `${Object.keys(NAMED).join(", ")}, or a file that ends in .yaml or .yml`;

/**
 * The configurations that `--compare` lists, each by itself: environment, flags and the user's own file do not count.
 * Throws `UsageError` for a name of none, and `config_invalid` for a file that cannot be meant.
 */
export function comparedConfigurations(list: string, io: Io): readonly Configuration[] {
  const names = list.split(",").map((name) => name.trim());
  const place = withoutOptions(io.place);
  return names.map((name, index) => {
    if (names.indexOf(name) < index) throw new UsageError(`--compare: ${JSON.stringify(name)} is stated twice`);
    return { name, settings: settingsOf(name, place, io) };
  });
}

function settingsOf(name: string, place: Place, io: Io): Configuration["settings"] {
  const isFile = /\.ya?ml$/i.test(name);
  const stated = Object.hasOwn(NAMED, name) ? NAMED[name] : undefined;
  if (stated === undefined && !isFile) throw unknownName(name);
  const file = stated === undefined ? absolutePath(name, place.cwd, place) : null;
  const settings = replaySettingsOf(resolveFrom(file, stated ?? new Map(), place), io);
  return name === "none" ? { ...settings, keeper: { ...settings.keeper, mode: "off" } } : settings;
}

function unknownName(name: string): UsageError {
  const meant = nearestName(name, Object.keys(NAMED));
  const question = meant === null || name === "" ? "" : `, did you mean ${meant}?`;
  return new UsageError(`--compare: expected ${EXPECTED}, got ${JSON.stringify(name)}${question}`);
}

function withoutOptions(place: Place): Place {
  const env = Object.fromEntries(Object.entries(place.env).filter(([name]) => !name.startsWith("EBB_")));
  return { ...place, env };
}
