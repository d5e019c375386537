import type { CommandSpec } from "./command.ts";
import { analyzeCommand } from "./commands/analyze-command.ts";
import { holdCommand, keepCommand, protectCommand, releaseCommand } from "./commands/decide.ts";
import { createDocsCommand } from "./commands/docs.ts";
import { doctorCommand } from "./commands/doctor.ts";
import { ejectCommand } from "./commands/eject.ts";
import { hookCommand } from "./commands/hook.ts";
import { initCommand } from "./commands/init.ts";
import { inspectCommand } from "./commands/inspect.ts";
import { mcpCommand } from "./commands/mcp.ts";
import { pauseCommand } from "./commands/pause.ts";
import { proxyCommand } from "./commands/proxy.ts";
import { purgeCommand } from "./commands/purge.ts";
import { recallCommand } from "./commands/recall.ts";
import { removeCommand } from "./commands/remove.ts";
import { replayCommand } from "./commands/replay.ts";
import { reportCommand } from "./commands/report.ts";
import { resumeCommand } from "./commands/resume.ts";
import { runCommand } from "./commands/run.ts";
import { simulateCommand } from "./commands/simulate-command.ts";
import { statsCommand } from "./commands/stats.ts";
import { statusCommand } from "./commands/status.ts";
import { windowCommand } from "./commands/window.ts";

/** Every command, in the order of the help. */
export const COMMANDS: readonly CommandSpec[] = [
  runCommand,
  proxyCommand,
  initCommand,
  removeCommand,
  analyzeCommand,
  replayCommand,
  inspectCommand,
  recallCommand,
  keepCommand,
  releaseCommand,
  holdCommand,
  protectCommand,
  windowCommand,
  reportCommand,
  mcpCommand,
  hookCommand,
  statsCommand,
  statusCommand,
  doctorCommand,
  pauseCommand,
  resumeCommand,
  ejectCommand,
  purgeCommand,
  simulateCommand,
  createDocsCommand(() => COMMANDS),
];
