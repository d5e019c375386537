import { join } from "node:path";
import { textAt } from "../../agent-routes/configuration-file.ts";
import type { Agent, AgentCall } from "../agent.ts";
import { type JsonObject, objectOf, readObject } from "../loose-json.ts";
import { PROBE_PROMPT } from "./probe-prompt.ts";
import { ANTHROPIC_DEFAULT_URL, variable } from "./urls.ts";

/** pi; one of its providers. */
export const pi: Agent = {
  name: "pi",
  title: "pi",
  api: { name: "Anthropic Messages API" },
  changes: ["only one of its providers goes through Ebb"],
  version: "",
  probe: ["-p", PROBE_PROMPT],
  plainCommands: new Set(["config", "install", "list", "remove", "uninstall", "update"]),
  statedUrl: (call) => textAt(providersOf(call), providerOf(call), "baseUrl"),
  defaultUrl: () => ANTHROPIC_DEFAULT_URL,
  obstacle: () => null,
  launchOf(call, { baseUrl, folder }) {
    return {
      args: ["--extension", join(folder, EXTENSION_FILE), ...call.args],
      env: {},
      files: { [EXTENSION_FILE]: extensionText(providerOf(call), baseUrl) },
    };
  },
};

const EXTENSION_FILE = "ebb.mjs";
/** As pi names the APIs that Ebb reads. */
const READ_APIS: ReadonlySet<string> = new Set([
  "anthropic-messages",
  "openai-completions",
  "openai-responses",
  "google-generative-ai",
]);
const BUILT_IN = "anthropic";

/** Only the address of a provider is set: its models, keys and logins stay those of the user. */
function extensionText(provider: string, baseUrl: string): string {
  const call = `pi.registerProvider(${JSON.stringify(provider)}, { baseUrl: ${JSON.stringify(baseUrl)} })`;
  return `export default function (pi) {\n  ${call};\n}\n`;
}

/** The one that the arguments name, if it has an address and Ebb reads its API; else the built-in one. */
function providerOf(call: AgentCall): string {
  const named = call.args[call.args.indexOf("--provider") + 1];
  if (named === undefined || !call.args.includes("--provider")) return BUILT_IN;
  const provider = objectOf(providersOf(call)[named]);
  const isReadable = textAt(provider, "baseUrl") !== null && READ_APIS.has(textAt(provider, "api") ?? "");
  return isReadable ? named : BUILT_IN;
}

function providersOf({ place }: AgentCall): JsonObject {
  const folder = variable(place.env, "PI_CODING_AGENT_DIR") ?? join(place.home, ".pi", "agent");
  return objectOf(readObject(join(folder, "models.json")).providers);
}
