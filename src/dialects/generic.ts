import type { Acquisition } from "../model/acquisition.ts";
import type { CallItem, ResultItem } from "../model/item.ts";
import type { Dialect } from "../model/ports.ts";

/** One element and nothing beside it. */
const WRAPPED = /^<([A-Za-z][\w-]*)>[\s\S]*<\/\1>$/;

/** Any agent whose tools nobody described: results are results, and nothing is known of files. */
export function createGenericDialect(): Dialect {
  return {
    name: "generic",
    recognises: () => true,
    acquire,
    isGenuineUser: (texts) => texts.some(isTyped),
    isFold: () => false,
    workingDirectoryOf: () => null,
    noticesIn: () => [],
    changeText: () => null,
    hasShell: () => false,
    readsThroughShell: false,
  };
}

function acquire(call: CallItem, result: ResultItem | null): Acquisition {
  const outcome = result === null ? "missing" : result.isError ? "failed" : "ok";
  return {
    callId: call.callId,
    tool: call.name,
    kind: "other",
    outcome,
    path: null,
    workingDirectory: null,
    window: null,
    printed: null,
    isShellRead: false,
    isUnchangedStub: false,
    changes: [],
    command: null,
  };
}

function isTyped(text: string): boolean {
  const words = text.trim();
  return words !== "" && !WRAPPED.test(words);
}
