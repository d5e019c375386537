import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseTree } from "../../../src/replay/json-tree.ts";
import { lawFormatOf } from "../../../src/replay/law-formats.ts";
import { createDice } from "../../laws/client/dice.ts";
import { anyTalk } from "./any-talk.ts";
import { writeTalk } from "./hand.ts";
import { WIRE_NAMES, WRITERS } from "./writers.ts";

describe.each(WIRE_NAMES)("a conversation written for %s", (name) => {
  test("is JSON that holds each result and picture once, whatever hand writes it", () => {
    fc.assert(
      fc.property(anyTalk, fc.nat(), fc.constantFrom(0, 30), (talk, seed, spaces) => {
        const writing = { dice: createDice(seed), hand: { spaces, escapes: spaces }, model: "m", omitsIds: false };
        const tree = parseTree(writeTalk(WRITERS[name], talk, writing));
        if (tree === null) throw new Error("no JSON");
        const results = talk.messages.flatMap((message) => (message.role === "results" ? message.results : []));
        const format = lawFormatOf(name);
        const written = format.resultsIn(tree).map(({ callId, texts }) => `${callId} ${texts[0]}`);
        expect(written.sort()).toEqual(results.map(({ callId, text }) => `${callId} ${text}`).sort());
        const pictures = talk.messages.filter((message) => message.role === "user" && message.picture !== null);
        const blocks = format.media.listsIn(tree).flatMap((list) => (list.callId === null ? list.blocks : []));
        expect(blocks.filter((block) => format.media.bytesOf(block) !== null)).toHaveLength(pictures.length);
      }),
    );
  });
});
