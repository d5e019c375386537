import { existsSync } from "node:fs";
import { join, resolve } from "node:path";

/**
 * Folder of recorded sessions that are not part of this repository (other people's data under their own licences), or
 * null where it is absent. Tests that need it are skipped, and the runner counts and names them.
 */
export const recordedSessions: string | null = findRecordedSessions();

function findRecordedSessions(): string | null {
  const folder = process.env.EBB_TEST_SESSIONS ?? resolve(import.meta.dirname, "../../../shared/fixtures");
  return existsSync(join(folder, "sessions")) ? folder : null;
}
