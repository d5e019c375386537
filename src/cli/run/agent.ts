import type { Place } from "../../config/folders.ts";

/** One agent program, as data: how it is pointed at a proxy for one process, and what that changes in it. */
export interface Agent {
  /** As it is typed; empty for a command that is no agent. */
  readonly name: string;
  readonly title: string;
  readonly api: { readonly name: string };
  /** What a custom base URL changes in this client, each without a full stop. */
  readonly changes: readonly string[];
  /** What its base URL ends in behind the upstream, such as `/v1`; empty for nothing. */
  readonly version: string;
  /** Base URL that is in use without Ebb; null where nothing states one. */
  statedUrl(call: AgentCall): string | null;
  /** Base URL that is in use where nothing states one. */
  defaultUrl(call: AgentCall): string;
  /** Arguments of one short conversation without a terminal; null where none is known. */
  readonly probe: readonly string[] | null;
  /** First arguments that begin no conversation: then the program is started as it is. */
  readonly plainCommands: ReadonlySet<string>;
  /** Why it cannot be pointed at a proxy as it stands; null where it can. */
  obstacle(call: AgentCall): string | null;
  /** What is set for the one process. */
  launchOf(call: AgentCall, route: Route): Launch;
}

/** What was typed, and where. */
export interface AgentCall {
  readonly args: readonly string[];
  readonly place: Place;
  /** What the program says when it is asked something that begins no conversation; empty where it says nothing. */
  ask(args: readonly string[]): string;
}

/** How the agent reaches the proxy, and Ebb's tools. */
export interface Route {
  /** Its base URL, without a trailing slash. */
  readonly baseUrl: string;
  /** Whether one upstream was stated for all requests; else a name behind the proxy's address chooses another. */
  readonly isUpstreamStated: boolean;
  /** Null: nothing but the base URL is set. */
  readonly tools: ToolServer | null;
  /** Private folder of this run, which goes when the run ends. */
  readonly folder: string;
}

/** Command of a tool server on standard input and output. */
export interface ToolServer {
  readonly command: string;
  readonly args: readonly string[];
}

/** What is started. */
export interface Launch {
  readonly args: readonly string[];
  /** Beside the environment that is there. */
  readonly env: Readonly<Record<string, string>>;
  /** Written into the private folder before the start, by name. */
  readonly files: Readonly<Record<string, string>>;
}
