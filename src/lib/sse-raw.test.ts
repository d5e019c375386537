import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createSseReader, type SseEvent } from "./sse.ts";
import { createRawSseReader, type RawSseEvent, SSE_EVENT_BYTES_MAX } from "./sse-raw.ts";

function readAll(chunks: readonly Uint8Array[]): { events: readonly RawSseEvent[]; rest: Uint8Array } {
  const events: RawSseEvent[] = [];
  const reader = createRawSseReader((event) => events.push(event));
  for (const chunk of chunks) {
    const owned = Buffer.from(chunk);
    reader.push(owned);
    owned.fill(0x7a);
  }
  return { rest: reader.rest(), events };
}

function shown(text: string) {
  const { events, rest } = readAll([Buffer.from(text)]);
  const pieces = events.map(({ name, data, raw }) => [name, data, Buffer.from(raw).toString()]);
  return { pieces, rest: Buffer.from(rest).toString() };
}

function cutAt(bytes: Uint8Array, cuts: readonly number[]): readonly Uint8Array[] {
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return places.slice(1).map((place, index) => bytes.subarray(places[index], place));
}

const line = fc.constantFrom("event: a", "data: 1", "data: é😀", "data", ": c", "id: 7", "x", "", "", "\ufeff");
const end = fc.constantFrom("\n", "\n", "\r\n", "\r\n", "\r");
const anyEnds = fc.array(fc.tuple(line, end), { maxLength: 14 }).map((lines) => lines.flat().join(""));
const oneEnd = fc.tuple(fc.array(line, { maxLength: 14 }), end).map(([lines, with_]) => lines.join(with_));
const stream = fc.oneof(anyEnds, oneEnd).map((text) => Buffer.from(text));
const cuts = fc.array(fc.nat(200), { maxLength: 8 });

describe("the reader of events with their bytes", () => {
  it("tells each event with all lines that stand before its end", () => {
    expect(shown(": hello\nevent: a\ndata: 1\n\ndata: 2\r\n\r\nda")).toEqual({
      pieces: [
        ["a", "1", ": hello\nevent: a\ndata: 1\n\n"],
        ["message", "2", "data: 2\r\n\r\n"],
      ],
      rest: "da",
    });
  });

  it("tells comments and blank lines as soon as they are there, under no name", () => {
    expect(shown("\n: keep open\n\nevent:\ndata:\n\n")).toEqual({
      pieces: [
        ["", "", "\n"],
        ["", "", ": keep open\n\n"],
        ["message", "", "event:\ndata:\n\n"],
      ],
      rest: "",
    });
  });

  it("tells the last event of a stream that ends between CR and LF", () => {
    expect(shown("data: 1\r\n\r")).toEqual({ pieces: [["message", "1", "data: 1\r\n\r"]], rest: "" });
  });

  it("waits for no byte where lines end with CR alone", () => {
    const events: RawSseEvent[] = [];
    createRawSseReader((event) => events.push(event)).push(Buffer.from("data: 1\r\r"));
    expect(events).toMatchObject([{ data: "1" }]);
  });

  it("covers every byte exactly once, in the same pieces wherever the bytes are cut", () => {
    fc.assert(
      fc.property(stream, cuts, (bytes, places) => {
        const { events, rest } = readAll(cutAt(bytes, places));
        expect(Buffer.concat([...events.map(({ raw }) => raw), rest])).toEqual(bytes);
        expect({ events, rest }).toEqual(readAll([bytes]));
      }),
      { numRuns: 2_000 },
    );
  });

  it("tells the same events as the reader without bytes", () => {
    fc.assert(
      fc.property(stream, cuts, (bytes, places) => {
        const expected: SseEvent[] = [];
        createSseReader((event) => expected.push(event)).push(bytes);
        const { events } = readAll(cutAt(bytes, places));
        expect(events.filter(({ name }) => name !== "").map(({ name, data }) => ({ name, data }))).toEqual(expected);
      }),
      { numRuns: 2_000 },
    );
  });

  it("reads no event that is too long, and loses nothing of it and of what follows", () => {
    const first = Buffer.from("data: 1\n\n");
    const long = Buffer.alloc(SSE_EVENT_BYTES_MAX + 1, 0x61);
    const sizesOf = (chunks: readonly Uint8Array[]) => {
      const { events, rest } = readAll(chunks);
      return [...events.map(({ name, data, raw }) => `${name} ${data} ${raw.length}`), rest.length];
    };
    const second = Buffer.from("\n\ndata: 2\n\ndata");
    expect(sizesOf([Buffer.concat([first, long]), second, Buffer.alloc(0), first])).toEqual([
      "message 1 9",
      `message  ${long.length}`,
      "message  2",
      "message  9",
      "message  4",
      "message  9",
      0,
    ]);
    expect(sizesOf([Buffer.concat([long, second])])).toEqual([
      `message  ${long.length + 2}`,
      "message  9",
      "message  4",
      0,
    ]);
    expect(sizesOf([Buffer.concat([long.subarray(3), Buffer.from("\n\n"), first])])).toEqual([
      `  ${SSE_EVENT_BYTES_MAX}`,
      "message 1 9",
      0,
    ]);
  });
});
