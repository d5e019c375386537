import type { StatsFs } from "node:fs";
import { statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { codeOf } from "../../failure-code.ts";
import { byteWords } from "../../figures.ts";
import type { Check } from "../check.ts";
import { type Finding, ok, warn } from "../finding.ts";

const AREA = "data folder";
/** Below this the store may fail at any moment. */
const FREE_BYTES_MIN = 256 * 1024 * 1024;

/** Types of network file systems as Linux numbers them. */
const NETWORK_TYPES: Readonly<Record<number, string>> = {
  26985: "NFS",
  20859: "SMB",
  4283649346: "CIFS",
  4266872130: "SMB",
  16914839: "9P",
  12805120: "Ceph",
  1397113167: "AFS",
};

/** The disk that the data folder lies on. */
export const diskCheck: Check = {
  area: AREA,
  name: "disk",
  deadlineMs: 1_000,
  async run({ config, place }) {
    const found = await nearestDisk(config.dataFolder);
    if (found === null) return [];
    const freeBytes = found.bavail * found.bsize;
    const network = place.platform === "linux" ? (NETWORK_TYPES[found.type] ?? null) : null;
    return [judgeDisk({ folder: config.dataFolder, freeBytes, network })];
  },
};

/** What was seen of a disk. */
export interface DiskSeen {
  readonly folder: string;
  readonly freeBytes: number;
  /** Name of a network file system; null for any other. */
  readonly network: string | null;
}

/** What to think of the disk. */
export function judgeDisk({ folder, freeBytes, network }: DiskSeen): Finding {
  if (network !== null) {
    return warn(AREA, "disk", {
      words: `${folder} lies on a network file system (${network}), where SQLite's locks cannot be relied on`,
      fix: "state a folder on a disk of this machine with --data-folder or data_folder",
    });
  }
  if (freeBytes < FREE_BYTES_MIN) {
    return warn(AREA, "disk", {
      words: `${byteWords(freeBytes)} free: when it is full nothing new is released`,
      fix: "make room, or `ebb purge --older-than 7`",
    });
  }
  return ok(AREA, "disk", `${byteWords(freeBytes)} free`);
}

async function nearestDisk(folder: string): Promise<StatsFs | null> {
  for (let path = folder; ; path = dirname(path)) {
    try {
      return await statfs(path);
    } catch (error) {
      const isGone = ["ENOENT", "ENOTDIR"].includes(codeOf(error));
      if (!isGone || path === dirname(path)) return null;
    }
  }
}
