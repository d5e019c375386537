import type { Keeper, Prepared } from "../../../src/keeper/contract.ts";
import type { InlineRound } from "../../../src/model/aside.ts";
import type { InlineEvent, InlineMachine } from "../../../src/model/ports.ts";
import type { ToolAnswer } from "../../../src/model/tool.ts";
import type { Usage } from "../../../src/model/usage.ts";
import { prepare, type SendOptions, wire } from "../keeper.ts";
import { messageOf, type RoundMessage } from "./messages.ts";

export type Forward = Extract<Prepared, { kind: "forward" }>;

/** What a client and a provider saw of one message of the model. */
export interface Answered {
  /** Bodies that reached the provider, round by round. */
  readonly sent: readonly string[];
  /** The message as the client has it; null where it got none. */
  readonly content: readonly { readonly type: string; readonly [name: string]: unknown }[] | null;
  readonly prepared: readonly Forward[];
}

/** How a message is asked for. */
export interface AskOptions extends SendOptions {
  answer?(call: InlineRound["calls"][number]): ToolAnswer;
  /** Answers each body as it leaves; left out, nothing of it is known. */
  usageOf?(body: string): Usage;
  /** The client goes away before the message ends. */
  readonly isCut?: boolean;
}

/** An answer of one text. */
export function answerOf(text: string): ToolAnswer {
  return { content: [{ type: "text", text }], failure: null };
}

/** What the model answers to each request of a message; null: nothing. */
export type Model = (asked: Forward, index: number) => Promise<RoundMessage | null>;

/** Asks for a message as the proxy would, the model answering with these rounds. Fails on a refusal. */
export async function ask(
  keeper: Keeper,
  body: Uint8Array,
  rounds: readonly RoundMessage[] | Model,
  options: AskOptions = {},
): Promise<Answered> {
  const first = await prepare(keeper, body, options);
  if (first.kind === "refuse") throw new Error(`refused: ${first.words}`);
  const prepared: Forward[] = [first];
  const sent: string[] = [textOf(first)];
  const follow: Following = { machine: machineFor(first), prepared, sent, content: null, options };
  const model: Model = typeof rounds === "function" ? rounds : async (_, index) => rounds[index] ?? null;
  for (let index = 0; index < prepared.length || Array.isArray(rounds); index++) {
    const current = prepared.at(-1) ?? first;
    const message = await model(current, index);
    if (message === null) break;
    const usage = options.usageOf?.(sent.at(-1) ?? "") ?? null;
    const calls = message.blocks.flatMap(({ type, id, name }) =>
      type === "tool_use" ? [{ id: String(id), name: String(name) }] : [],
    );
    const told = { usage, messageId: null, stopReason: "end_turn", errorType: null, calls, isComplete: true };
    const whole = Buffer.from(JSON.stringify(messageOf(message)));
    if (follow.machine === null) follow.content = JSON.parse(whole.toString()).content;
    const round = follow.machine === null ? null : await step(follow, { kind: "whole", body: whole });
    await current.finish(told, 200);
    if (round !== null) await pin(follow, round);
  }
  return { sent, content: follow.content, prepared };
}

/** The bytes that a prepared request sends. */
export function textOf(prepared: Prepared): string {
  if (prepared.kind === "refuse") throw new Error(`refused: ${prepared.words}`);
  return Buffer.concat(prepared.body).toString("utf8");
}

interface Following {
  machine: InlineMachine | null;
  readonly prepared: Forward[];
  readonly sent: string[];
  content: Answered["content"];
  readonly options: AskOptions;
}

function machineFor({ inline }: Forward): InlineMachine | null {
  if (inline === null || wire.inline === null) return null;
  return wire.inline.follow({ toolNames: inline.toolNames, isStreaming: false, roundsMax: 5 });
}

/** Answers the round whose calls are to be answered. */
async function step(following: Following, event: InlineEvent): Promise<InlineRound | null> {
  if (following.machine === null) return null;
  const [next, commands] = following.machine.step(event);
  following.machine = next;
  const { options, prepared } = following;
  const { inline } = prepared.at(-1) ?? { inline: null };
  for (const command of commands) {
    if (command.kind === "send") following.content = JSON.parse(Buffer.from(command.bytes).toString()).content;
    if (command.kind === "end" && options.isCut !== true) await inline?.close(command.seen, options.atMs ?? 1_000_000);
  }
  const asked = commands.find(({ kind }) => kind === "answer");
  return asked?.kind === "answer" ? asked.round : null;
}

async function pin(following: Following, round: InlineRound): Promise<void> {
  const { options, prepared, sent } = following;
  const answers = round.calls.map((call) => options.answer?.(call) ?? answerOf(`answer of ${call.id}`));
  const pinned = await prepared.at(-1)?.inline?.pin(round, answers, options.atMs ?? 1_000_000);
  if (pinned === undefined || !pinned.ok) throw new Error(pinned?.words ?? "nothing pins");
  if (pinned.next !== null) {
    prepared.push(pinned.next);
    sent.push(textOf(pinned.next));
  }
  await step(following, { kind: "answered" });
}
