import type { OptionKey } from "./options.ts";
import type { PolicyName } from "./resolved.ts";

/** What a preset states in place of the options' own defaults. */
export interface Preset {
  readonly pipeline: readonly PolicyName[];
  readonly values: Readonly<Partial<Record<OptionKey, unknown>>>;
}

const PIPELINE = ["sizebound", "readlifecycle"] as const;
const READS = {
  pays: true,
  "components.readlifecycle.cold_cache": true,
  "components.readlifecycle.quiet_steps": 1,
} as const;

/** Presets by name. */
export const PRESETS: Readonly<Record<"standard" | "tidy", Preset>> = {
  standard: { pipeline: PIPELINE, values: READS },
  tidy: {
    pipeline: PIPELINE,
    values: {
      ...READS,
      lifetimes: [
        { media: "image", steps: 3 },
        { kinds: ["fetch"], turns: 2 },
        { kinds: ["run"], steps: 20 },
      ],
    },
  },
};
