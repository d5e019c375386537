import type { Outcome } from "../model/acquisition.ts";
import type { Dialect } from "../model/ports.ts";
import type { RequestHeader } from "../model/transcript.ts";
import { runTool } from "./tools/plain-tools.ts";
import { toDialect } from "./tools/tool-dialect.ts";
import { isPlainText } from "./tools/user-texts.ts";

const OWN_WORDS = "a helpful assistant that can interact with a computer";
const ANSWER = /^<returncode>(-?\d+)<\/returncode>\s*/;
const OUTPUT = /^<returncode>0<\/returncode>\s*<output>\r?\n?([\s\S]*)<\/output>\s*$/;
const CLIENT_TEXTS = ["The last command <command>", "Please always provide EXACTLY ONE action"];

const bash = runTool({
  command: ["command"],
  directory: [],
  outcomeOf: commandOutcome,
  outputOf: (text) => OUTPUT.exec(text)?.[1] ?? null,
});

/** mini-swe-agent, which has a shell and nothing else. Source: SWE-agent/mini-swe-agent, src/minisweagent/config/mini.yaml. */
export function createMiniSweAgentDialect(): Dialect {
  return toDialect({
    name: "mini-swe-agent",
    toolOf: (name) => (name === "bash" ? bash : undefined),
    recognises,
    isTyped: (text) => isPlainText(text) && !ANSWER.test(text) && !CLIENT_TEXTS.some((words) => text.startsWith(words)),
    isSummary: () => false,
    workingDirectoryOf: () => null,
    readsThroughShell: true,
    resetsDirectory: true,
  });
}

function recognises({ toolNames, systemTexts }: RequestHeader): boolean {
  const isOwnSet = toolNames.length === 0 || (toolNames.length === 1 && toolNames[0] === "bash");
  return isOwnSet && systemTexts.some((text) => text.includes(OWN_WORDS));
}

function commandOutcome(text: string): Outcome {
  const code = ANSWER.exec(text)?.[1];
  if (code === undefined) return text.includes(" timed out and has been killed.") ? "interrupted" : "failed";
  return code === "0" ? "ok" : "failed";
}
