import { join } from "node:path";
import { parseEnv } from "node:util";
import { textOf } from "./configuration-file.ts";
import type { RoutedAgent } from "./route.ts";

const BASE_URL = "GOOGLE_GEMINI_BASE_URL";

/** Gemini CLI: a variable, from the environment or from the first `.env` file that is there. */
export const gemini: RoutedAgent = {
  name: "gemini",
  title: "Gemini CLI",
  routeOf({ env, home, cwd }) {
    const stated = env[BASE_URL] ?? "";
    if (stated !== "") return { kind: "stated", url: stated, from: BASE_URL };
    for (const folder of [cwd, home]) {
      for (const from of [join(folder, ".gemini", ".env"), join(folder, ".env")]) {
        const text = textOf(from);
        if (text === null) continue;
        const url = parseEnv(text)[BASE_URL] ?? "";
        return url === "" ? { kind: "default" } : { kind: "stated", url, from };
      }
    }
    return { kind: "default" };
  },
};
