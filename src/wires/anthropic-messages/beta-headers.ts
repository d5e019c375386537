import type { Script } from "../../model/edit.ts";
import type { RequestHeaderValue } from "../../model/ports.ts";
import type { CacheEditsAdapter } from "./cache-edits.ts";

/** Values that the edits of a script need beside those the client gave its headers. */
export function headersFor(script: Script, cacheEdits: CacheEditsAdapter | null): readonly RequestHeaderValue[] {
  const has = (kind: Script[number]["kind"]) => script.some((edit) => edit.kind === kind);
  const headers: RequestHeaderValue[] = [];
  if (has("server-clear")) headers.push(beta("context-management-2025-06-27"));
  if (has("drop-thinking")) headers.push(beta("thinking-binding-controls-2026-08-01"));
  const own = cacheEdits?.header ?? null;
  if (own !== null && has("delete")) headers.push(own);
  return headers;
}

function beta(value: string): RequestHeaderValue {
  return { name: "anthropic-beta", value };
}
