/** A value of a configuration file. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** Keys from the outermost map inwards. */
export type KeyPath = readonly string[];

/** What was put at a path, and what is needed to take it out again. */
export interface Placed {
  readonly path: KeyPath;
  readonly value: Json;
  /** Source text of the value that stood there; null where none did. */
  readonly before: string | null;
  /** Text between the braces of the map it was put into, where that map was empty; null otherwise. */
  readonly inside: string | null;
  /** How many keys of the path there were already. */
  readonly known: number;
  /** The text that was put in, as one piece; null where a value was exchanged. */
  readonly text: string | null;
}

/** Why a text cannot be worked on, and in which line. */
export interface Fault {
  readonly line: number;
  readonly words: string;
}

/** A text after one edit, or why it cannot be made. */
export type Edited<T> =
  | { readonly ok: true; readonly text: string; readonly made: T }
  | { readonly ok: false; readonly fault: Fault };

/**
 * One syntax of configuration files. Every edit cuts and splices the given text; what stands outside the edit is never
 * written anew. `faultOf` comes first: the others take only what it finds valid. An empty text is an empty map.
 */
export interface Syntax {
  readonly name: "json" | "toml";
  faultOf(text: string): Fault | null;
  /** The whole as a plain value, fit for comparison. */
  valueOf(text: string): unknown;
  /** Line in which the value at `path` begins, from 1. */
  lineOf(text: string, path: KeyPath): number;
  /** True where comments stand inside the value at `path`. */
  hasComments(text: string, path: KeyPath): boolean;
  /** True where the text holds no value and no comment. */
  isEmpty(text: string): boolean;
  /** Puts a value where none is, or exchanges the one that is there. */
  put(text: string, path: KeyPath, value: Json): Edited<Placed>;
  /** Takes out what was put, or puts back what stood there. Maps made for it go with the last value in them. */
  take(text: string, placed: Placed): Edited<null>;
}
