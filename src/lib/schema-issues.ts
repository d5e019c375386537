import { printable } from "./printable.ts";

/** What a schema library reports of one fault; a message completes the sentence "expected …". */
export interface SchemaIssue {
  readonly code?: string | undefined;
  readonly path: readonly PropertyKey[];
  readonly message: string;
  /** Of a map with keys that nobody knows. */
  readonly keys?: readonly string[];
  /** Of a union: what each branch found, with paths inside the union. */
  readonly errors?: readonly (readonly SchemaIssue[])[];
}

/** One fault of a value: where inside the value, and words that name the key, what was expected and what was given. */
export interface ValueIssue {
  readonly path: readonly string[];
  readonly words: string;
}

/** What is wrong with `value`, in words; `name` stands before every place, and is empty for a value without one. */
export function describeIssues(name: string, value: unknown, issues: readonly SchemaIssue[]): readonly ValueIssue[] {
  return issues.flatMap(unfolded).flatMap((issue) => described(name, value, issue));
}

/** A union's own message says little: where the value has the shape of a branch, the branch with the fewest faults speaks. */
function unfolded(issue: SchemaIssue): readonly SchemaIssue[] {
  const shaped = (issue.errors ?? []).filter((branch) => branch.every((one) => one.path.length > 0 || isUnknown(one)));
  const [nearest] = shaped.toSorted((a, b) => faultsIn(a) - faultsIn(b));
  if (nearest === undefined) return [issue];
  return nearest.flatMap((one) => unfolded({ ...one, path: [...issue.path, ...one.path] }));
}

function isUnknown(issue: SchemaIssue): boolean {
  return issue.code === "unrecognized_keys";
}

function faultsIn(branch: readonly SchemaIssue[]): number {
  return branch.reduce((faults, issue) => faults + Math.max(1, issue.keys?.length ?? 0), 0);
}

function described(name: string, value: unknown, issue: SchemaIssue): readonly ValueIssue[] {
  const path = issue.path.map(String);
  if (isUnknown(issue)) {
    return (issue.keys ?? []).map((key) => ({
      path: [...path, key],
      words: `${placeOf(name, [...issue.path, key])}: unknown key`,
    }));
  }
  const place = placeOf(name, issue.path);
  const words = `expected ${issue.message}, got ${printable(at(value, path))}`;
  return [{ path, words: place === "" ? words : `${place}: ${words}` }];
}

/** `scripts[0].steps`: entries of a list in brackets. */
function placeOf(name: string, path: readonly PropertyKey[]): string {
  const place = path.map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`)).join("");
  return name === "" ? place.replace(/^\./, "") : `${name}${place}`;
}

function at(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (inner, name) => (typeof inner === "object" && inner !== null ? Reflect.get(inner, name) : undefined),
    value,
  );
}
