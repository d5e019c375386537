import type { Place } from "../../../config/folders.ts";

/** Variable that holds the base URL of the Anthropic Messages API in most clients. */
export const ANTHROPIC_URL = "ANTHROPIC_BASE_URL";

/** Where the Anthropic Messages API is. */
export const ANTHROPIC_DEFAULT_URL = "https://api.anthropic.com";

/** What a variable holds; null where it holds nothing. */
export function variable(env: Place["env"], name: string): string | null {
  const value = env[name]?.trim() ?? "";
  return value === "" ? null : value;
}
