import { join } from "node:path";
import type { Place } from "../../../config/folders.ts";
import type { Agent } from "../agent.ts";
import { readObject, textAt } from "../loose-json.ts";
import { variable } from "./urls.ts";

/** Gemini CLI, logged in with a Gemini API key. No tool server can be added to it for one process. */
export const gemini: Agent = {
  name: "gemini",
  title: "Gemini CLI",
  api: { name: "Gemini API", isRead: false },
  changes: ["no tool server can be added to it for one process"],
  version: "",
  probe: null,
  plainCommands: new Set(["extension", "extensions", "gemma", "hook", "hooks", "mcp", "skill", "skills"]),
  obstacle: ({ place }) =>
    loginOf(place) === KEY_LOGIN
      ? null
      : `it takes another base URL only where its settings say security.auth.selectedType "${KEY_LOGIN}"`,
  statedUrl: ({ place }) => variable(place.env, GEMINI_URL),
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
