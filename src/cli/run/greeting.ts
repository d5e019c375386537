import type { Mode } from "../../keeper/contract.ts";
import type { Agent } from "./agent.ts";

/** What a run begins with. */
export interface RunStart {
  readonly agent: Agent;
  /** What was typed. */
  readonly program: string;
  readonly port: number;
  readonly isShared: boolean;
  readonly upstream: string;
  readonly mode: Mode;
  readonly isPaused: boolean;
}

/** Where requests go, what is done with them, and what that means for this client. */
export function startLines({ agent, program, port, isShared, upstream, mode, isPaused }: RunStart): readonly string[] {
  const title = agent.title === "" ? program : agent.title;
  const proxy = isShared ? `the proxy that runs on 127.0.0.1:${port}` : `127.0.0.1:${port}`;
  return [
    `${title} goes through ${proxy} to ${originOf(upstream)} (mode ${mode}${isPaused ? ", paused" : ""})`,
    ...(agent.changes.length === 0 ? [] : ["what that means for it:"]),
    ...agent.changes.map((words) => `  ${words}`),
  ];
}

/** A path may hold a secret. */
function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : "its provider";
}
