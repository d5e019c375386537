import { hasOpenFigures, ownAddressOf } from "../listening-address.ts";
import { readLocks } from "./proxy-lock.ts";

/** Addresses of the proxies that `ebb run` has going on a data folder, the newest first; only those that tell their figures. */
export function addressesOfRuns(dataFolder: string): readonly string[] {
  return readLocks(dataFolder)
    .filter(({ owner, host }) => owner === "run" && hasOpenFigures(host))
    .map(({ host, port }) => ownAddressOf(host, port));
}
