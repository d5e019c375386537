import type { Place } from "../../config/folders.ts";

/** One agent program, and where it would send its requests. */
export interface RoutedAgent {
  /** As `ebb run` and `ebb init` name it. */
  readonly name: "claude" | "codex" | "opencode" | "gemini" | "pi";
  /** As people name it. */
  readonly title: string;
  /** Looks where the agent itself looks. Throws `UnreadableFile` alone. */
  routeOf(place: Place): Route;
}

/** Where an agent's requests go. */
export type Route =
  /** To an address that is stated at `from`: a file or a variable. */
  | { readonly kind: "stated"; readonly url: string; readonly from: string }
  /** To its own provider. */
  | { readonly kind: "default" }
  /** To a service that takes no base URL. */
  | { readonly kind: "service"; readonly service: string; readonly from: string };

/** An agent's configuration file that cannot be read or parsed. */
export class UnreadableFile extends Error {
  constructor(file: string, why: string) {
    super(`${file} cannot be read (${why})`);
    this.name = "UnreadableFile";
  }
}
