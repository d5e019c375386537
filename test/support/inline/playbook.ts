import { isDeepStrictEqual } from "node:util";
import { createRawSseReader } from "../../../src/lib/sse-raw.ts";
import type { InlineRound } from "../../../src/model/aside.ts";
import type { FollowOptions, InlineCommand, InlineEvent, InlineMachine, Wire } from "../../../src/model/ports.ts";
import { createAnthropicMessages } from "../../../src/wires/anthropic-messages/index.ts";

/** What came of following the responses of a playbook. */
export interface Play {
  /** All that the client got. */
  readonly sent: string;
  /** Kinds of the commands in their order, sends that follow each other as one. */
  readonly commands: readonly string[];
  readonly rounds: readonly InlineRound[];
  /** Marks told at the end; null where it did not end. */
  readonly seen: readonly string[] | null;
}

interface Following {
  machine: InlineMachine;
  readonly sent: Buffer[];
  readonly commands: string[];
  readonly rounds: InlineRound[];
  seen: readonly string[] | null;
}

/** One response: its bytes, a body without streaming, an error in its place, or that the calls before it were not answered. */
export type Response =
  | string
  | readonly Uint8Array[]
  | { readonly whole: string }
  | { readonly refused: string }
  | { readonly unanswered: string };

/** Tools that are answered in playbooks. */
export const OPTIONS: FollowOptions = { toolNames: new Set(["ebb_recall"]), isStreaming: true, roundsMax: 5 };

/** Follows responses in their order: each one to its end, and where it asks for answers they are given. */
export function play(
  responses: readonly Response[],
  options: Partial<FollowOptions> = {},
  wire: Wire = createAnthropicMessages(),
): Play {
  const machine = wire.inline?.follow({ ...OPTIONS, ...options });
  if (machine === undefined) throw new Error("the wire has no inline part");
  const following: Following = { machine, sent: [], commands: [], rounds: [], seen: null };
  for (const [index, response] of responses.entries()) {
    const asked = following.rounds.length;
    respond(following, response);
    const next = responses[index + 1];
    const isUnanswered = typeof next === "object" && "unanswered" in next;
    if (following.rounds.length > asked && !isUnanswered) follow(following, { kind: "answered" });
  }
  const { sent, commands, rounds, seen } = following;
  return { sent: Buffer.concat(sent).toString(), commands, rounds, seen };
}

function respond(following: Following, response: Response): void {
  const error = errorIn(response);
  if (error !== null) {
    follow(following, failed(error));
    return;
  }
  if (typeof response === "string") stream(following, [Buffer.from(response)]);
  else if ("whole" in response) follow(following, { kind: "whole", body: Buffer.from(response.whole) });
  else if (Array.isArray(response)) stream(following, response);
  follow(following, { kind: "ended" });
}

function errorIn(response: Response): string | null {
  if (typeof response === "string") return null;
  if ("refused" in response) return response.refused;
  return "unanswered" in response ? response.unanswered : null;
}

function failed(error: string): InlineEvent {
  return { kind: "failed", error: Buffer.from(error) };
}

function stream(following: Following, chunks: readonly Uint8Array[]): void {
  const reader = createRawSseReader((event) => follow(following, { kind: "event", ...event }));
  for (const chunk of chunks) reader.push(chunk);
  const rest = reader.rest();
  if (rest.length > 0) follow(following, { kind: "event", name: "", data: "", raw: rest });
}

function follow(following: Following, event: InlineEvent): void {
  const [next, commands] = following.machine.step(event);
  const [, again] = following.machine.step(event);
  if (!isDeepStrictEqual(again, commands)) throw new Error("the same event gave other commands");
  following.machine = next;
  for (const command of commands) take(following, command);
}

function take(following: Following, command: InlineCommand): void {
  if (following.commands.at(-1) !== command.kind || command.kind !== "send") following.commands.push(command.kind);
  if (command.kind === "send") following.sent.push(Buffer.from(command.bytes));
  if (command.kind === "answer") following.rounds.push(command.round);
  if (command.kind === "end") following.seen = command.seen;
}
