import { describe, expect, test } from "vitest";
import { sha256Hex } from "../lib/hash.ts";
import { createOpenaiChat } from "../wires/openai-chat/index.ts";
import { expansionFault, type Meant } from "./expansion-check.ts";

const wire = createOpenaiChat();
const NOTHING: Meant = { calls: new Set(), toolNames: [], thoughts: new Set(), bytes: 0, pieces: 0 };

function sourceOf(...messages: readonly object[]) {
  const outcome = wire.read(Buffer.from(JSON.stringify({ messages })), new Map());
  if (!outcome.ok) throw new Error(outcome.words);
  return outcome.source;
}

const user = { role: "user", content: "go" };
const said = (content: string | null, more: object = {}) => ({ role: "assistant", content, ...more });
const calling = (id: string) => ({
  tool_calls: [{ id, type: "function", function: { name: "ebb_recall", arguments: "{}" } }],
});
const answer = (id: string) => ({ role: "tool", tool_call_id: id, content: "answer" });
const meant: Meant = { ...NOTHING, calls: new Set(["a", "b"]) };

function faultOf(came: readonly object[], goes: readonly object[], what: Meant = meant): string | null {
  return expansionFault(sourceOf(...came), sourceOf(...goes), what);
}

describe("a body with what a client cannot send put back", () => {
  const came = [user, said("one two three"), user];

  test("may have the model's text parted around calls and their results", () => {
    const goes = [
      user,
      said("one", calling("a")),
      answer("a"),
      said(" two", calling("b")),
      answer("b"),
      said(" three"),
      user,
    ];
    expect(faultOf(came, goes)).toBeNull();
  });

  test("has no text changed, left out, added, or said by somebody else", () => {
    const around = (...texts: readonly string[]) => [user, ...texts.map((text) => said(text)), user];
    expect(faultOf(came, around("one", " two", " thr"))).toBe("item 1 is another than came");
    expect(faultOf(came, around("one", " TWO", " three"))).toBe("item 1 is another than came");
    expect(faultOf(came, around("one two three", "four"))).toBe("item 2 is another than came");
    expect(faultOf(came, [...came, said("four")])).toBe("1 items stand behind those that came");
    expect(faultOf(came, [user, said("one two three")])).toBe("item 2 is missing");
    expect(faultOf(came, [user, said("one"), { role: "user", content: " two three" }, user])).toBe(
      "item 1 is another than came",
    );
    expect(faultOf([user, user], [{ role: "user", content: "g" }, { role: "user", content: "o" }, user])).toBe(
      "item 0 is another than came",
    );
  });

  test("has each call answered, once", () => {
    expect(faultOf(came, [user, said(null, calling("a")), said("one two three"), user])).toBe(
      "the call a has no result",
    );
    expect(
      faultOf(came, [user, said(null, calling("a")), answer("a"), said(null, calling("a")), ...came.slice(1)]),
    ).toBe("the call a was put in twice");
  });

  test("may bring thinking with calls, and no other", () => {
    const thinking = { reasoning_content: "hm" };
    const goes = [user, said(null, { ...thinking, ...calling("a") }), answer("a"), ...came.slice(1)];
    expect(faultOf(came, goes, { ...meant, thoughts: new Set([sha256Hex("hm")]) })).toBeNull();
    expect(faultOf(came, goes)).toBe("item 1 is another than came");
    const known = { ...meant, thoughts: new Set([sha256Hex("hm")]) };
    const thought = [user, said("one", thinking)];
    expect(faultOf(thought, thought, known)).toBeNull();
    expect(faultOf(thought, [user, said("one")], known)).toBe("item 1 is another than came");
  });
});
