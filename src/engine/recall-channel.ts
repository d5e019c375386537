import type { RecallChannel } from "../model/decision.ts";

const EBB_TOOLS: ReadonlySet<string> = new Set(["recall", "hold", "release", "window"]);
const PLAIN_NAME = /^[\w.:/-]{1,128}$/;

/**
 * The way back a request offers: Ebb's own tool where its tools hold it, a shell command where they can run one, else
 * none. A tool is Ebb's when its name ends in the word `recall` and a word before it is `ebb`, whatever the client puts
 * between or before them.
 */
export function recallChannelOf(toolNames: readonly string[], command: string | null): RecallChannel {
  const name = toolNames.find(isEbbRecall);
  if (name !== undefined) return { kind: "tool", name };
  return command === null ? { kind: "none" } : { kind: "command", command };
}

/** True for the name under which a client offers the recall tool of Ebb. */
export function isEbbRecall(name: string): boolean {
  return ebbToolOf(name) === "recall";
}

/** Which of Ebb's own tools a client offers under a name; null for any other tool. */
export function ebbToolOf(name: string): string | null {
  if (!PLAIN_NAME.test(name)) return null;
  const words = name.split(/[^A-Za-z0-9]+/);
  const last = words.at(-1) ?? "";
  return EBB_TOOLS.has(last) && words.slice(0, -1).includes("ebb") ? last : null;
}
