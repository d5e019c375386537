import { join, resolve } from "node:path";
import type { Agent } from "./agent.ts";
import { textAt, tomlOf } from "./configuration-file.ts";

/** Codex: the base URL of the provider that its configuration chooses. */
export const codex: Agent = {
  name: "codex",
  title: "Codex",
  isRead: false,
  routeOf({ env, home, cwd }) {
    const file = join(env.CODEX_HOME ? resolve(cwd, env.CODEX_HOME) : join(home, ".codex"), "config.toml");
    const config = tomlOf(file);
    const provider = textAt(config, "model_provider") ?? "openai";
    const url =
      provider === "openai"
        ? textAt(config, "openai_base_url")
        : textAt(config, "model_providers", provider, "base_url");
    if (url !== null) return { kind: "stated", url, from: file };
    const { OPENAI_BASE_URL: variable = "" } = env;
    if (provider === "openai" && variable !== "") return { kind: "stated", url: variable, from: "OPENAI_BASE_URL" };
    return { kind: "default" };
  },
};
