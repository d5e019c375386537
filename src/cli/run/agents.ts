import type { Agent } from "./agent.ts";
import { anyCommand } from "./agents/any-command.ts";
import { claude } from "./agents/claude.ts";
import { codex } from "./agents/codex.ts";
import { gemini } from "./agents/gemini.ts";
import { opencode } from "./agents/opencode.ts";
import { pi } from "./agents/pi.ts";

/** Agents that `ebb run` knows, in the order in which they are named to people. */
export const AGENTS: readonly Agent[] = [claude, codex, opencode, gemini, pi];

/** The agent of a name or a path that ends in it; any other program is a command of its own. */
export function agentOf(program: string): Agent {
  const name = program
    .split(/[\\/]/)
    .at(-1)
    ?.replace(/\.(?:exe|cmd|bat)$/i, "");
  return AGENTS.find((agent) => agent.name === name) ?? anyCommand;
}
