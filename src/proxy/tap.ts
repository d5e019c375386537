import type { Transform } from "node:stream";
import type { ResponseWatcher } from "../model/ports.ts";
import type { ResponseFacts } from "../model/usage.ts";
import { createDecoder } from "./content-coding.ts";
import { tokensIn } from "./headers.ts";
import { TAP_DECODED_BYTES_MAX, TAP_WAITING_BYTES_MAX } from "./limits.ts";

/** What is known of a response nobody could watch. */
export const UNKNOWN_FACTS: ResponseFacts = {
  usage: null,
  messageId: null,
  stopReason: null,
  errorType: null,
  calls: [],
  isComplete: false,
};

/** Reads along with a response. It never delays, changes or breaks what the client gets. */
export interface Tap {
  push(chunk: Uint8Array): void;
  /** Resolves when everything pushed was watched; never rejects. */
  finish(): Promise<ResponseFacts>;
}

export interface TapLimits {
  readonly waitingBytesMax: number;
  readonly decodedBytesMax: number;
}

const LIMITS: TapLimits = { waitingBytesMax: TAP_WAITING_BYTES_MAX, decodedBytesMax: TAP_DECODED_BYTES_MAX };

/** A tap for a response with this `Content-Encoding`. `onGiveUp` is called once where the tap must stop watching. */
export function createTap(
  watcher: ResponseWatcher,
  contentEncoding: string | null,
  onGiveUp: () => void,
  limits: TapLimits = LIMITS,
): Tap {
  const codings = tokensIn(contentEncoding ?? "").filter((coding) => coding !== "identity");
  const [coding, second] = codings;
  const watch = createGuard(watcher, onGiveUp, limits.decodedBytesMax);
  if (coding === undefined) return { push: watch.push, finish: () => Promise.resolve(watch.finish()) };
  return createDecodingTap(second === undefined ? coding : "several", watch, limits.waitingBytesMax);
}

interface Guard {
  push(chunk: Uint8Array): void;
  giveUp(): void;
  isWatching(): boolean;
  finish(): ResponseFacts;
}

/** Keeps a watcher's faults and an endless response away from the exchange. */
function createGuard(watcher: ResponseWatcher, onGiveUp: () => void, bytesMax: number): Guard {
  let bytes = 0;
  let isWatching = true;
  const giveUp = () => {
    if (isWatching) onGiveUp();
    isWatching = false;
  };
  const push = (chunk: Uint8Array) => {
    bytes += chunk.length;
    if (bytes > bytesMax) giveUp();
    if (!isWatching) return;
    try {
      watcher.push(chunk);
    } catch {
      giveUp();
    }
  };
  const finish = () => {
    if (!isWatching) return UNKNOWN_FACTS;
    try {
      return watcher.finish();
    } catch {
      giveUp();
      return UNKNOWN_FACTS;
    }
  };
  return { push, giveUp, isWatching: () => isWatching, finish };
}

function createDecodingTap(coding: string, watch: Guard, waitingBytesMax: number): Tap {
  let decoder: Transform | null = null;
  let ended: Promise<void> = Promise.resolve();
  let isOpen = true;
  const close = () => {
    isOpen = false;
    watch.giveUp();
    decoder?.destroy();
  };
  const open = (first: Uint8Array) => {
    decoder = createDecoder(coding, first);
    if (decoder === null) return close();
    const stream = decoder;
    ended = new Promise((resolve) => {
      stream.once("end", resolve).once("close", resolve);
      // A damaged or cut response: what was decoded before stays known.
      stream.once("error", () => {
        isOpen = false;
        resolve();
      });
    });
    stream.on("data", (chunk: Buffer) => {
      watch.push(chunk);
      if (!watch.isWatching()) close();
    });
  };
  const push = (chunk: Uint8Array) => {
    if (!isOpen) return;
    if (decoder === null) open(chunk);
    if (decoder === null || !isOpen) return;
    if (decoder.writableLength + chunk.length > waitingBytesMax) return close();
    decoder.write(chunk);
  };
  const finish = async () => {
    if (isOpen) decoder?.end();
    await ended;
    return watch.finish();
  };
  return { push, finish };
}
