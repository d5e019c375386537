import type { z } from "zod";
import { EbbError } from "../lib/ebb-error.ts";
import { describeIssues, type ValueIssue } from "../lib/schema-issues.ts";

/** One reason to refuse a configuration. */
export interface ConfigIssue {
  /** File and line, environment name or flag. */
  readonly where: string;
  readonly words: string;
}

/** Refuses the configuration when there is any issue, naming all of them, one a line. */
export function refuseIssues(issues: readonly ConfigIssue[]): void {
  if (issues.length === 0) return;
  throw new EbbError("config_invalid", issues.map((issue) => `${issue.where}: ${issue.words}`).join("\n"));
}

/** Issues of `value` under the schema of the option `key`; empty when it is fine. */
export function valueIssues(key: string, value: unknown, schema: z.ZodType<unknown>): readonly ValueIssue[] {
  const outcome = schema.safeParse(value);
  return outcome.success ? [] : describeIssues(key, value, outcome.error.issues);
}
