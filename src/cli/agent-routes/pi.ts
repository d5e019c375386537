import { join } from "node:path";
import { absolutePath } from "../../config/folders.ts";
import { jsonOf, memberOf, textAt } from "./configuration-file.ts";
import type { RoutedAgent } from "./route.ts";

/** pi: the base URL of its Anthropic provider, else of the first provider that states one. */
export const pi: RoutedAgent = {
  name: "pi",
  title: "pi",
  routeOf(place) {
    const { PI_CODING_AGENT_DIR: stated = "" } = place.env;
    const folder = stated === "" ? join(place.home, ".pi", "agent") : absolutePath(stated, place.cwd, place);
    const from = join(folder, "models.json");
    const providers = memberOf(jsonOf(from), "providers");
    const names = typeof providers === "object" && providers !== null ? Object.keys(providers) : [];
    const url = ["anthropic", ...names].map((name) => textAt(providers, name, "baseUrl")).find((one) => one !== null);
    return url === undefined || url === null ? { kind: "default" } : { kind: "stated", url, from };
  },
};
