import type { Check, Machine } from "../check.ts";
import { type Finding, fail, ok } from "../finding.ts";

/** The oldest Node that Ebb works on; `package.json` and `bin/ebb.mjs` state the same. */
export const NODE_OLDEST = [20, 19] as const;

/** Ebb itself, and the Node it runs on. */
export const nodeVersionCheck: Check = {
  area: "installation",
  name: "Node",
  deadlineMs: 500,
  run: async ({ machine, place, version, packageFolder }) => [
    ok("installation", "Ebb", `${version} in ${packageFolder}`),
    judgeNode(machine, place.platform),
  ],
};

/** What to think of a version of Node. */
export function judgeNode(
  { nodeVersion, architecture }: Pick<Machine, "nodeVersion" | "architecture">,
  platform: string,
): Finding {
  const [major = 0, minor = 0] = nodeVersion.split(".").map(Number);
  const [oldestMajor, oldestMinor] = NODE_OLDEST;
  const isOld = major < oldestMajor || (major === oldestMajor && minor < oldestMinor);
  if (!isOld) return ok("installation", "Node", `${nodeVersion} on ${platform} ${architecture}`);
  return fail("installation", "Node", {
    words: `${nodeVersion} is too old: Ebb needs ${oldestMajor}.${oldestMinor} or newer`,
    fix: "install a newer Node from https://nodejs.org or with your version manager, then `npm rebuild better-sqlite3`",
  });
}
