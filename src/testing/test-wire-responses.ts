import { deepEqual, equal, ok } from "node:assert/strict";
import type { ResponseWatcher, Wire } from "../model/ports.ts";
import type { ResponseFacts } from "../model/usage.ts";

/** A response of the wire's format as it was sent, with a name for the checks' titles. */
export interface SampleResponse {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** As its content type says. */
  readonly isStreaming: boolean;
}

/** Most places at which one response is cut in two; of a longer one some, evenly. */
const CUTS_MAX = 1_000;
/** Ways in which a response is cut into many chunks. */
const RANDOM_SPLITS = 40;
const CHUNK_BYTES_MAX = 24;

/** What a watcher of this wire learns of a response that comes in one chunk. */
export function factsOfWhole(wire: Wire, { bytes, isStreaming }: SampleResponse): ResponseFacts {
  return watched(wire.watch(isStreaming), [bytes]);
}

/** The same facts for two chunks parted anywhere, for single bytes, and for random chunks; parts of a character are none. */
export function checkChunks(wire: Wire, sample: SampleResponse): void {
  const { bytes, isStreaming } = sample;
  const whole = factsOfWhole(wire, sample);
  ok(whole.isComplete || whole.errorType !== null, "nothing says how it ended");
  const learn = (ends: readonly number[]) => watched(wire.watch(isStreaming), chunksOf(bytes, ends));
  const step = Math.max(1, Math.ceil(bytes.length / CUTS_MAX));
  for (let cut = 0; cut <= bytes.length; cut += step) deepEqual(learn([cut]), whole, `cut at byte ${cut}`);
  for (const cut of cutsInCharacters(bytes)) deepEqual(learn([cut]), whole, `cut inside of the character at ${cut}`);
  deepEqual(learn(Array.from(bytes.keys())), whole, "one byte at a time");
  for (let seed = 1; seed <= RANDOM_SPLITS; seed++) {
    deepEqual(learn(randomEnds(bytes.length, seed)), whole, `random chunks, seed ${seed}`);
  }
}

/** The caller may use the memory of a chunk again as soon as it was pushed. */
export function checkReusedMemory(wire: Wire, sample: SampleResponse): void {
  const watcher = wire.watch(sample.isStreaming);
  const memory = new Uint8Array(CHUNK_BYTES_MAX);
  for (const chunk of chunksOf(sample.bytes, randomEnds(sample.bytes.length, 7))) {
    const used = memory.subarray(0, chunk.length);
    used.set(chunk);
    watcher.push(used);
    memory.fill(0x7d);
  }
  deepEqual(watcher.finish(), factsOfWhole(wire, sample));
}

/** A response that ends early is never taken for a whole one, and one that is damaged is never thrown at. */
export function checkBrokenOff(wire: Wire, sample: SampleResponse): void {
  const { bytes, isStreaming } = sample;
  const half = watched(wire.watch(isStreaming), [bytes.subarray(0, Math.floor(bytes.length / 2))]);
  equal(half.isComplete, false, "half of it counts as whole");
  equal(watched(wire.watch(isStreaming), []).isComplete, false, "nothing counts as whole");
  const next = createNumbers(bytes.length + 1);
  for (let count = 0; count < RANDOM_SPLITS; count++) {
    const damaged = Uint8Array.from(bytes);
    for (let at = 0; at < 3; at++) if (bytes.length > 0) damaged[next(bytes.length)] = next(256);
    watched(wire.watch(isStreaming), chunksOf(damaged, [next(bytes.length + 1)]));
    watched(wire.watch(!isStreaming), [damaged]);
  }
}

function watched(watcher: ResponseWatcher, chunks: readonly Uint8Array[]): ResponseFacts {
  for (const chunk of chunks) watcher.push(chunk);
  return watcher.finish();
}

/** The bytes cut before each of these places; ascending. */
function chunksOf(bytes: Uint8Array, ends: readonly number[]): readonly Uint8Array[] {
  const places = [...ends, bytes.length];
  return places.map((end, index) => bytes.subarray(places[index - 1] ?? 0, end));
}

function cutsInCharacters(bytes: Uint8Array): readonly number[] {
  const inside = Array.from(bytes.keys()).filter((at) => ((bytes[at] ?? 0) & 0xc0) === 0x80);
  return inside.slice(0, CUTS_MAX);
}

function randomEnds(length: number, seed: number): readonly number[] {
  const next = createNumbers(seed);
  const ends: number[] = [];
  for (let at = next(CHUNK_BYTES_MAX); at < length; at += next(CHUNK_BYTES_MAX + 1)) ends.push(at);
  return ends;
}

/** Numbers below a bound, the same for the same seed. */
function createNumbers(seed: number): (bound: number) => number {
  let state = seed >>> 0;
  return (bound) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
}
