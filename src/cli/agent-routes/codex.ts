import { join, resolve } from "node:path";
import type { Place } from "../../config/folders.ts";
import { textAt, tomlOf } from "./configuration-file.ts";
import type { RoutedAgent } from "./route.ts";

const BUILT_IN = "openai";

/** Codex: the base URL of the provider that its configuration chooses. */
export const codex: RoutedAgent = {
  name: "codex",
  title: "Codex",
  routeOf({ env, home, cwd }) {
    const file = fileOf({ env, home, cwd });
    const config = tomlOf(file);
    const provider = providerIn(config);
    const url =
      provider === BUILT_IN
        ? textAt(config, "openai_base_url")
        : textAt(config, "model_providers", provider, "base_url");
    if (url !== null) return { kind: "stated", url, from: file };
    const { OPENAI_BASE_URL: variable = "" } = env;
    if (provider === BUILT_IN && variable !== "") return { kind: "stated", url: variable, from: "OPENAI_BASE_URL" };
    return { kind: "default" };
  },
};

/** The provider that its configuration chooses; null for the built-in one. Throws `UnreadableFile`. */
export function ownProviderOf(place: Place): string | null {
  const provider = providerIn(tomlOf(fileOf(place)));
  return provider === BUILT_IN ? null : provider;
}

function providerIn(config: unknown): string {
  return textAt(config, "model_provider") ?? BUILT_IN;
}

function fileOf({ env, home, cwd }: Pick<Place, "env" | "home" | "cwd">): string {
  return join(env.CODEX_HOME ? resolve(cwd, env.CODEX_HOME) : join(home, ".codex"), "config.toml");
}
