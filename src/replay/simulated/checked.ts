import type { z } from "zod";
import { describeIssues } from "../../lib/schema-issues.ts";

/** A value that passed its check, or all that is wrong with it, each with its place, what was expected and what came. */
export type Checked<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problems: readonly string[] };

/** Checks a value that came from outside. */
export function checked<T>(schema: z.ZodType<T>, value: unknown): Checked<T> {
  const outcome = schema.safeParse(value);
  if (outcome.success) return { ok: true, value: outcome.data };
  return { ok: false, problems: describeIssues("", value, outcome.error.issues).map(({ words }) => words) };
}
