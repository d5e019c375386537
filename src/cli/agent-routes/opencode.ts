import { join, resolve } from "node:path";
import type { Place } from "../../config/folders.ts";
import { jsonOf, parsedJson, textAt } from "./configuration-file.ts";
import type { RoutedAgent } from "./route.ts";

const CONTENT = "OPENCODE_CONFIG_CONTENT";

/** opencode: the base URL of its Anthropic provider; the last file that states one counts. */
export const opencode: RoutedAgent = {
  name: "opencode",
  title: "opencode",
  routeOf(place) {
    const values = filesOf(place).map((from) => ({ from, value: jsonOf(from) }));
    const content = place.env[CONTENT];
    if (content !== undefined) values.push({ from: CONTENT, value: parsedJson(content, CONTENT) });
    const urls = values.map(({ from, value }) => ({
      from,
      url: textAt(value, "provider", "anthropic", "options", "baseURL"),
    }));
    const last = urls.findLast(({ url }) => url !== null);
    if (last === undefined || last.url === null) return { kind: "default" };
    return { kind: "stated", url: last.url, from: last.from };
  },
};

function filesOf({ env, home, cwd }: Place): readonly string[] {
  const user = join(env.XDG_CONFIG_HOME ? resolve(cwd, env.XDG_CONFIG_HOME) : join(home, ".config"), "opencode");
  const named = env.OPENCODE_CONFIG ? [resolve(cwd, env.OPENCODE_CONFIG)] : [];
  return [...bothIn(user), ...named, ...bothIn(cwd), ...bothIn(join(cwd, ".opencode"))];
}

function bothIn(folder: string): readonly string[] {
  return [join(folder, "opencode.json"), join(folder, "opencode.jsonc")];
}
