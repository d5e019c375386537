import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { type ClientResult, type InstalledClient, runClient } from "../clients.ts";
import { type RecordedBody, type ScriptedProvider, startScriptedProvider } from "./scripted-provider.ts";
import type { Situation } from "./situations.ts";

const RUN_TIMEOUT_MS = 120_000;

export interface Recording {
  readonly situation: string;
  readonly clientVersion: string;
  /** Folders as the client saw them. */
  readonly workingFolder: string;
  readonly home: string;
  readonly bodies: readonly RecordedBody[];
  /** The client's own transcript files, by path below its projects folder. */
  readonly transcripts: Readonly<Record<string, string>>;
  readonly results: readonly ClientResult[];
}

/** Plays one situation with a real Claude Code and keeps what it sent and what it wrote down. */
export async function record(client: InstalledClient, situation: Situation): Promise<Recording> {
  const scratch = mkdtempSync(join(tmpdir(), "ebb-record-"));
  const workingFolder = join(scratch, "ws");
  const home = join(scratch, "home");
  mkdirSync(workingFolder);
  situation.prepare(workingFolder);
  const provider = await startScriptedProvider(situation.scripts(workingFolder));
  try {
    const results: ClientResult[] = [];
    for (const index of situation.prompts.keys()) {
      results.push(await playPrompt(client, situation, index, { scratch, workingFolder, home, provider }));
    }
    const transcripts = transcriptsIn(join(home, ".claude", "projects"));
    const { bodies } = provider;
    const clientVersion = client.version;
    return { situation: situation.name, clientVersion, workingFolder, home, bodies, transcripts, results };
  } finally {
    await provider.close();
    rmSync(scratch, { recursive: true, force: true });
  }
}

interface Place {
  readonly scratch: string;
  readonly workingFolder: string;
  readonly home: string;
  readonly provider: ScriptedProvider;
}

async function playPrompt(
  client: InstalledClient,
  situation: Situation,
  index: number,
  place: Place,
): Promise<ClientResult> {
  const prompt = situation.prompts[index];
  if (prompt === undefined) throw new Error(`no prompt ${index}`);
  const args = ["-p", prompt.text];
  if (index > 0) args.push("--continue");
  if (situation.asksPermission !== true) args.push("--dangerously-skip-permissions");
  if (situation.withToolServer === true)
    args.push("--strict-mcp-config", "--mcp-config", toolServerConfig(place.scratch));
  return runClient({
    client,
    args,
    home: place.home,
    workingFolder: place.workingFolder,
    env: { ANTHROPIC_BASE_URL: place.provider.url, ANTHROPIC_API_KEY: "not-a-key", ...prompt.env },
    timeoutMs: RUN_TIMEOUT_MS,
    ...(prompt.interruptAfterMs === undefined ? {} : { interruptAfterMs: prompt.interruptAfterMs }),
  });
}

/** Writes a client configuration with the tool server `answering`; returns its path. */
export function toolServerConfig(folder: string): string {
  const path = join(folder, "tool-server.json");
  const server = { command: process.execPath, args: [resolve(import.meta.dirname, "answering-server.mjs")] };
  writeFileSync(path, JSON.stringify({ mcpServers: { answering: server } }));
  return path;
}

function transcriptsIn(folder: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (name.endsWith(".jsonl")) found[name] = readFileSync(join(folder, name), "utf8");
  }
  return found;
}
