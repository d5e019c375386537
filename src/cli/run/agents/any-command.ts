import type { Agent } from "../agent.ts";
import { ANTHROPIC_DEFAULT_URL, ANTHROPIC_URL, variable } from "./urls.ts";

/** A command that is no agent Ebb knows: it gets base URLs and nothing else. */
export const anyCommand: Agent = {
  name: "",
  title: "",
  api: { name: "APIs that are read" },
  changes: [],
  version: "",
  probe: null,
  plainCommands: new Set(),
  statedUrl: ({ place }) => variable(place.env, ANTHROPIC_URL),
  defaultUrl: () => ANTHROPIC_DEFAULT_URL,
  obstacle: () => null,
  launchOf({ args, place }, { baseUrl, isUpstreamStated }) {
    // An address that is set already is a gateway's, which the name of a provider would lead past.
    const others = OTHER_VARIABLES.filter(({ name }) => isUpstreamStated || variable(place.env, name) === null);
    const urls = others.map(({ name, path, version }) => [name, baseUrl + (isUpstreamStated ? "" : path) + version]);
    return { args, env: { [ANTHROPIC_URL]: baseUrl, ...Object.fromEntries(urls) }, files: {} };
  },
};

/** Variables of other SDKs: the name of their provider in a path, and what the address ends in behind it. */
const OTHER_VARIABLES = [
  { name: "OPENAI_BASE_URL", path: "/openai", version: "/v1" },
  { name: "GOOGLE_GEMINI_BASE_URL", path: "/gemini", version: "" },
] as const;
