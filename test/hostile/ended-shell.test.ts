import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { cleanEnvironment } from "../support/clients.ts";
import { buildProgram, type Program } from "./support/program.ts";

let program: Program;
const home = mkdtempSync(join(tmpdir(), "ebb-hostile-home-"));

beforeAll(() => {
  program = buildProgram();
});

afterAll(() => {
  program.remove();
  rmSync(home, { recursive: true, force: true });
});

test.each(["start", "npx"])("a proxy below a shell of npm (%s) ends when a signal ended that shell", async (event) => {
  const args = [join(program.folder, "bin/ebb.mjs"), "proxy", "--port", "0", "--data-folder", join(home, event)];
  const shell = spawn("sh", ["-c", '"$0" "$@"; exit $?', process.execPath, ...args], {
    env: { ...cleanEnvironment(home), npm_lifecycle_event: event },
    stdio: ["ignore", "pipe", "inherit"],
    detached: true,
  });
  onTestFinished(() => endGroup(shell.pid));
  // The stream ends only when the proxy, too, has let go of it.
  const ended = new Promise((resolve) => shell.stdout.once("end", resolve));
  const greeting = await Promise.race([new Promise((resolve) => shell.stdout.once("data", resolve)), ended]);
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(String(greeting))?.[0] ?? "";
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  shell.kill("SIGTERM");
  await ended;
  await expect(fetch(`${url}/healthz`)).rejects.toThrow("fetch failed");
});

function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}
