import { clineFormat } from "./cline.ts";
import { corpusFormat } from "./corpus.ts";
import { geminiCliWhole } from "./gemini-cli.ts";
import type { WholeFormat } from "./log-collector.ts";
import { opencodeFormat } from "./opencode.ts";
import { openHandsFormat } from "./openhands.ts";
import { wholeRequests } from "./requests.ts";
import { miniSweAgentFormat, sweAgentFormat } from "./swe-agent.ts";

/** Logs that are one JSON value; the first that knows it reads the file. */
export const WHOLE_FORMATS: readonly WholeFormat[] = [
  corpusFormat,
  opencodeFormat,
  geminiCliWhole,
  sweAgentFormat,
  miniSweAgentFormat,
  openHandsFormat,
  clineFormat,
  wholeRequests,
];
