import type { FileChange, ToolKind } from "../model/acquisition.ts";

/** The change that an edit or a write of `path` makes by itself, where it went well. */
export function ownChanges(kind: ToolKind, path: string | null, isOk: boolean): readonly FileChange[] {
  return isOk && path !== null && (kind === "edit" || kind === "write") ? [{ kind, path, source: "tool" }] : [];
}
