/** A request's address in its parts, none of them decoded. */
export interface Target {
  /** Name of the run it belongs to; null for none. */
  readonly run: string | null;
  /** Name of the upstream it asks for; null for none. */
  readonly name: string | null;
  /** Path and query as they go upstream; starts with a slash. */
  readonly target: string;
  readonly path: string;
  /** Without the question mark; empty when there is none. */
  readonly query: string;
}

/**
 * Takes the names off an address: that of the run in front, then that of an upstream. A first segment is a name where it is one of
 * `names` letter for letter, with a path behind it; any other is a part of the path.
 */
export function readTarget(url: string, names: ReadonlySet<string>): Target {
  const [prefix = "", run = null] = RUN_PREFIX.exec(url) ?? [];
  const own = url.slice(prefix.length);
  const first = FIRST_SEGMENT.exec(own)?.[1] ?? null;
  const name = first !== null && names.has(first) ? first : null;
  const target = name === null ? own : own.slice(name.length + 1);
  const mark = target.indexOf("?");
  const path = mark === -1 ? target : target.slice(0, mark);
  return { run, name, target, path, query: mark === -1 ? "" : target.slice(mark + 1) };
}

/** What an upstream may be called. */
export const UPSTREAM_NAME = /^[a-z0-9][a-z0-9_-]{0,31}$/;

/** Agents started for one run are given an address with the run's name in front. */
const RUN_PREFIX = /^\/run\/([A-Za-z0-9_-]{8,64})(?=\/)/;
const FIRST_SEGMENT = /^\/([^/?#]+)(?=\/)/;
