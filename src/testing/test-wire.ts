import { deepEqual, equal, notEqual, ok } from "node:assert/strict";
import { sha256Hex } from "../lib/hash.ts";
import { isWoven } from "../lib/woven-text.ts";
import { encodeWtf8 } from "../lib/wtf8.ts";
import type { Edit } from "../model/edit.ts";
import type { Item, ItemKey } from "../model/item.ts";
import type { ReadMemo, Wire, WireSource } from "../model/ports.ts";
import { checkBrokenOff, checkChunks, checkReusedMemory, type SampleResponse } from "./test-wire-responses.ts";

/** A request body of the wire's format, with a name for the checks' titles. */
export interface SampleBody {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** What clients of the format re-shape between turns without changing content: breakpoints, a text as string or block. */
export interface Reshape {
  readonly name: string;
  apply(body: Uint8Array): Uint8Array;
}

export interface WireSamples {
  readonly wire: Wire;
  readonly bodies: readonly SampleBody[];
  readonly reshapes: readonly Reshape[];
  /** Responses of the format, streamed and whole; left out: the watcher is not checked. */
  readonly responses?: readonly SampleResponse[];
}

/** One promise of the port for one body. `run` throws an assertion where the wire breaks it. */
export interface WireCheck {
  /** A sentence about behaviour. */
  readonly name: string;
  run(): void;
}

const REPLACEMENT = 'short "text" \\ with\nescapes, é, 😀 and \ud83d';

const BREAKPOINT_TTL_MS = 300_000;

/** The conformance kit of the Wire port, for any test runner: hand each check to yours. */
export function testWire({ wire, bodies, reshapes, responses = [] }: WireSamples): readonly WireCheck[] {
  return [
    ...bodies.flatMap(({ name, bytes }) => [
      { name: `leaves ${name} as it came without edits`, run: () => checkUntouched(wire, bytes) },
      { name: `tells the items of ${name} apart and finds their originals`, run: () => checkItems(wire, bytes) },
      { name: `reads ${name} alike whatever it remembers`, run: () => checkMemo(wire, bytes) },
      { name: `replaces each text and attachment of ${name} alone`, run: () => checkEachEdit(wire, bytes) },
      { name: `replaces all texts and attachments of ${name} together`, run: () => checkAllEdits(wire, bytes) },
      { name: `refuses edits of ${name} that it cannot make`, run: () => checkRefusals(wire, bytes) },
      {
        name: `leaves ${name} as it came for edits of kinds that it does not take`,
        run: () => checkKinds(wire, bytes),
      },
      { name: `puts a breakpoint into ${name} wherever it says it can`, run: () => checkBreakpoints(wire, bytes) },
      ...reshapes.map((reshape) => ({
        name: `keeps the keys of ${name} when a client moves ${reshape.name}`,
        run: () => checkReshape(wire, bytes, reshape),
      })),
    ]),
    ...responses.flatMap((sample) => [
      { name: `learns the same of ${sample.name} wherever its bytes are cut`, run: () => checkChunks(wire, sample) },
      { name: `learns ${sample.name} out of memory that is used again`, run: () => checkReusedMemory(wire, sample) },
      { name: `takes ${sample.name} for whole only where it is`, run: () => checkBrokenOff(wire, sample) },
    ]),
  ];
}

function read(wire: Wire, body: Uint8Array, memo: ReadMemo = new Map<string, unknown>()): WireSource {
  const outcome = wire.read(body, memo);
  ok(outcome.ok, outcome.ok ? "" : `the body is refused: ${outcome.words}`);
  return outcome.source;
}

function checkUntouched(wire: Wire, body: Uint8Array): void {
  const slices = wire.write(body, read(wire, body), []);
  equal(slices.length, 1);
  equal(slices[0], body);
}

function checkItems(wire: Wire, body: Uint8Array): void {
  const source = read(wire, body);
  const { items, messages } = source.transcript;
  equal(new Set(items.map((item) => item.key)).size, items.length, "keys are not unique");
  let next = 0;
  for (const [messageIndex, message] of messages.entries()) {
    equal(message.itemStart, next);
    next = message.itemEnd;
    for (const item of items.slice(message.itemStart, message.itemEnd)) {
      deepEqual([item.messageIndex, item.role], [messageIndex, message.role]);
      checkOriginal(source, item);
    }
  }
  equal(next, items.length);
}

function checkOriginal(source: WireSource, item: Item): void {
  const original = source.originalOf(item);
  equal(sha256Hex(original), item.digest, `${item.key} has another digest`);
  equal(original.length, item.bytes);
  const text = source.textOf(item);
  if (item.kind === "media") equal(text, "");
  if (item.kind !== "result" && item.kind !== "text") return;
  ok(Buffer.compare(encodeWtf8(text), original) === 0, `${item.key} has a text that is not its original`);
  equal(item.lines, text.split("\n").length - (text === "" || text.endsWith("\n") ? 1 : 0));
}

function checkMemo(wire: Wire, body: Uint8Array): void {
  const cold = read(wire, body).transcript;
  const memo = new Map<string, unknown>();
  deepEqual(read(wire, body, memo).transcript, cold);
  deepEqual(read(wire, body, memo).transcript, cold);
  const foreign: ReadMemo = { get: () => ({ kind: "another wire's" }), set: () => undefined };
  deepEqual(read(wire, body, foreign).transcript, cold);
  const half = new Map([...memo].filter((_entry, index) => index % 2 === 0));
  const shifted = Buffer.concat([Buffer.from(" \n"), body]);
  const warm = read(wire, shifted, half);
  deepEqual(warm.transcript, cold);
  for (const item of warm.transcript.items) checkOriginal(warm, item);
}

function checkEachEdit(wire: Wire, body: Uint8Array): void {
  const source = read(wire, body);
  for (const item of replaceableItems(source)) checkEdits(wire, body, source, [editOf(item)]);
}

function checkAllEdits(wire: Wire, body: Uint8Array): void {
  const source = read(wire, body);
  checkEdits(wire, body, source, replaceableItems(source).map(editOf).reverse());
}

function checkEdits(wire: Wire, body: Uint8Array, source: WireSource, script: readonly Edit[]): void {
  const slices = wire.write(body, source, script);
  checkSlices(body, slices);
  const written = read(wire, Buffer.concat(slices));
  const edited = new Set(script.flatMap((edit) => (edit.kind === "replace" ? [edit.itemKey] : [])));
  // A breakpoint inside a replaced text may leave with it, and its lifetime too.
  const { cacheTtlMs } = written.transcript.header;
  deepEqual(written.transcript.header, { ...source.transcript.header, cacheTtlMs });
  ok((cacheTtlMs ?? 0) <= (source.transcript.header.cacheTtlMs ?? 0), "a cache lifetime grew");
  const before = blocksOf(source.transcript.items);
  const after = blocksOf(written.transcript.items);
  equal(after.length, before.length, "the count of blocks changed");
  for (const [index, items] of before.entries()) {
    const others = after[index];
    ok(others !== undefined);
    if (items.some((item) => edited.has(item.key)))
      checkEdited({ items, source }, { items: others, source: written }, edited);
    else deepEqual(others.map(placeless), items.map(placeless));
  }
}

interface ReadBlock {
  /** A block's only item, or a result and the media in it. */
  readonly items: readonly Item[];
  readonly source: WireSource;
}

/** The items of each block that a message holds. */
function blocksOf(items: readonly Item[]): readonly (readonly Item[])[] {
  const blocks = new Map<string, Item[]>();
  for (const item of items) {
    const name = `${item.messageIndex} ${item.blockIndex}`;
    const block = blocks.get(name);
    if (block === undefined) blocks.set(name, [item]);
    else block.push(item);
  }
  return Array.from(blocks.values());
}

/** Media become texts in their places: a text of their own, or part of the result that holds them. */
function checkEdited(before: ReadBlock, after: ReadBlock, edited: ReadonlySet<ItemKey>): void {
  const [first, ...media] = before.items;
  const [other, ...rest] = after.items;
  ok(first !== undefined && other !== undefined);
  deepEqual([other.role, other.messageIndex, other.blockIndex], [first.role, first.messageIndex, first.blockIndex]);
  if (first.kind === "media") {
    equal(other.kind, "text");
    equal(after.source.textOf(other), REPLACEMENT);
    return;
  }
  ok(first.kind === "result" && other.kind === "result");
  deepEqual([other.callId, other.isError], [first.callId, first.isError]);
  const kept = media.filter((item) => !edited.has(item.key));
  deepEqual(rest.map(placeless), kept.map(placeless));
  equal(other.mediaCount, kept.length);
  const text = edited.has(first.key) ? REPLACEMENT : before.source.textOf(first);
  const pieces = media.filter((item) => edited.has(item.key)).map(() => REPLACEMENT);
  ok(isWoven(after.source.textOf(other), text, pieces), `${first.key} does not hold what was put in`);
}

/** Slices that are the body's own follow its order and never overlap. */
function checkSlices(body: Uint8Array, slices: readonly Uint8Array[]): void {
  let from = body.byteOffset;
  const bodyEnd = body.byteOffset + body.length;
  for (const slice of slices) {
    const isOwn = slice.buffer === body.buffer && slice.byteOffset >= body.byteOffset && slice.byteOffset < bodyEnd;
    if (!isOwn) continue;
    ok(slice.byteOffset >= from, "slices of the body are out of order");
    from = slice.byteOffset + slice.length;
  }
  equal(from, bodyEnd, "the body's end is missing");
}

/** An equal text elsewhere may change an item's occurrence number, and with it the key, but nothing else. */
function placeless(item: Item): Omit<Item, "key"> {
  const { key: _key, ...rest } = item;
  return rest;
}

function checkRefusals(wire: Wire, body: Uint8Array): void {
  const source = read(wire, body);
  const items = source.transcript.items;
  const script: Edit[] = [
    { kind: "replace", itemKey: "no such item", text: "x" },
    { kind: "omit", itemKey: "no such item" },
    { kind: "breakpoint", itemKey: "no such item", ttlMs: BREAKPOINT_TTL_MS },
    { kind: "note", anchorKey: "no such item", text: "x" },
    { kind: "delete", anchorKey: "no such item", resultKeys: items.map(({ key }) => key) },
    ...items.map(({ key }): Edit => ({ kind: "note", anchorKey: key, text: "" })),
  ];
  for (const item of items) {
    // What is not to be replaced anew may still take the form it was sent in before.
    const isReleasable = item.kind === "result" || item.kind === "media";
    script.push({ kind: "replace", itemKey: item.key, text: isReleasable ? "" : "x" });
  }
  deepEqual(wire.write(body, source, script), [body]);
}

/** A kind that the format cannot take changes nothing, wherever it is anchored. */
function checkKinds(wire: Wire, body: Uint8Array): void {
  const source = read(wire, body);
  const { items } = source.transcript;
  const script = items.flatMap(({ key }): readonly Edit[] => [
    { kind: "omit", itemKey: key },
    { kind: "breakpoint", itemKey: key, ttlMs: BREAKPOINT_TTL_MS },
    { kind: "note", anchorKey: key, text: REPLACEMENT },
    { kind: "delete", anchorKey: key, resultKeys: items.map((item) => item.key) },
  ]);
  const clear = { triggerTokens: 1, keepUses: 0, clearTokensMin: null, exceptTools: [] };
  const whole: readonly Edit[] = [{ kind: "server-clear", clear }, { kind: "drop-thinking" }];
  const foreign = [...script, ...whole].filter(({ kind }) => !wire.takes.has(kind));
  deepEqual(wire.write(body, source, foreign), [body]);
  ok(wire.takes.has("breakpoint") || !items.some(source.canMark), "a breakpoint is promised that it does not take");
  ok(wire.takes.has("drop-thinking") || !source.takesDrop, "dropping is promised that it does not take");
}

/** Nothing else of the body changes: every byte that came stays, and so does every item. */
function checkBreakpoints(wire: Wire, body: Uint8Array): void {
  const source = read(wire, body);
  const { items, breakpoints } = source.transcript;
  const marked = items.filter((item) => source.canMark(item));
  const script = items.map(({ key }): Edit => ({ kind: "breakpoint", itemKey: key, ttlMs: BREAKPOINT_TTL_MS }));
  const slices = wire.write(body, source, script);
  checkSlices(body, slices);
  equal(ownBytes(body, slices), body.length, "bytes of the body are missing");
  const written = read(wire, Buffer.concat(slices)).transcript;
  deepEqual(written.items, items);
  equal(written.breakpoints.length, breakpoints.length + marked.length, "breakpoints stand elsewhere than it says");
}

function ownBytes(body: Uint8Array, slices: readonly Uint8Array[]): number {
  const bodyEnd = body.byteOffset + body.length;
  const isOwn = (slice: Uint8Array) =>
    slice.buffer === body.buffer && slice.byteOffset >= body.byteOffset && slice.byteOffset < bodyEnd;
  return slices.filter(isOwn).reduce((total, slice) => total + slice.length, 0);
}

function checkReshape(wire: Wire, body: Uint8Array, reshape: Reshape): void {
  const reshaped = reshape.apply(body);
  notEqual(reshaped, body);
  const before = read(wire, body);
  const after = read(wire, reshaped);
  deepEqual(
    after.transcript.items.map((item) => item.key),
    before.transcript.items.map((item) => item.key),
  );
  equal(after.transcript.header.cacheKey, before.transcript.header.cacheKey);
}

function replaceableItems(source: WireSource): readonly Item[] {
  return source.transcript.items.filter(
    (item) => (item.kind === "result" || item.kind === "media") && item.isReplaceable,
  );
}

function editOf(item: Item): Edit {
  return { kind: "replace", itemKey: item.key, text: REPLACEMENT };
}
