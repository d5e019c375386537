import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { anthropicProvider } from "../../providers/anthropic.ts";
import type { CapturedRequest } from "../../replay/simulated/capture.ts";
import { defaultScenario } from "../../replay/simulated/scenario.ts";
import { startSimulatedProvider } from "../../replay/simulated/server.ts";
import { UsageError } from "../command.ts";
import { type Io, printLine } from "../io.ts";
import type { AgentCall, Launch } from "./agent.ts";
import { differenceLines, firstRequestOf } from "./first-request.ts";
import { fillFolder } from "./private-folder.ts";
import type { RunOrder } from "./run-agent.ts";
import { openRunProxy } from "./run-proxy.ts";
import { toolServerOf } from "./tool-server.ts";

/** Starts an agent twice against a provider that only captures, and prints how its first request differs with Ebb. */
export async function checkAgent(order: RunOrder, io: Io): Promise<number> {
  const { agent } = order;
  if (agent.probe === null)
    throw new UsageError(`--check: ${agent.title || "this command"} has no short conversation that Ebb knows`);
  const call = { args: order.args.length === 0 ? agent.probe : order.args, place: io.place, ask: () => "" };
  const folder = mkdtempSync(join(tmpdir(), "ebb-check-"));
  try {
    const without = await firstWithoutEbb(order, call, folder);
    const withEbb = without === null ? null : await firstWithEbb(order, call, folder);
    if (without === null || withEbb === null) return nothingCame(order, io);
    const lines = [
      `The first request of ${agent.title}, with its base URL alone and as \`ebb run\` starts it, as it reached a provider on this machine:`,
      ...differenceLines(without, withEbb).map((line) => `  ${line}`),
      `Not compared, because it cannot be captured: what ${agent.title} sends without any base URL. Known of that:`,
      ...(agent.changes.length === 0 ? ["  nothing"] : agent.changes.map((words) => `  ${words}`)),
    ];
    for (const line of lines) printLine(io, line);
    return 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const TIMEOUT_MS = 120_000;
const KEY = "ANTHROPIC_API_KEY";

function nothingCame({ agent, program }: RunOrder, io: Io): number {
  io.err(`ebb: ${agent.title} asked nothing of its provider; try ${program} itself with the same arguments\n`);
  return 1;
}

async function firstWithoutEbb(order: RunOrder, call: AgentCall, folder: string): Promise<CapturedRequest | null> {
  return capture(async (url) => {
    const baseUrl = url + order.agent.version;
    const route = { baseUrl, isUpstreamStated: true, tools: null, folder: join(folder, "without") };
    await probe(order, call, order.agent.launchOf(call, route), route.folder);
  });
}

async function firstWithEbb(order: RunOrder, call: AgentCall, folder: string): Promise<CapturedRequest | null> {
  return capture(async (url) => {
    const config = { ...order.config, upstream: url, isUpstreamStated: true, dataFolder: join(folder, "data") };
    const proxy = await openRunProxy({ config, run: "check-of-one-agent", isFresh: true });
    try {
      const baseUrl = proxy.baseUrl + order.agent.version;
      const tools = toolServerOf(config);
      const route = { baseUrl, isUpstreamStated: true, tools, folder: join(folder, "with") };
      await probe(order, call, order.agent.launchOf(call, route), route.folder);
    } finally {
      await proxy.end();
    }
  });
}

async function capture(use: (url: string) => Promise<void>): Promise<CapturedRequest | null> {
  const options = { models: anthropicProvider, scenario: defaultScenario, signatures: false };
  const provider = await startSimulatedProvider(options);
  try {
    await use(provider.url);
    return firstRequestOf(provider.requests());
  } finally {
    await provider.close();
  }
}

/** Without a key of its own the client would ask nobody: any will do here. */
async function probe({ program }: RunOrder, call: AgentCall, launch: Launch, folder: string): Promise<void> {
  fillFolder(folder, launch.files);
  const { env, cwd } = call.place;
  const key = env[KEY] === undefined && env.ANTHROPIC_AUTH_TOKEN === undefined ? { [KEY]: "not-a-key" } : {};
  await new Promise<void>((resolve) => {
    const options = { cwd, env: { ...env, ...key, ...launch.env }, stdio: "ignore", timeout: TIMEOUT_MS } as const;
    const child = spawn(program, launch.args, options);
    child.once("error", () => resolve());
    child.once("exit", () => resolve());
  });
}
