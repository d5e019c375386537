import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createSseReader, SSE_LINE_BYTES_MAX, type SseEvent } from "./sse.ts";

function readAll(chunks: readonly Uint8Array[]): readonly SseEvent[] {
  const events: SseEvent[] = [];
  const reader = createSseReader((event) => events.push(event));
  for (const chunk of chunks) reader.push(chunk);
  return events;
}

function read(text: string): readonly SseEvent[] {
  return readAll([Buffer.from(text)]);
}

describe("the reader of server-sent events", () => {
  it("joins data lines, takes the name, passes over comments and unknown fields", () => {
    expect(read(": hello\nevent: a\nid: 7\ndata: one\ndata:two\nretry\n\n")).toEqual([{ name: "a", data: "one\ntwo" }]);
  });

  it("names an unnamed event message and tells none without data", () => {
    expect(read("data: x\n\nevent: y\n\ndata\n\n")).toEqual([
      { name: "message", data: "x" },
      { name: "message", data: "" },
    ]);
  });

  it("drops a byte order mark at the start, and an event that no blank line closes", () => {
    expect(read("\ufeffdata: x\n\ndata: cut\n")).toEqual([{ name: "message", data: "x" }]);
  });

  it("keeps nothing of a chunk that its owner writes over", () => {
    const events: SseEvent[] = [];
    const reader = createSseReader((event) => events.push(event));
    const chunk = Buffer.from("data: ab");
    reader.push(chunk);
    chunk.fill(0x7a);
    reader.push(Buffer.from("c\n\n"));
    expect(events).toEqual([{ name: "message", data: "abc" }]);
  });

  it("reads the same events wherever the bytes are cut and however lines end", () => {
    const lines = ["event: é😀", 'data: {"a":"ü"}', "", ": c", "data: 1", "data: 2", "", ""];
    const expected = read(lines.join("\n"));
    expect(expected).toHaveLength(2);
    fc.assert(
      fc.property(fc.constantFrom("\n", "\r\n", "\r"), fc.array(fc.nat(80), { maxLength: 8 }), (end, cuts) => {
        const bytes = Buffer.from(lines.join(end));
        const places = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)).sort((a, b) => a - b), bytes.length];
        const chunks = places.slice(1).map((place, index) => bytes.subarray(places[index], place));
        expect(readAll(chunks)).toEqual(expected);
      }),
    );
  });

  it("reads a line of the longest length and stops for good at a longer one", () => {
    const longest = Buffer.concat([
      Buffer.from("data:"),
      Buffer.alloc(SSE_LINE_BYTES_MAX - 5, 0x61),
      Buffer.from("\n\n"),
    ]);
    expect(readAll([longest]).map((event) => event.data.length)).toEqual([SSE_LINE_BYTES_MAX - 5]);
    const longer = Buffer.alloc(SSE_LINE_BYTES_MAX + 1, 0x61);
    expect(readAll([Buffer.from("data: 1\n\n"), longer, Buffer.from("\n\ndata: 2\n\n")])).toEqual([
      { name: "message", data: "1" },
    ]);
  });

  it("stops at an event whose data lines grow too long together", () => {
    const line = Buffer.concat([Buffer.from("data:"), Buffer.alloc(SSE_LINE_BYTES_MAX / 2, 0x61), Buffer.from("\n")]);
    expect(readAll([line, line, Buffer.from("\ndata: 2\n\n")])).toEqual([]);
  });
});
