import type { Dialect } from "../model/ports.ts";

/** Whether a shell read is a read: `auto` for agents that read files in no other way. */
export type ShellReads = "auto" | "on" | "off";

/** Evidence that counts beside the agent's own file tools, as it is configured. */
export interface EvidenceOptions {
  /** Shell commands whose text names the file they write. */
  readonly bashEdits: boolean;
  /** The harness's own word that a file changed. */
  readonly harnessNotices: boolean;
  readonly shellReads: ShellReads;
}

/** The same for the requests of one agent. */
export interface EvidenceSources extends Omit<EvidenceOptions, "shellReads"> {
  /** Shell commands that print lines of one named file. */
  readonly shellReads: boolean;
}

/** What counts as evidence in the requests of one agent. */
export function evidenceSourcesOf(options: EvidenceOptions, { readsThroughShell }: Dialect): EvidenceSources {
  const { bashEdits, harnessNotices, shellReads } = options;
  return { bashEdits, harnessNotices, shellReads: shellReads === "auto" ? readsThroughShell : shellReads === "on" };
}
