import type { OptionKey } from "./options.ts";
import type { PolicyName } from "./resolved.ts";

/** What a preset states in place of the options' own defaults. */
export interface Preset {
  readonly pipeline: readonly PolicyName[];
  readonly values: Readonly<Partial<Record<OptionKey, unknown>>>;
}

/** Presets by name. */
export const PRESETS: Readonly<Record<"standard", Preset>> = {
  standard: {
    pipeline: ["sizebound", "readlifecycle"],
    values: { "components.readlifecycle.cold_cache": true, "components.readlifecycle.quiet_steps": 5 },
  },
};
