import { sha256Hex } from "../../lib/hash.ts";
import type { TokenCounter } from "../../model/ports.ts";
import type { RecordedBlock, RecordedContext, RecordedMessage, RecordedRequest } from "../recording.ts";
import type { RecordedBody } from "./request-bodies.ts";

/**
 * Contexts of recorded request bodies: a request continues the context whose last request it extends, else it opens
 * one. Bodies are the recorded bytes.
 */
export function toBodyContexts(bodies: readonly RecordedBody[], counter: TokenCounter): readonly RecordedContext[] {
  const chains: RecordedBody[][] = [];
  for (const body of bodies.map(withSharedBlocks())) {
    const chain = chains.findLast((candidate) => extendsLast(candidate, body));
    if (chain === undefined) chains.push([body]);
    else chain.push(body);
  }
  return chains.map((chain, index) => toContext(chain, index, counter));
}

function toContext(chain: readonly RecordedBody[], index: number, counter: TokenCounter): RecordedContext {
  const last = chain.at(-1);
  const empty = new Uint8Array();
  return {
    id: `conversation ${index + 1}`,
    kind: "main",
    sessionId: chain.find(({ sessionId }) => sessionId !== null)?.sessionId ?? null,
    wire: last?.wire ?? "anthropic-messages",
    requests: chain.map(toRequest),
    overheadTokens: (last?.headTexts ?? []).reduce((sum, text) => sum + counter.count(text), 0),
    problems: chain.flatMap((body) => body.problems),
    history: () => last?.bytes ?? empty,
  };
}

function toRequest({ atMs, model, messageId, usage, wire, bytes, messages }: RecordedBody): RecordedRequest {
  return { atMs, model, messageId, usage, isLive: true, wire, body: bytes, messages: () => messages };
}

function extendsLast(chain: readonly RecordedBody[], body: RecordedBody): boolean {
  if (chain.at(-1)?.wire !== body.wire) return false;
  const before = chain.at(-1)?.messages ?? [];
  return (
    before.length <= body.messages.length &&
    before.every((message, index) => isSameMessage(message, body.messages[index]))
  );
}

function isSameMessage(a: RecordedMessage, b: RecordedMessage | undefined): boolean {
  if (b === undefined || a.role !== b.role || a.blocks.length !== b.blocks.length) return false;
  return a.blocks.every((block, index) => block === b.blocks[index]);
}

/** Gives equal blocks of all bodies one object, which is what makes them countable once. */
function withSharedBlocks(): (body: RecordedBody) => RecordedBody {
  const known = new Map<string, RecordedBlock>();
  const share = (block: RecordedBlock): RecordedBlock => {
    const name = `${block.role} ${sha256Hex(block.json)}`;
    const first = known.get(name);
    if (first !== undefined) return first;
    known.set(name, block);
    return block;
  };
  return (body) => ({
    ...body,
    messages: body.messages.map((message) => ({ role: message.role, blocks: message.blocks.map(share) })),
  });
}
