import type { Agent } from "../agent.ts";
import { ANTHROPIC_DEFAULT_URL, ANTHROPIC_URL, variable } from "./urls.ts";

/** A command that is no agent Ebb knows: it gets a base URL and nothing else. */
export const anyCommand: Agent = {
  name: "",
  title: "",
  api: { name: "Anthropic Messages API" },
  changes: [],
  version: "",
  probe: null,
  plainCommands: new Set(),
  statedUrl: ({ place }) => variable(place.env, ANTHROPIC_URL),
  defaultUrl: () => ANTHROPIC_DEFAULT_URL,
  obstacle: () => null,
  launchOf: ({ args }, { baseUrl }) => ({ args, env: { [ANTHROPIC_URL]: baseUrl }, files: {} }),
};
