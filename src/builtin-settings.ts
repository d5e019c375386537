import { randomUUID } from "node:crypto";
import { dialects, gates, providers } from "./builtins.ts";
import { createDiffEngine } from "./keeper/diff-engine.ts";
import { createPatternEngine } from "./keeper/pattern-engine.ts";
import type { KeeperSettings } from "./keeper/settings.ts";
import { createShellParser } from "./keeper/shell-parser.ts";
import { createTokenCounter } from "./keeper/token-counter.ts";

/** The parts of a keeper's settings that no configuration changes. */
export function builtinKeeperSettings(): Pick<
  KeeperSettings,
  "dialects" | "gates" | "providers" | "shell" | "tokens" | "patterns" | "diff" | "newId"
> {
  return {
    dialects,
    gates,
    providers: Object.values(providers),
    shell: createShellParser(),
    tokens: createTokenCounter(),
    patterns: createPatternEngine(),
    diff: createDiffEngine(),
    newId: randomUUID,
  };
}
