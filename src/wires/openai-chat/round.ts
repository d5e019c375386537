import type { AsidePlace, InlineRound } from "../../model/aside.ts";
import { type CallDraft, identified, inputOf, jsonOfCall } from "./call-draft.ts";
import { callJson } from "./call-json.ts";
import { markOfCall, markOfText } from "./marks.ts";
import { type ThinkingDraft, thinkingJson } from "./thinking-draft.ts";

/** A message of the model, as far as it was told. */
export interface MessageDraft {
  /** Blank text of the rounds before it, which has no mark: it counts to the text that follows. */
  readonly blank: string;
  /** Of the response, so that calls of two of them are told apart. */
  readonly name: string;
  readonly words: string;
  readonly refusal: string;
  readonly thinking: ThinkingDraft;
  readonly calls: readonly CallDraft[];
}

/** Nothing was told yet. */
export const NO_MESSAGE: MessageDraft = { blank: "", name: "", words: "", refusal: "", thinking: new Map(), calls: [] };

/**
 * A round's message, and behind it its calls in their order; those without a shown index are calls that the client does not see. One of
 * these that repeats the id of another call gets one of its own: no provider takes two calls of one id.
 */
export function roundOf(draft: MessageDraft, seenBefore: readonly string[]): InlineRound {
  const { name, calls } = draft;
  const thought = thinkingJson(draft.thinking);
  const blocks = [messageJson(draft, thought)];
  const text = markOfText(spokenOf(draft));
  const seen = text === null ? [...seenBefore] : [...seenBefore, text];
  const held: InlineRound["calls"][number][] = [];
  const taken = new Set(calls.flatMap((call) => (isHeld(call) ? [] : [call.id])));
  for (const call of calls) {
    const own = identified(call, name, isHeld(call) ? taken : NONE);
    taken.add(own.id);
    const isFirst = held.length === 0;
    if (isHeld(own)) {
      const { id, name: tool } = own;
      held.push({ blockIndex: blocks.length, id, name: tool, input: inputOf(own), seenBefore: seen.length });
    } else seen.push(markOfCall(own.id));
    blocks.push(callJson({ thought: isHeld(own) && isFirst ? thought : "", call: jsonOfCall(own) }));
  }
  return { place: placeOf(calls), blocks, calls: held, seen, seenStart: seenBefore.length };
}

const NONE: ReadonlySet<string> = new Set();

/** What counts to the text of the next round: nothing, unless all was blank. */
export function blankOf(draft: MessageDraft): string {
  const spoken = spokenOf(draft);
  return markOfText(spoken) === null ? spoken : "";
}

function spokenOf({ blank, words }: MessageDraft): string {
  return blank + words;
}

/** Where the answers of a message stand: alone, or beside those of the client's own calls. */
function placeOf(calls: readonly CallDraft[]): AsidePlace {
  return calls.some((call) => !isHeld(call)) ? "beside" : "round";
}

/** True for a call that the client does not see. */
export function isHeld({ shownIndex }: Pick<CallDraft, "shownIndex">): boolean {
  return shownIndex === null;
}

/** Why a message may have ended that calls tools: some servers always say `stop`, or nothing. */
const ANSWERABLE: ReadonlySet<string | null> = new Set(["tool_calls", "function_call", "tool_use", "stop", null]);

/** True where the calls of a message that ended so are whole. */
export function isAnswerable(finishReason: string | null): boolean {
  return ANSWERABLE.has(finishReason);
}

function messageJson({ words, refusal }: MessageDraft, thought: string): string {
  const message = { role: "assistant", content: words === "" ? null : words, ...(refusal === "" ? {} : { refusal }) };
  return `${JSON.stringify(message).slice(0, -1)}${thought === "" ? "" : `,${thought}`}}`;
}
