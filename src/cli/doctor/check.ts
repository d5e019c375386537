import type { Place } from "../../config/folders.ts";
import type { ResolvedConfig } from "../../config/resolved.ts";
import type { StoreLook } from "../../stores/sqlite-look.ts";
import type { Area, Finding } from "./finding.ts";
import type { ProxySeen } from "./proxy-look.ts";

/** One thing to look at. What it saw is judged apart, by a pure function beside it. */
export interface Check {
  readonly area: Area;
  readonly name: string;
  /** When it is given up, in milliseconds. */
  readonly deadlineMs: number;
  run(premises: Premises): Promise<readonly Finding[]>;
}

/** What checks may look at. */
export interface Premises {
  readonly place: Place;
  /** The configuration in force; the defaults where it was refused. */
  readonly config: ResolvedConfig;
  /** Why the configuration was refused, one reason a line; null where it was not. */
  readonly refusal: string | null;
  readonly machine: Machine;
  /** Folder of this package. */
  readonly packageFolder: string;
  readonly version: string;
  readonly startedAt: ClockReading;
  /** What answers on the configured port; asked once. */
  proxy(): Promise<ProxySeen>;
  /** What the store's file is; looked at once. */
  store(): StoreLook;
}

/** What the process runs on. */
export interface Machine {
  readonly nodeVersion: string;
  readonly architecture: string;
  /** Effective user; null where there are none. */
  readonly userId: number | null;
  /** Path of another build of the store's driver; null for the installed one. */
  readonly addon: string | null;
  readonly temporaryFolder: string;
  readonly nowMs: () => number;
  /** Milliseconds that never go back. */
  readonly steadyMs: () => number;
  /** Addresses by which other machines may reach this one. */
  readonly outerAddresses: () => readonly string[];
}

/** Two clocks read at one moment, in milliseconds. */
export interface ClockReading {
  readonly wallMs: number;
  /** Never goes back. */
  readonly steadyMs: number;
}

/** Both clocks of a machine, now. */
export function readClocks({ nowMs, steadyMs }: Pick<Machine, "nowMs" | "steadyMs">): ClockReading {
  return { wallMs: nowMs(), steadyMs: steadyMs() };
}
