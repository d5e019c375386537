import { basename, join, resolve } from "node:path";
import type { Place } from "../../config/folders.ts";
import { jsonOf, textAt } from "./configuration-file.ts";
import type { Route, RoutedAgent } from "./route.ts";

const BASE_URL = "ANTHROPIC_BASE_URL";
const SERVICES = [
  ["CLAUDE_CODE_USE_BEDROCK", "Amazon Bedrock"],
  ["CLAUDE_CODE_USE_VERTEX", "Google Vertex AI"],
  ["CLAUDE_CODE_USE_FOUNDRY", "Microsoft Foundry"],
] as const;
const MANAGED = "managed-settings.json";
const NO_WORDS = new Set(["", "0", "false", "no", "off"]);

/** Claude Code: what its settings files state under `env` counts before the environment, managed settings first. */
export const claude: RoutedAgent = {
  name: "claude",
  title: "Claude Code",
  routeOf(place) {
    const layers = layersOf(place);
    const service = serviceOf(layers);
    if (service !== null) return service;
    const stated = layers.find(({ textOf }) => textOf(BASE_URL) !== null);
    if (stated === undefined) return { kind: "default" };
    return { kind: "stated", url: stated.textOf(BASE_URL) ?? "", from: stated.from ?? BASE_URL };
  },
};

/** True for the settings of whoever manages the machine: nothing a user sets is stronger. */
export function isManaged(from: string): boolean {
  return basename(from) === MANAGED;
}

interface Layer {
  /** Null: the environment. */
  readonly from: string | null;
  textOf(name: string): string | null;
}

/** The first that states a name counts. */
function layersOf(place: Place): readonly Layer[] {
  // An empty name is a name for Claude Code too: that of the working directory.
  const user = resolve(place.cwd, place.env.CLAUDE_CONFIG_DIR ?? join(place.home, ".claude"));
  const files = [
    join(managedFolder(place.platform), MANAGED),
    join(place.cwd, ".claude", "settings.local.json"),
    join(place.cwd, ".claude", "settings.json"),
    join(user, "settings.json"),
  ];
  const layers = files.map((from): Layer => {
    const settings = jsonOf(from);
    return { from, textOf: (name) => textAt(settings, "env", name) };
  });
  return [...layers, { from: null, textOf: (name) => place.env[name] ?? null }];
}

function serviceOf(layers: readonly Layer[]): Extract<Route, { kind: "service" }> | null {
  for (const [name, service] of SERVICES) {
    const stated = layers.find(({ textOf }) => textOf(name) !== null);
    const isOn = !NO_WORDS.has((stated?.textOf(name) ?? "").toLowerCase());
    if (isOn) return { kind: "service", service, from: stated?.from ?? name };
  }
  return null;
}

function managedFolder(platform: NodeJS.Platform): string {
  if (platform === "darwin") return "/Library/Application Support/ClaudeCode";
  return platform === "win32" ? "C:\\Program Files\\ClaudeCode" : "/etc/claude-code";
}
