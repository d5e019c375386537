import type { Place } from "../../config/folders.ts";
import type { OwnSide } from "./own-side.ts";
import type { Json, KeyPath, Syntax } from "./syntax.ts";

/** Agents that `ebb init` knows. */
export type AgentName = "claude" | "codex" | "opencode" | "gemini" | "pi";

/** Where a change applies: for the user, or in one folder alone. */
export type Scope = { readonly kind: "user" } | { readonly kind: "project"; readonly folder: string };

/** One value that a client's file is to hold. */
export interface Wanted {
  readonly path: KeyPath;
  readonly value: Json;
  /**
   * `route`: where requests go; another address that stands there is asked about. `tools`: a tool server; another one of
   * this name is asked about. `setting`: put in where nothing stands.
   */
  readonly kind: "route" | "tools" | "setting";
  /** What the client's base URL ends with behind the provider's address. */
  readonly suffix: string;
}

/** One file of a client, and what it is to hold. */
export interface WantedFile {
  readonly path: string;
  readonly syntax: Syntax;
  readonly wanted: readonly Wanted[];
  /** Folder that the client makes while it writes the file; null where it takes no lock. */
  readonly lock: string | null;
}

/** What a client needs to be told about, and its files. */
export interface ClientPlan {
  readonly files: readonly WantedFile[];
  /** One sentence each. */
  readonly notes: readonly string[];
}

/** What a plan depends on. */
export interface ClientWhere {
  readonly place: Place;
  readonly scope: Scope;
  readonly own: OwnSide;
  readonly upstream: string;
  exists(path: string): boolean;
  /** The values of a file; an empty map where it is missing or not valid. */
  valuesOf(path: string, syntax: Syntax): unknown;
}

/** One agent, as data and one function. */
export interface AgentClient {
  readonly name: AgentName;
  readonly title: string;
  /** Null where it has no file for one folder: why. */
  readonly noProject: string | null;
  planFor(where: ClientWhere): ClientPlan;
}

/** A `route` without a suffix. */
export function route(path: KeyPath, value: string, suffix = ""): Wanted {
  return { path, value, kind: "route", suffix };
}

/** A tool server. */
export function tools(path: KeyPath, value: Json): Wanted {
  return { path, value, kind: "tools", suffix: "" };
}

/** A value that gives way to whatever stands there. */
export function setting(path: KeyPath, value: Json): Wanted {
  return { path, value, kind: "setting", suffix: "" };
}
