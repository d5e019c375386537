import type { ExitCode } from "../command.ts";

/** What a finding is about, in the order in which findings are shown. */
export const AREAS = [
  "installation",
  "configuration",
  "data folder",
  "store",
  "clock",
  "proxy",
  "agents",
  "requests",
  "self-test",
] as const;

export type Area = (typeof AREAS)[number];

/** One thing that was looked at. Whatever is not `ok` says how to fix it. */
export type Finding = {
  readonly area: Area;
  /** What was looked at, in a word or two. */
  readonly name: string;
  readonly words: string;
} & (
  | { readonly state: "ok"; readonly fix: null }
  /** `warn`: works, and needs attention. `fail`: does not work until it is fixed. */
  | { readonly state: "warn" | "fail"; readonly fix: string }
);

/** A finding that needs nothing. */
export function ok(area: Area, name: string, words: string): Finding {
  return { area, name, state: "ok", words, fix: null };
}

/** A finding that needs attention although Ebb works. */
export function warn(area: Area, name: string, told: Told): Finding {
  return { area, name, state: "warn", ...told };
}

/** A finding of something that does not work. */
export function fail(area: Area, name: string, told: Told): Finding {
  return { area, name, state: "fail", ...told };
}

/** What is the matter, and what to do about it. */
export interface Told {
  readonly words: string;
  readonly fix: string;
}

/** Without these Ebb cannot work at all. */
const NEEDED: readonly Area[] = ["installation", "configuration", "data folder", "store", "self-test"];

/** 0 where all is well, 2 where Ebb cannot work here as it is, 1 where something else needs attention. */
export function exitCodeOf(findings: readonly Finding[]): ExitCode {
  if (findings.some(({ area, state }) => state === "fail" && NEEDED.includes(area))) return 2;
  return findings.every(({ state }) => state === "ok") ? 0 : 1;
}
