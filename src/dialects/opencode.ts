import type { Dialect } from "../model/ports.ts";
import type { RequestHeader } from "../model/transcript.ts";
import { acquire } from "./opencode/acquire.ts";
import { changeText } from "./opencode/change-text.ts";
import { isFold, isGenuineUser, workingDirectoryOf } from "./opencode/texts.ts";

/** Beside these every agent of it has a tool for editing, whose name depends on the model. */
const OWN_TOOLS = ["read", "bash", "glob", "grep"];
const OWN_TOOLS_ANY = ["todowrite", "webfetch", "skill", "apply_patch"];
const OWN_WORDS = /\byou are opencode\b/i;

/**
 * opencode and its forks: lower-case tools with `filePath`, numbered lines between tags. The tools are those of
 * anomalyco/opencode (packages/opencode/src/tool), the older ones of sst/opencode.
 */
export function createOpencodeDialect(): Dialect {
  return {
    name: "opencode",
    recognises,
    acquire,
    isGenuineUser,
    isFold,
    workingDirectoryOf,
    noticesIn: () => [],
    changeText,
    hasShell: (toolNames) => toolNames.includes("bash"),
    readsThroughShell: false,
    resetsDirectory: true,
  };
}

function recognises({ toolNames, systemTexts }: RequestHeader, userAgent: string | null): boolean {
  if (userAgent !== null && /^opencode\//i.test(userAgent)) return true;
  if (systemTexts.some((text) => OWN_WORDS.test(text))) return true;
  const has = (name: string) => toolNames.includes(name);
  return OWN_TOOLS.every(has) && OWN_TOOLS_ANY.some(has);
}
