import type { ServerResponse } from "node:http";
import { joined } from "../lib/joined.ts";
import type { InlineRound } from "../model/aside.ts";
import type { InlineEvent, InlineMachine } from "../model/ports.ts";
import type { Following } from "./following.ts";

/** What was told of a message so far. */
export interface Told {
  readonly machine: InlineMachine;
  /** Calls that wait for their answers. */
  readonly asked: InlineRound | null;
  /** `whole`: the client has all of the message. `cut`: it gets no more of it, and the message is not whole. */
  readonly state: "open" | "whole" | "cut";
}

/** Steps the machine with events and does what it says. What it lets through goes to `send` as one, which returns at once. */
export async function tell(
  { inline, desk }: Following,
  told: Told,
  events: readonly InlineEvent[],
  send: (bytes: Uint8Array) => void,
): Promise<Told> {
  let { machine, asked, state } = told;
  let waiting: Uint8Array[] = [];
  const flush = () => {
    if (waiting.length > 0) send(joined(waiting));
    waiting = [];
  };
  for (const event of events) {
    if (state === "cut") break;
    const [next, commands] = machine.step(event);
    machine = next;
    for (const command of commands) {
      switch (command.kind) {
        case "send":
          waiting.push(command.bytes);
          break;
        case "answer":
          asked = command.round;
          break;
        case "end":
          state = "whole";
          flush();
          // What was sent is still on its way: the client's next request finds this recorded.
          await inline.close(command.seen, desk.nowMs());
          break;
        case "cut":
          state = "cut";
          break;
      }
    }
  }
  flush();
  return { machine, asked, state };
}

/** Resolves once the client takes more, or left. */
export function drained(response: ServerResponse): Promise<void> {
  if (!response.writableNeedDrain || response.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const settle = () => {
      response.off("drain", settle).off("close", settle);
      resolve();
    };
    response.on("drain", settle).on("close", settle);
  });
}
