import { type DriverLook, lookAtDriver } from "../../../stores/sqlite-look.ts";
import type { Check } from "../check.ts";
import { type Finding, fail, ok } from "../finding.ts";
import { quoted } from "../quoted.ts";

const NAME = "better-sqlite3";
const BUILT_FOR = /NODE_MODULE_VERSION (\d+)[\s\S]*?NODE_MODULE_VERSION (\d+)/;

/** Whether the store's driver loads in this Node. */
export const driverCheck: Check = {
  area: "installation",
  name: NAME,
  deadlineMs: 2_000,
  run: async ({ machine, packageFolder }) => [judgeDriver(lookAtDriver(machine.addon), packageFolder)],
};

/** What to think of what loading the driver came to. */
export function judgeDriver(look: DriverLook, packageFolder: string): Finding {
  if (look.ok) return ok("installation", NAME, `loads, with SQLite ${look.sqlite}`);
  const fix = `(cd ${quoted(packageFolder)} && npm rebuild better-sqlite3)`;
  const [, built, wanted] = BUILT_FOR.exec(look.words) ?? [];
  if (built !== undefined) {
    const words = `was built for another Node (its module version is ${built}, this Node wants ${wanted})`;
    return fail("installation", NAME, { words, fix });
  }
  const isMissing = look.words.includes("bindings file") || look.words.includes("Cannot find module");
  const words = isMissing ? "was never built here" : `does not load: ${look.words.split("\n")[0]}`;
  return fail("installation", NAME, { words, fix });
}
