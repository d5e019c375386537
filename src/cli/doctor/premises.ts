import { networkInterfaces, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Place } from "../../config/folders.ts";
import { resolveFrom } from "../../config/resolve.ts";
import type { ResolvedConfig } from "../../config/resolved.ts";
import { EbbError } from "../../lib/ebb-error.ts";
import { lookAtStore, type StoreLook } from "../../stores/sqlite-look.ts";
import { STORE_FILE_NAME } from "../data-folder.ts";
import { packageVersion } from "../version.ts";
import { type Machine, type Premises, readClocks } from "./check.ts";
import { lookAtProxy, type ProxySeen } from "./proxy-look.ts";
import { lookAtToken } from "./token-look.ts";

/** A store up to so many bytes is checked whole: a slow disk reads it within the deadline. */
const WHOLE_BYTES_MAX = 256 * 1024 * 1024;
const SAMPLE_MS = 1_000;
const LOCK_MS = 1_000;

/** What this process runs on. */
export function thisMachine(): Machine {
  return {
    nodeVersion: process.versions.node,
    architecture: process.arch,
    userId: process.geteuid?.() ?? null,
    addon: null,
    temporaryFolder: tmpdir(),
    nowMs: Date.now,
    steadyMs: () => performance.now(),
    outerAddresses,
  };
}

/** What checks may look at. A configuration that `readConfig` refuses is told of, and the defaults are used. */
export function createPremises(place: Place, readConfig: () => ResolvedConfig, machine: Machine): Premises {
  const { config, refusal } = configOrDefaults(place, readConfig);
  const { host, port, dataFolder } = config;
  let proxy: Promise<ProxySeen> | null = null;
  let store: StoreLook | null = null;
  return {
    place,
    config,
    refusal,
    machine,
    packageFolder: resolve(fileURLToPath(new URL("../../../", import.meta.url))),
    version: packageVersion(),
    startedAt: readClocks(machine),
    proxy() {
      const token = lookAtToken(dataFolder);
      proxy ??= lookAtProxy(host, port, { dataFolder, token: token.kind === "token" ? token.token : null });
      return proxy;
    },
    store() {
      store ??= lookAtStore({
        file: join(dataFolder, STORE_FILE_NAME),
        wholeBytesMax: WHOLE_BYTES_MAX,
        sampleMs: SAMPLE_MS,
        lockMs: LOCK_MS,
        addon: machine.addon,
      });
      return store;
    },
  };
}

function configOrDefaults(
  place: Place,
  readConfig: () => ResolvedConfig,
): { readonly config: ResolvedConfig; readonly refusal: string | null } {
  try {
    return { config: readConfig(), refusal: null };
  } catch (error) {
    if (!(error instanceof EbbError) || error.code !== "config_invalid") throw error;
    const env = Object.fromEntries(Object.entries(place.env).filter(([name]) => !name.startsWith("EBB_")));
    return { config: resolveFrom(null, new Map(), { ...place, env }), refusal: error.message };
  }
}

function outerAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((addresses = []) =>
    addresses.filter(({ family, internal }) => family === "IPv4" && !internal).map(({ address }) => address),
  );
}
