import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toJsonBytes } from "../../lib/json-scan.ts";
import { addDelta, blockJson, openBlock } from "./block-draft.ts";
import { wordsIn } from "./stream-delta.ts";
import { readEvent, type Told } from "./stream-event.ts";

const NAME = "content_block_delta";
const piece = fc.constantFrom(
  "a",
  "é",
  "😀",
  " ",
  "\\n",
  '\\"',
  "\\\\",
  "\\ud83d",
  "\\u00e9",
  "\\x",
  "\\",
  '"',
  "\n",
  "}",
  ",",
);
const words = fc.oneof(
  fc.array(piece, { maxLength: 3 }).map((pieces) => pieces.join("")),
  fc.string({ unit: "grapheme" }).map((text) => JSON.stringify(text).slice(1, -1)),
);
const data = fc
  .record({
    index: fc.constantFrom("0", "1", "12", "7", "8", "999999999", "1000000000", "01", "-1", "1.0", "1e2", '"1"'),
    member: fc.constantFrom("text", "thinking", "signature", "partial_json", "type", "citation"),
    words,
    space: fc.constantFrom("", " "),
    padding: fc.constantFrom("", "", " ", "      ", "\t", ',"x":1'),
    behind: fc.constantFrom("", "", "", " ", "}", "\n"),
  })
  .map(
    ({ index, member, words, space, padding, behind }) =>
      `{"type":${space}"${NAME}",${space}"index":${space}${index},${space}"delta":${space}{"type":${space}"text_delta",` +
      `${space}"${member}":${space}"${words}"}${padding}}${behind}`,
  );

/** The same data with a member that nobody reads, so that it is walked. */
function walked(text: string): Told {
  return readEvent({ raw: Buffer.alloc(0), name: NAME, data: text.replace(/\}(\s*)$/, ',"other":0}$1') });
}

function blockWith(told: Told): unknown {
  if (told.kind !== "block-delta") return told.kind;
  const text = toJsonBytes(Buffer.from('{"type":"text","text":"before ","input":{}}'));
  const block = openBlock(told.index, { text, span: { start: 0, end: text.bytes.length } });
  return { index: told.index, indexSpan: told.indexSpan, block: blockJson(addDelta(block, told.delta)) };
}

describe("a delta of words that is read without a walk", () => {
  it("is what the walk reads, and nothing that the walk does not", () => {
    const counts = { read: 0, walked: 0 };
    fc.assert(
      fc.property(data, (text) => {
        const isRead = wordsIn(text) !== null;
        counts[isRead ? "read" : "walked"] += 1;
        expect(blockWith(readEvent({ raw: Buffer.alloc(0), name: NAME, data: text }))).toEqual(blockWith(walked(text)));
      }),
      { numRuns: 5_000, seed: 20_261_130 },
    );
    expect(Math.min(counts.read, counts.walked)).toBeGreaterThan(400);
  });

  it("is any that providers stream", () => {
    const ofText = { type: NAME, index: 3, delta: { type: "text_delta", text: 'a "b"\n' } };
    expect(wordsIn(JSON.stringify(ofText))).toMatchObject({ index: 3, delta: { member: "text", words: 'a "b"\n' } });
    expect(wordsIn(`${JSON.stringify(ofText).slice(0, -1)}       }`)).not.toBeNull();
    const ofCall = { type: NAME, index: 0, delta: { type: "input_json_delta", partial_json: '{"path": "a' } };
    expect(wordsIn(JSON.stringify(ofCall))).toMatchObject({ delta: { member: "partial_json", words: '{"path": "a' } });
  });
});
