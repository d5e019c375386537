import { clineFormat } from "./cline.ts";
import { corpusFormat } from "./corpus.ts";
import { geminiCliWhole } from "./gemini-cli.ts";
import type { WholeFormat } from "./log-collector.ts";
import { opencodeFormat } from "./opencode.ts";
import { openHandsFormat } from "./openhands.ts";
import { wholeRequests } from "./requests.ts";
import { miniSweAgentFormat, sweAgentFormat } from "./swe-agent.ts";

/** Agents' logs that are one JSON value. */
export const AGENT_FORMATS: readonly WholeFormat[] = [
  corpusFormat,
  opencodeFormat,
  geminiCliWhole,
  sweAgentFormat,
  miniSweAgentFormat,
  openHandsFormat,
  clineFormat,
];

/** Files that are one JSON value; the first that knows it reads the file. */
export const WHOLE_FORMATS: readonly WholeFormat[] = [...AGENT_FORMATS, wholeRequests];
