import fc from "fast-check";
import type { JsonObject } from "../../../src/model/json.ts";
import { call, type RoundMessage, recall, text, thinking } from "./messages.ts";

const words = fc.constantFrom("a", "Let me look.", " é😀 \n", "data: 1\n\nevent: x", '{"index":0}', "", " \n");
const seen = fc.oneof(
  { weight: 3, arbitrary: words.map(text) },
  words.map(thinking),
  fc.constantFrom("d1", "d2").map((data): JsonObject => ({ type: "redacted_thinking", data })),
  words.map((query): JsonObject => ({ type: "server_tool_use", id: "srv_?", name: "web_search", input: { query } })),
);
const arguments_ = fc.constantFrom<JsonObject>({}, { id: "é😀" }, { id: "x", range: "1-2", deep: [{ a: null }] });
const own = arguments_.map((input) => recall("toolu_?", input));
const others = arguments_.map((input) => call("toolu_?", "Read", input));
const usage = fc.record({ input_tokens: fc.nat(99), cache_read_input_tokens: fc.nat(99), output_tokens: fc.nat(99) });

type Blocks = fc.Arbitrary<readonly JsonObject[]>;
const mixed = (kind: fc.Arbitrary<JsonObject>, minLength: number): Blocks =>
  fc
    .tuple(
      fc.array(kind, { minLength, maxLength: 3 }),
      fc.array(seen, { maxLength: 3 }),
      fc.array(fc.nat(6), { minLength: 3, maxLength: 3 }),
    )
    .map(([calls, rest, places]) => {
      const blocks: JsonObject[] = [...rest];
      for (const [at, one] of calls.entries()) blocks.splice((places[at] ?? 0) % (blocks.length + 1), 0, one);
      return blocks;
    });

const inner = fc.record({ blocks: mixed(own, 1), usage });
const last: fc.Arbitrary<RoundMessage> = fc.oneof(
  fc.record({ blocks: mixed(own, 0), usage, stop: fc.constantFrom("end_turn", "max_tokens") }),
  fc.record({ blocks: mixed(others, 1), usage }),
  fc.record({
    blocks: fc.tuple(mixed(own, 1), mixed(others, 1)).map(([some, more]) => [...some, ...more]),
    usage,
  }),
);

/**
 * Responses to one request of a client: rounds in which Ebb's tools alone are called, and one that ends the message, by itself, with
 * calls of the client's own, or both. Every id is another one.
 */
export const anyRounds: fc.Arbitrary<readonly RoundMessage[]> = fc
  .tuple(fc.array(inner, { maxLength: 3 }), last)
  .map(([before, end]) => {
    let count = 0;
    return [...before, end].map((round, index) => ({
      ...round,
      id: `msg_${index}`,
      blocks: round.blocks.map((block) =>
        typeof block.id === "string" ? { ...block, id: block.id.replace("?", String(++count)) } : block,
      ),
    }));
  });

/** What a client is to see of the rounds. */
export function visibleOf(rounds: readonly RoundMessage[]): readonly JsonObject[] {
  return rounds.flatMap(({ blocks }) => blocks.filter(({ name }) => name !== "ebb_recall"));
}

/** True for a text that shows nothing: clients do not send it back, and neither may Ebb. */
export function isBlank(block: JsonObject): boolean {
  return block.type === "text" && String(block.text).trim() === "";
}

/** How a stream is written down: its line ends, its names, and the bytes its chunks are cut at. */
export interface StreamForm {
  readonly end: string;
  readonly isNamed: boolean;
  readonly isInLines: boolean;
  readonly cuts: readonly number[];
}

/** Any such form. */
export const anyForm: fc.Arbitrary<StreamForm> = fc.record({
  end: fc.constantFrom("\n", "\r\n", "\r"),
  isNamed: fc.boolean(),
  isInLines: fc.boolean(),
  cuts: fc.array(fc.nat(5_000), { maxLength: 6 }),
});

/** A stream in a form, as chunks. */
export function formed(stream: string, { end, isNamed, isInLines, cuts }: StreamForm): readonly Uint8Array[] {
  const lines = stream.split("\n").flatMap((line) => {
    if (line.startsWith("event: ")) return isNamed ? [line] : [];
    if (!isInLines || !line.startsWith("data: ")) return [line];
    return JSON.stringify(JSON.parse(line.slice(6)), null, 1)
      .split("\n")
      .map((part) => `data: ${part}`);
  });
  const bytes = Buffer.from(lines.join(end));
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return places.slice(1).map((place, index) => bytes.subarray(places[index], place));
}
