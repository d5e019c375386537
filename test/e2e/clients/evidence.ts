import type { CapturedRequest } from "../../../src/replay/simulated/capture.ts";
import type { Ground } from "../../support/ground.ts";

interface Block {
  readonly type: string;
  readonly tool_use_id?: string;
  readonly is_error?: boolean;
  readonly content?: string | readonly { readonly type: string; readonly text?: string }[];
}

interface Body {
  readonly model: string;
  readonly tools?: readonly { readonly name?: string }[];
  readonly messages: readonly { readonly role: string; readonly content: string | readonly Block[] }[];
}

/** One marker as it stood in a request: the call whose result it replaces, its address, its whole text. */
export interface SeenMarker {
  readonly callId: string;
  readonly address: string;
  readonly text: string;
}

/** The result of one call as it stood in a request. */
export interface SentResult {
  readonly callId: string;
  readonly text: string;
  readonly isError: boolean;
}

/** Requests of the conversation itself, without the client's titles, probes and warm-ups. */
export function conversation(ground: Ground, model: string): readonly CapturedRequest[] {
  return ground.received().filter((request) => {
    const body = bodyOf(request.bodyRaw);
    return body.model === model && (body.tools ?? []).length > 0;
  });
}

/** What one request read from the cache and wrote to it; undefined where the provider answered without usage. */
export interface CacheUse {
  readonly read: number | undefined;
  readonly written: number | undefined;
}

/** Cache reads and writes of each request, as the provider billed them. */
export function cacheUse(requests: readonly CapturedRequest[]): readonly CacheUse[] {
  return requests.map(({ usage }) => ({ read: usage?.cacheReadTokens, written: usage?.cacheWrite5mTokens }));
}

/** Markers in a request's tool results, in order. */
export function markersIn(bodyText: string): readonly SeenMarker[] {
  return resultsIn(bodyText).flatMap(({ callId, text }) => {
    const address = /^\[ebb ([0-9a-z]{12})\]/.exec(text)?.[1];
    return address === undefined ? [] : [{ callId, address, text }];
  });
}

/** The text of one call's result in the last body that holds it in full; null when none does. */
export function sentResult(ground: Ground, callId: string): string | null {
  const texts = ground.sent().flatMap(({ body }) => resultsIn(body.toString("utf8")));
  return texts.findLast((each) => each.callId === callId)?.text ?? null;
}

/** Count of thinking blocks in a request. */
export function thinkingIn(bodyText: string): number {
  return blocksIn(bodyText).filter((block) => block.type === "thinking").length;
}

/** Tool results of a request, in order. */
export function resultsIn(bodyText: string): readonly SentResult[] {
  return blocksIn(bodyText)
    .filter((block) => block.type === "tool_result")
    .map((block) => ({
      callId: block.tool_use_id ?? "",
      text: textOf(block.content),
      isError: block.is_error === true,
    }));
}

/** Names of the tools that a request offers. */
export function toolNamesIn(bodyText: string): readonly string[] {
  return (bodyOf(bodyText).tools ?? []).map(({ name }) => name ?? "");
}

function blocksIn(bodyText: string): readonly Block[] {
  return bodyOf(bodyText).messages.flatMap(({ content }) => (typeof content === "string" ? [] : content));
}

function textOf(content: Block["content"]): string {
  if (typeof content === "string") return content;
  return (content ?? []).map((part) => part.text ?? "").join("");
}

function bodyOf(text: string): Body {
  return JSON.parse(text) as Body;
}
