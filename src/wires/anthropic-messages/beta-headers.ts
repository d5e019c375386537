import type { Script } from "../../model/edit.ts";
import type { RequestHeaderValue } from "../../model/ports.ts";
import type { CacheEditsAdapter } from "./cache-edits.ts";

/** Values that the edits of a script need beside those the client gave its headers. */
export function headersFor(script: Script, cacheEdits: CacheEditsAdapter | null): readonly RequestHeaderValue[] {
  const has = (kind: Script[number]["kind"]) => script.some((edit) => edit.kind === kind);
  const values: string[] = [];
  if (has("server-clear")) values.push("context-management-2025-06-27");
  if (has("drop-thinking")) values.push("thinking-binding-controls-2026-08-01");
  const own = cacheEdits?.betaHeader ?? null;
  if (own !== null && has("delete")) values.push(own);
  return values.map((value) => ({ name: "anthropic-beta", value }));
}
