import type { RecallChannel } from "../model/decision.ts";

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
  if (!PLAIN_NAME.test(name)) return false;
  const words = name.split(/[^A-Za-z0-9]+/);
  return words.at(-1) === "recall" && words.slice(0, -1).includes("ebb");
}
