import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { ResolvedConfig } from "../../config/resolved.ts";
import { findProgram } from "../doctor/program-search.ts";
import type { Io } from "../io.ts";
import { pausedSince } from "../pause-file.ts";
import { accountLines } from "./account.ts";
import type { Agent, AgentCall, Launch } from "./agent.ts";
import { type ChildEnd, runChild } from "./child.ts";
import { startLines } from "./greeting.ts";
import { privateFolderOf } from "./private-folder.ts";
import { readLocks } from "./proxy-lock.ts";
import { routeEndsOf } from "./route.ts";
import { RUN_LOG_NAME } from "./run-log.ts";
import { openRunProxy } from "./run-proxy.ts";
import { toolServerOf } from "./tool-server.ts";

/** One start of an agent as it was ordered. */
export interface RunOrder {
  readonly agent: Agent;
  readonly program: string;
  readonly args: readonly string[];
  /** Its upstream counts where it was stated, else that of the agent. */
  readonly config: ResolvedConfig;
  readonly isFresh: boolean;
  readonly isQuiet: boolean;
}

/** Runs an agent through Ebb, tells before and after what that means, and answers the agent's exit code. */
export async function runAgent(order: RunOrder, io: Io): Promise<number> {
  const { agent, program, args } = order;
  if (findProgram(program, io.place) === null) {
    io.err(`ebb: ${program}: there is no such program on the path\n`);
    return NOT_FOUND;
  }
  const call: AgentCall = { args, place: io.place, ask: (questions) => answerOf(program, questions, io) };
  const aside = asideWords(agent, call);
  if (aside === null) return runThrough(order, call, io);
  if (aside !== "" && !order.isQuiet) io.err(`ebb: ${agent.title} is started without Ebb: ${aside}\n`);
  return codeOf(await start(order, { args, env: {}, files: {} }, io), order, io);
}

/** Why the agent is started as it is, empty where that needs no words; null where it goes through Ebb. */
function asideWords(agent: Agent, call: AgentCall): string | null {
  const [first = "", ...rest] = call.args;
  const asksOnly = rest.length === 0 && QUESTIONS.has(first) && agent.name !== "";
  return asksOnly || agent.plainCommands.has(first) ? "" : agent.obstacle(call);
}

/** Arguments that make every agent print something and end. */
const QUESTIONS: ReadonlySet<string> = new Set(["--help", "-h", "--version", "-v", "-V"]);

async function runThrough(order: RunOrder, call: AgentCall, io: Io): Promise<number> {
  const { agent, program, isFresh, isQuiet } = order;
  const { dataFolder, mode } = order.config;
  const run = randomBytes(RUN_NAME_BYTES).toString("base64url");
  const { isUpstreamStated } = order.config;
  const { upstream, version } = routeEndsOf(agent, call, {
    configured: isUpstreamStated ? order.config.upstream : null,
    locks: readLocks(dataFolder),
    ownPort: order.config.port,
  });
  const config = { ...order.config, upstream, isUpstreamStated: true };
  const proxy = await openRunProxy({ config, run, isFresh });
  const folder = privateFolderOf(dataFolder, run);
  let end: ChildEnd;
  try {
    const tools = toolServerOf(config);
    const route = { baseUrl: proxy.baseUrl + version, isUpstreamStated, tools, folder: folder.path };
    const launch = agent.launchOf(call, route);
    folder.fill(launch.files);
    const isPaused = pausedSince(dataFolder) !== null;
    if (!isQuiet) say(startLines({ agent, program, upstream, mode, isPaused, ...proxy }), io);
    end = await start(order, launch, io);
  } catch (error) {
    await proxy.end();
    throw error;
  } finally {
    folder.remove();
  }
  const stats = await proxy.end();
  if (end.kind === "ended") {
    const isPaused = pausedSince(dataFolder) !== null;
    const logFile = proxy.isShared ? null : join(dataFolder, RUN_LOG_NAME);
    say(accountLines({ agent, mode, isPaused, port: proxy.port, stats, logFile }), io);
  }
  return codeOf(end, order, io);
}

/** As shells have it. */
const NOT_FOUND = 127;
/** Bytes of the name that tells a run from all others. */
const RUN_NAME_BYTES = 12;
const ANSWER_TIMEOUT_MS = 10_000;

function start({ program }: RunOrder, launch: Launch, { place }: Io): Promise<ChildEnd> {
  return runChild({ program, args: launch.args, env: { ...place.env, ...launch.env }, cwd: place.cwd });
}

function codeOf(end: ChildEnd, { program }: RunOrder, io: Io): number {
  if (end.kind === "not started") io.err(`ebb: ${program}: ${end.words}\n`);
  return end.code;
}

function say(lines: readonly string[], io: Io): void {
  for (const line of lines) io.err(`ebb: ${line}\n`);
}

function answerOf(program: string, args: readonly string[], { place }: Io): string {
  const options = { cwd: place.cwd, env: place.env, encoding: "utf8", timeout: ANSWER_TIMEOUT_MS } as const;
  const { stdout, stderr } = spawnSync(program, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  return `${stdout ?? ""}${stderr ?? ""}`;
}
