import type { Keeper, Prepared } from "../../src/keeper/contract.ts";
import type { JsonObject } from "../../src/model/json.ts";
import type { ResponseFacts } from "../../src/model/usage.ts";
import { betasOf, THINKING_BINDING_BETA } from "../../src/replay/simulated/betas.ts";
import { mismatchAnswerOf, refuseBinding } from "../../src/replay/simulated/binding.ts";
import { blocksOf, isThinking } from "../../src/replay/simulated/content.ts";
import { objectsOf, stringOf } from "../../src/replay/simulated/json.ts";
import type { Refusal } from "../../src/replay/simulated/refusal.ts";
import { type SigningPoint, signThinking } from "../../src/replay/simulated/signature.ts";
import { verifyThinking } from "../../src/replay/simulated/thinking.ts";
import { type Block, type BodyOptions, bodyOf, EMPTY_TALK, type Talk } from "./conversation.ts";
import { prepare, wire } from "./keeper.ts";

/** A model that signs its thinking over everything before it, and whose prices are on record. */
export const SIGNING_MODEL = "claude-opus-5-5";

/** What a provider that checks signatures makes of a request. */
export type Taken =
  | { readonly ok: true; readonly next: SigningPoint; readonly dropped: number }
  | { readonly ok: false; readonly words: string };

/** Checks a forwarded request as an enforcing provider does: every signature, and that the open round kept its thinking. */
export function takeSigned(
  sent: JsonObject,
  came: JsonObject,
  headers: readonly { readonly name: string; readonly value: string }[],
  binding: "none" | "prefix" = "prefix",
): Taken {
  const betas = betasOf(headers.map(({ value }) => value));
  const hasControls = betas.has(THINKING_BINDING_BETA);
  const refusal = refuseBinding(sent, hasControls);
  if (refusal !== null) return { ok: false, words: messageOf(refusal) };
  const onMismatch = mismatchAnswerOf(sent, { signatures: true, enforces: true });
  const verified = verifyThinking(sent, { binding, onMismatch, hasControls, cacheEdits: null });
  if (!verified.ok) return { ok: false, words: messageOf(verified.refusal) };
  if (openThinking(sent).join() !== openThinking(came).join()) {
    return { ok: false, words: "thinking blocks in the latest assistant message cannot be modified" };
  }
  return { ok: true, next: verified.next, dropped: verified.dropped.size };
}

function messageOf(refusal: Refusal): string {
  return refusal.words;
}

/** Signatures of the thinking in the round that waits for the results which the request brings. */
function openThinking(request: JsonObject): readonly string[] {
  const messages = objectsOf(request.messages);
  const last = messages.findLastIndex(({ role }) => role === "assistant");
  const hasResults = messages.slice(last + 1).some(({ content }) => blocksOf(content).some(isResult));
  if (!hasResults) return [];
  let start = last;
  while (start > 0 && !isSpoken(messages[start - 1])) start--;
  return messages
    .slice(start)
    .filter(({ role }) => role === "assistant")
    .flatMap(({ content }) => blocksOf(content).filter(isThinking))
    .map((block) => stringOf(block.signature));
}

function isResult({ type }: JsonObject): boolean {
  return type === "tool_result";
}

function isSpoken(message: JsonObject | undefined): boolean {
  return message?.role === "user" && !blocksOf(message.content).some(isResult);
}

/** How one request of a signed conversation went. */
export interface Answered {
  readonly prepared: Extract<Prepared, { kind: "forward" }>;
  readonly sent: JsonObject;
  readonly body: string;
  readonly taken: Taken;
}

/** A conversation whose thinking is signed over what was forwarded. */
export interface SignedTalk {
  talk: Talk;
  /** The model's answer to the last request, with thinking in front. */
  answer(thought: string | null, ...blocks: readonly Block[]): void;
  /** Sends the conversation as it stands; the provider refuses it where `refuses`, whatever it holds. */
  send(atMs: number, options?: BodyOptions & { readonly refuses?: boolean }): Promise<Answered>;
}

/** Begins one. */
export function signedTalk(keeper: Keeper, bodies: BodyOptions = {}): SignedTalk {
  let point: SigningPoint | null = null;
  const one: SignedTalk = {
    talk: EMPTY_TALK,
    answer(thought, ...blocks) {
      if (thought !== null && point === null) throw new Error("nothing was answered yet");
      const thinking =
        thought === null || point === null
          ? []
          : [{ type: "thinking", thinking: thought, signature: signThinking(point, thought) }];
      one.talk = { messages: [...one.talk.messages, { role: "assistant", content: [...thinking, ...blocks] }] };
    },
    async send(atMs, { refuses = false, ...options } = {}) {
      const body = bodyOf(one.talk, { model: SIGNING_MODEL, ...bodies, ...options });
      const prepared = await prepare(keeper, body, { atMs });
      if (prepared.kind === "refuse") throw new Error(prepared.words);
      const text = Buffer.concat(prepared.body).toString();
      const sent: JsonObject = JSON.parse(text);
      const checked = takeSigned(sent, JSON.parse(Buffer.from(body).toString()), prepared.headers);
      const taken: Taken = refuses ? { ok: false, words: "Invalid `signature` in `thinking` block" } : checked;
      if (taken.ok) point = taken.next;
      await prepared.finish(taken.ok ? ANSWERED : factsOfRefusal(taken.words), taken.ok ? 200 : 400);
      return { prepared, sent, body: text, taken };
    },
  };
  return one;
}

const ANSWERED: ResponseFacts = {
  usage: null,
  messageId: null,
  stopReason: null,
  errorType: null,
  calls: [],
  isComplete: true,
};

/** What the wire makes of a refusal. */
export function factsOfRefusal(message: string): ResponseFacts {
  const watcher = wire.watch(false);
  watcher.push(Buffer.from(JSON.stringify({ type: "error", error: { type: "invalid_request_error", message } })));
  return watcher.finish();
}
