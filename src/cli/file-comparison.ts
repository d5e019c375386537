import type { Place } from "../config/folders.ts";
import { type ComparedSession, type Configuration, compareRecording, passesOver } from "../replay/comparison.ts";
import { comparedConfigurations } from "./compared-settings.ts";
import type { Io } from "./io.ts";
import { type NamedModel, pricedAsNamed } from "./priced-model.ts";
import { openRecording } from "./replay-settings.ts";

/** What is compared, in a form that another thread takes. */
export interface ComparisonTask {
  /** Names of configurations, with commas. */
  readonly list: string;
  readonly model: NamedModel;
  readonly place: Place;
}

/** Told how much work there is, and how much of it is done. */
export interface WorkMeter {
  expect(more: number): void;
  advance(more: number): void;
}

/** The configurations of a task, under the model it names. Throws `UsageError` and `config_invalid`. */
export function configurationsOf({ list, model }: ComparisonTask, io: Io): readonly Configuration[] {
  const priced = pricedAsNamed(model);
  return comparedConfigurations(list, io).map(({ name, settings }) => ({ name, settings: priced(settings) }));
}

/** One file under each configuration. Throws as `openRecording` does. */
export async function compareFile(
  file: string,
  configurations: readonly Configuration[],
  io: Io,
  meter: WorkMeter,
): Promise<readonly ComparedSession[]> {
  const [first] = configurations;
  if (first === undefined) return [];
  const recording = await openRecording(file, first.settings, io);
  const requests = recording.contexts.flatMap((context) => context.requests).length;
  meter.expect(requests * passesOver(recording, configurations));
  return compareRecording(recording, configurations, () => meter.advance(1));
}
