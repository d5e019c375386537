import type { z } from "zod";
import { EbbError } from "../lib/ebb-error.ts";
import { printable } from "./printable.ts";

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

/** What the check of one value found: where inside the value, and what was expected there. */
export interface ValueIssue {
  readonly path: readonly string[];
  readonly words: string;
}

/** Issues of `value` under the schema of the option `key`; empty when it is fine. */
export function valueIssues(key: string, value: unknown, schema: z.ZodType<unknown>): readonly ValueIssue[] {
  const outcome = schema.safeParse(value);
  if (outcome.success) return [];
  return outcome.error.issues.flatMap(unfolded).flatMap((issue) => described(key, value, issue));
}

/** A union's own message says little: where the value has the shape of one branch, that branch speaks. */
function unfolded(issue: z.core.$ZodIssue): readonly z.core.$ZodIssue[] {
  if (issue.code !== "invalid_union") return [issue];
  const inside = issue.errors.find((branch) => branch.every((one) => one.path.length > 0 || isUnknownKey(one)));
  return inside ?? [issue];
}

function isUnknownKey(issue: z.core.$ZodIssue): boolean {
  return issue.code === "unrecognized_keys";
}

function described(key: string, value: unknown, issue: z.core.$ZodIssue): readonly ValueIssue[] {
  const path = issue.path.map(String);
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((name) => ({
      path: [...path, name],
      words: `${[key, ...path, name].join(".")}: unknown key`,
    }));
  }
  const where = [key, ...path].join(".");
  return [{ path, words: `${where}: expected ${issue.message}, got ${printable(at(value, path))}` }];
}

function at(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (inner, name) => (typeof inner === "object" && inner !== null ? Reflect.get(inner, name) : undefined),
    value,
  );
}
