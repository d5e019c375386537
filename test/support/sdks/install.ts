import { execFile } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const INSTALL_TIMEOUT_MS = 600_000;
const FOLDER = "provider-sdks-1";

/** Exact versions, the last ones that start on the oldest Node version that Ebb supports. */
const PACKAGES = {
  openai: "6.49.0",
  "@google/genai": "2.32.0",
  ai: "6.0.326",
  "@ai-sdk/openai": "3.0.141",
  "@ai-sdk/google": "3.0.141",
  "@ai-sdk/openai-compatible": "2.0.92",
  zod: "4.6.7",
} as const;

export type SdkName = keyof typeof PACKAGES;

/** Loads a package that was installed. What it exports is whatever its authors say. */
export type LoadSdk = (name: SdkName) => unknown;

/**
 * Installs the SDKs from the registry into a folder outside the repository, once; later calls reuse it. `EBB_CLIENTS_FOLDER` names
 * another folder. Rejects when the registry cannot be reached.
 */
export async function ensureSdks(): Promise<LoadSdk> {
  const parent = process.env.EBB_CLIENTS_FOLDER ?? join(tmpdir(), "ebb-clients");
  const folder = join(parent, FOLDER);
  if (!existsSync(join(folder, "node_modules"))) await install(parent, folder);
  const load = createRequire(join(folder, "package.json"));
  return (name) => load(name);
}

async function install(parent: string, folder: string): Promise<void> {
  const building = join(parent, `installing-${process.pid}-sdks`);
  rmSync(building, { recursive: true, force: true });
  mkdirSync(building, { recursive: true });
  writeFileSync(join(building, "package.json"), JSON.stringify({ private: true, dependencies: PACKAGES }));
  const args = ["install", "--ignore-scripts", "--no-audit", "--no-fund"];
  await promisify(execFile)("npm", args, { cwd: building, timeout: INSTALL_TIMEOUT_MS });
  rmSync(folder, { recursive: true, force: true });
  renameSync(building, folder);
}
