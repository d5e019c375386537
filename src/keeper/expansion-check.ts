import type { Digest, Item } from "../model/item.ts";
import type { WireSource } from "../model/ports.ts";
import type { RequestHeader } from "../model/transcript.ts";

/** What was meant to be put into a body. */
export interface Meant {
  /** Ids of the calls of asides. */
  readonly calls: ReadonlySet<string>;
  readonly toolNames: readonly string[];
  /** Digests of thinking that calls bring with them. */
  readonly thoughts: ReadonlySet<Digest>;
  /** Bytes of all JSON that is put in. */
  readonly bytes: number;
  /** How many pieces of it there are. */
  readonly pieces: number;
}

/** Commas, and the message around a piece. */
const FRAME_BYTES_MAX = 64;

/**
 * Ebb's own check of an expanded body: without the calls and results that were put in it is the body that came, item by item; its
 * tools are those that came and then Ebb's; and it is no longer than all that. Words name the first difference; null for none.
 */
export function expansionFault(received: WireSource, expanded: WireSource, meant: Meant): string | null {
  const { transcript } = expanded;
  const headerFault = differentHeader(received.transcript.header, transcript.header, meant.toolNames);
  if (headerFault !== null) return headerFault;
  const own = transcript.items.filter((item) => !isPutIn(item, meant.calls));
  return differentItem(received, { source: expanded, own }, meant) ?? unpairedFault(transcript.items, meant.calls);
}

/** Every item that came stands there in its order; a text of the model may be parted, and thinking may stand in front of calls. */
function differentItem(
  received: WireSource,
  { source, own }: { readonly source: WireSource; readonly own: readonly Item[] },
  { thoughts }: Meant,
): string | null {
  const { items } = received.transcript;
  let at = 0;
  for (const [index, item] of items.entries()) {
    while (isThought(own[at], item, thoughts)) at += 1;
    const count = isSame(item, own[at]) ? 1 : partsOf(item, received, own.slice(at, at + PARTS_MAX), source);
    if (count === 0) return own[at] === undefined ? `item ${index} is missing` : `item ${index} is another than came`;
    at += count;
  }
  const rest = own.slice(at).filter((item) => !isThought(item, undefined, thoughts));
  return rest.length === 0 ? null : `${rest.length} items stand behind those that came`;
}

/** More than one message of the model has rounds. */
const PARTS_MAX = 16;

function isThought(item: Item | undefined, came: Item | undefined, thoughts: ReadonlySet<Digest>): boolean {
  return item?.kind === "thinking" && !isSame(item, came) && thoughts.has(item.digest);
}

/** How many texts of the model that follow each other are the one that came; 0 where they are not. */
function partsOf(came: Item, received: WireSource, parts: readonly Item[], source: WireSource): number {
  if (came.kind !== "text" || came.role !== "assistant") return 0;
  let rest = received.textOf(came);
  for (const [index, part] of parts.entries()) {
    if (part.kind !== "text" || part.role !== "assistant") return 0;
    const text = source.textOf(part);
    if (!rest.startsWith(text)) return 0;
    rest = rest.slice(text.length);
    if (rest === "") return index + 1;
  }
  return 0;
}

/** The same of the bytes: nothing but what was meant was added. */
export function lengthFault(receivedBytes: number, expandedBytes: number, { bytes, pieces }: Meant): string | null {
  const added = expandedBytes - receivedBytes;
  return added <= bytes + pieces * FRAME_BYTES_MAX ? null : `${added} bytes were put in where ${bytes} were meant`;
}

function differentHeader(came: RequestHeader, goes: RequestHeader, toolNames: readonly string[]): string | null {
  const isSame =
    goes.model === came.model &&
    goes.isStreaming === came.isStreaming &&
    goes.parts.system === came.parts.system &&
    goes.hasServerClear === came.hasServerClear &&
    goes.headBreakpoints === came.headBreakpoints;
  if (!isSame) return "the request states other parameters than came";
  const names = [...came.toolNames, ...toolNames];
  const areSame =
    names.length === goes.toolNames.length && names.every((name, index) => goes.toolNames[index] === name);
  return areSame ? null : "the tools are not those that came and then Ebb's";
}

function isPutIn(item: Item, calls: ReadonlySet<string>): boolean {
  if (item.kind === "call") return calls.has(item.callId);
  return (item.kind === "result" || item.kind === "media") && item.callId !== null && calls.has(item.callId);
}

function isSame(left: Item, right: Item | undefined): boolean {
  return right !== undefined && left.kind === right.kind && left.role === right.role && left.digest === right.digest;
}

/** Each call that was put in comes once, and its result behind it. */
function unpairedFault(items: readonly Item[], calls: ReadonlySet<string>): string | null {
  const state = new Map<string, "called" | "answered">();
  for (const item of items) {
    if (item.kind !== "call" && item.kind !== "result") continue;
    if (!calls.has(item.callId)) continue;
    const before = state.get(item.callId);
    if (item.kind === "call" && before !== undefined) return `the call ${item.callId} was put in twice`;
    if (item.kind === "result" && before !== "called") return `the result of ${item.callId} does not follow its call`;
    state.set(item.callId, item.kind === "call" ? "called" : "answered");
  }
  const open = Array.from(state).find(([, one]) => one === "called");
  return open === undefined ? null : `the call ${open[0]} has no result`;
}
