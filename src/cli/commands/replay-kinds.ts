import type { ResolvedConfig } from "../../config/resolved.ts";
import { type ColdFigures, coldAt } from "../../replay/cold-at.ts";
import type { ReplaySettings } from "../../replay/lane.ts";
import { type ReanchorFigures, reanchorFigures } from "../../replay/reanchor.ts";
import { coldAtLines, NO_SUM_WORDS } from "../cold-at-lines.ts";
import { type ExitCode, type GivenArguments, UsageError } from "../command.ts";
import { type Io, printLine } from "../io.ts";
import { createLateBar } from "../late-bar.ts";
import { reanchorLines } from "../reanchor-lines.ts";
import { analysisPartsOf, openRecording } from "../replay-settings.ts";

/** `ebb replay --reanchor`: what writing stale reads out of the cached prefix costs once and saves from then on. */
export async function replayReanchor(
  given: GivenArguments,
  { config, settings }: { readonly config: ResolvedConfig; readonly settings: ReplaySettings },
  io: Io,
): Promise<ExitCode> {
  const parts = {
    analysis: analysisPartsOf(settings),
    traitsOf: settings.traitsOf,
    factsOf: (model: string | null) => settings.providerOf("anthropic-messages", model).modelFacts(model),
    minTokens: config.readLifecycle.minTokens,
  };
  const sessions: ReanchorFigures[] = [];
  const bar = createLateBar(io.progress, given.positional.length);
  for (const file of given.positional) {
    sessions.push(reanchorFigures(await openRecording(file, settings, io), parts));
    bar.advance(1);
  }
  bar.stop();
  if (given.isSet("json")) printLine(io, JSON.stringify({ sessions }, null, 2));
  else for (const line of sessions.flatMap(reanchorLines)) printLine(io, line);
  return 0;
}

/** Each request goes out twice, with Ebb and without. */
const LANES = 2;

/** `ebb replay --cold-at N`: one request of each file as if nothing of it were cached any more. */
export async function replayColdAt(given: GivenArguments, settings: ReplaySettings, io: Io): Promise<ExitCode> {
  const number = requestNumber(given.textOf("cold-at") ?? "");
  const sessions: ColdFigures[] = [];
  for (const file of given.positional) {
    const recording = await openRecording(file, settings, io);
    const bar = createLateBar(io.progress, LANES * number);
    const outcome = await coldAt(recording, number, { ...settings, onRequest: () => bar.advance(1) });
    bar.stop();
    if (!outcome.ok) throw new UsageError(`--cold-at: ${file} ${outcome.words}`);
    sessions.push(outcome.figures);
  }
  if (given.isSet("json")) printLine(io, JSON.stringify({ sessions }, null, 2));
  else for (const line of sessions.flatMap(coldAtLines)) printLine(io, line);
  if (sessions.length > 1 && !given.isSet("json")) printLine(io, NO_SUM_WORDS);
  return 0;
}

function requestNumber(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new UsageError(`--cold-at: expected the number of a request, from 1, got ${JSON.stringify(text)}`);
}
