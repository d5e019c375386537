import type { Span } from "../../lib/json-scan.ts";

/** The member under its name in this API, which takes every name in lower camel case and in snake case. */
export function memberOf(members: ReadonlyMap<string, Span>, name: string): Span | undefined {
  return members.get(name) ?? members.get(snakeCase(name));
}

/** True where a member stands there under both of its names, so that nobody can tell which one counts. */
export function isNamedTwice(members: ReadonlyMap<string, Span>, name: string): boolean {
  const snake = snakeCase(name);
  return snake !== name && members.has(name) && members.has(snake);
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
