import type { Dialect } from "../model/ports.ts";
import { usualTool } from "./generic/tools.ts";
import { toDialect } from "./tools/tool-dialect.ts";
import { isPlainText } from "./tools/user-texts.ts";

/**
 * Any agent whose tools nobody described. A call is a read or a change only where its name and every one of its arguments can
 * mean nothing else; the units of a range are not known.
 */
export function createGenericDialect(): Dialect {
  return toDialect({
    name: "generic",
    toolOf: usualTool,
    recognises: () => true,
    isTyped: isPlainText,
    isSummary: () => false,
    workingDirectoryOf: () => null,
  });
}
