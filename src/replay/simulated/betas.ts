/** Switches on context editing. */
export const CONTEXT_MANAGEMENT_BETA = "context-management-2025-06-27";
/** Switches on the choice of what happens to thinking that no longer fits, and reports about it. */
export const THINKING_BINDING_BETA = "thinking-binding-controls-2026-08-01";

/** The features a request switches on: the values of its `anthropic-beta` header. */
export function betasOf(header: string | readonly string[] | undefined): ReadonlySet<string> {
  const text = typeof header === "string" ? header : (header ?? []).join(",");
  return new Set(
    text
      .split(",")
      .map((name) => name.trim())
      .filter((name) => name !== ""),
  );
}
