import { join } from "node:path";
import type { Place } from "../../../config/folders.ts";
import { textAt } from "../../agent-routes/configuration-file.ts";
import { gemini as geminiRoute } from "../../agent-routes/gemini.ts";
import type { Agent } from "../agent.ts";
import { readObject } from "../loose-json.ts";
import { statedUrlOf } from "../stated-route.ts";

/** Gemini CLI, logged in with a Gemini API key. No tool server can be added to it for one process. */
export const gemini: Agent = {
  name: "gemini",
  title: "Gemini CLI",
  api: { name: "Gemini API" },
  changes: ["no tool server can be added to it for one process: `ebb init gemini` adds one"],
  version: "",
  probe: null,
  plainCommands: new Set(["extension", "extensions", "gemma", "hook", "hooks", "mcp", "skill", "skills"]),
  obstacle: ({ place }) =>
    loginOf(place) === KEY_LOGIN
      ? null
      : `it takes another base URL only where its settings say security.auth.selectedType "${KEY_LOGIN}"`,
  statedUrl: ({ place }) => statedUrlOf(geminiRoute, place),
  defaultUrl: () => "https://generativelanguage.googleapis.com",
  launchOf: ({ args }, { baseUrl }) => ({ args, env: { [GEMINI_URL]: baseUrl }, files: {} }),
};

const GEMINI_URL = "GOOGLE_GEMINI_BASE_URL";
const KEY_LOGIN = "gemini-api-key";

/** With any other login the client ignores a base URL, and with none it refuses to start without a terminal. */
function loginOf({ cwd, home }: Place): string | null {
  const files = [join(cwd, ".gemini", "settings.json"), join(home, ".gemini", "settings.json")];
  const logins = files.map((file) => textAt(readObject(file), "security", "auth", "selectedType"));
  return logins.find((login) => login !== null) ?? null;
}
