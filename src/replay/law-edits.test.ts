import { describe, expect, it } from "vitest";
import { CACHE_EDITS } from "../../test/support/cache-edits-adapter.ts";
import { imageBlock, picture } from "../../test/support/pictures.ts";
import type { Edit } from "../model/edit.ts";
import { createAnthropicMessages } from "../wires/anthropic-messages/index.ts";
import { type DeclaredEdit, declaredEdits } from "./declared-edits.ts";
import { createLawChecker } from "./law-checker.ts";

const wire = createAnthropicMessages({ cacheEdits: CACHE_EDITS });
const mark = { cache_control: { type: "ephemeral" } };
const text = (words: string, more: object = {}) => ({ type: "text", text: words, ...more });
const thinking = (words: string) => ({ type: "thinking", thinking: words, signature: "s" });
const call = (id: string) => ({ type: "tool_use", id, name: "Read", input: {} });
const result = (id: string, content: unknown) => ({ type: "tool_result", tool_use_id: id, content });
const LONG = "a long result ".repeat(20);
const MARKER = "[ebb 0123456789ab]";

const body = Buffer.from(
  JSON.stringify({
    model: "m",
    thinking: { type: "adaptive" },
    messages: [
      { role: "user", content: "go" },
      { role: "assistant", content: [thinking("1"), thinking("2"), call("r1"), call("r2"), thinking("3")] },
      { role: "user", content: [result("r1", LONG), result("r2", "short"), text("a reminder")] },
      { role: "assistant", content: [text("done")] },
      { role: "user", content: [imageBlock(picture(1)), text("more", mark)] },
    ],
  }),
);
const read = wire.read(body, new Map());
if (!read.ok) throw new Error(read.words);
const { source } = read;
const { transcript } = source;
const key = (message: number, block: number) =>
  transcript.items.find((item) => item.messageIndex === message && item.blockIndex === block)?.key ?? "none";

const edits = {
  note: { kind: "note", anchorKey: key(2, 0), text: "a note" },
  noteAlone: { kind: "note", anchorKey: key(0, 0), text: "." },
  mark: { kind: "breakpoint", itemKey: key(2, 1), ttlMs: 300_000 },
  hour: { kind: "breakpoint", itemKey: key(3, 0), ttlMs: 3_600_000 },
  omit: { kind: "omit", itemKey: key(1, 0) },
  omitNext: { kind: "omit", itemKey: key(1, 1) },
  omitLast: { kind: "omit", itemKey: key(1, 4) },
  remove: { kind: "delete", anchorKey: key(4, 1), resultKeys: [key(2, 0)] },
  clear: {
    kind: "server-clear",
    clear: { triggerTokens: 9, keepUses: 3, clearTokensMin: 5, exceptTools: ["Édit"] },
  },
  drop: { kind: "drop-thinking" },
} as const satisfies Record<string, Edit>;
const all: readonly Edit[] = Object.values(edits);

function violations(written: readonly Edit[], declared: readonly Edit[], change = (json: string) => json) {
  const forwarded = Buffer.from(change(Buffer.concat(wire.write(body, source, written)).toString()));
  return checked(forwarded, declaredEdits(transcript, declared));
}

function checked(forwarded: Uint8Array, declared: readonly DeclaredEdit[]): readonly string[] {
  const given = { conversation: "c", original: body, forwarded, declared: new Set<string>() };
  return createLawChecker().check({ ...given, insertions: new Set(), edits: declared }).violations;
}

describe("the law checker, of edits beside markers", () => {
  it.each(Object.entries(edits))("finds nothing in %s where it was declared, and something elsewhere", (_, edit) => {
    expect(violations([edit], [edit])).toEqual([]);
    expect(violations([edit], []).join()).toContain("untouched");
  });

  it("finds nothing in all of them together, and beside markers in the same blocks", () => {
    const markers: readonly Edit[] = [
      { kind: "replace", itemKey: key(2, 0), text: MARKER },
      { kind: "replace", itemKey: key(4, 0), text: MARKER },
      { kind: "breakpoint", itemKey: key(4, 0), ttlMs: 300_000 },
      { kind: "breakpoint", itemKey: key(2, 0), ttlMs: 300_000 },
    ];
    expect(violations(all, all)).toEqual([]);
    expect(violations([...markers, ...all], [...markers, ...all])).toEqual([]);
    expect(violations([...markers, ...all], all).join()).toContain("untouched");
  });

  const others: readonly (readonly [string, Edit, Edit])[] = [
    ["a note behind another block", edits.note, { ...edits.note, anchorKey: key(2, 2) }],
    ["a note in another message", edits.note, { ...edits.note, anchorKey: key(4, 1) }],
    ["another note", edits.note, { ...edits.note, text: "another" }],
    ["another note beside a text that was alone", edits.noteAlone, { ...edits.noteAlone, text: "another" }],
    ["a breakpoint on another block", edits.mark, { ...edits.mark, itemKey: key(2, 0) }],
    ["a breakpoint of another lifetime", edits.mark, { ...edits.mark, ttlMs: 3_600_000 }],
    ["other thinking left out", edits.omit, edits.omitLast],
    ["another result deleted", edits.remove, { ...edits.remove, resultKeys: [key(2, 1)] }],
    ["a deletion asked for elsewhere", edits.remove, { ...edits.remove, anchorKey: key(2, 0) }],
    ["other numbers to clear by", edits.clear, { ...edits.clear, clear: { ...edits.clear.clear, keepUses: 4 } }],
  ];
  it.each(others)("sees %s than was declared", (_, written, declared) => {
    expect(violations([written], [declared])).not.toEqual([]);
  });

  it("sees a note that was declared and is missing", () => {
    expect(violations([], [edits.note])).toEqual(["steady: a note that was declared is missing"]);
  });

  it.each([
    ["a note said twice", edits.note, (json: string) => json.replace(/(,\{"type":"text","text":"a note"\})/, "$1$1")],
    ["a note with more in it", edits.note, (json: string) => json.replace('"a note"', '"a note","x":1')],
    ["a breakpoint with more in it", edits.mark, (json: string) => json.replace('"ephemeral"', '"ephemeral","x":1')],
    ["a text changed beside a note", edits.note, (json: string) => json.replace("a reminder", "another one")],
    [
      "more cut than the thinking",
      edits.omit,
      (json: string) => json.replace('{"type":"thinking","thinking":"2","signature":"s"},', ""),
    ],
    [
      "a call cut with the thinking",
      edits.omit,
      (json: string) => json.replace(/\{"type":"tool_use","id":"r1".*?\}\},?/, ""),
    ],
    ["a result that lost its name", edits.remove, (json: string) => json.replace(',"cache_reference":"r1"', "")],
    [
      "a result named by another",
      edits.remove,
      (json: string) => json.replace('"cache_reference":"r1"', '"cache_reference":"r9"'),
    ],
    [
      "a name without a deletion",
      edits.remove,
      (json: string) => json.replace(/,\{"type":"cache_edits".*?\]\},\{"type":"text","text":"\."\}/, ""),
    ],
    [
      "the same result deleted twice",
      edits.remove,
      (json: string) => json.replace(/(\{"type":"delete".*?\})/, "$1,$1"),
    ],
    [
      "a deletion of something else",
      edits.remove,
      (json: string) => json.replace(/(\{"type":"delete",".*?":)"r1"/, '$1"r2"'),
    ],
    [
      "a name outside of what is remembered",
      edits.remove,
      (json: string) => json.replace(',"cache_control":{"type":"ephemeral"}', ""),
    ],
    ["something else asked for", edits.drop, (json: string) => json.replace("drop_block", "error")],
  ] as const)("sees %s", (_, edit, change) => {
    expect(violations([edit], [edit], change)).not.toEqual([]);
  });

  it("believes no edit that is declared for a place where it cannot be", () => {
    const forged = (json: string) =>
      json.replace(
        '"thinking":"3","signature":"s"',
        '"thinking":"3","signature":"s","cache_control":{"type":"ephemeral"}',
      );
    const place = { message: 1, block: 4 } as const;
    expect(
      checked(Buffer.from(forged(body.toString())), [{ kind: "breakpoint", ...place, ttlMs: 300_000 }]),
    ).not.toEqual([]);
    const wordless = body.toString().replace('{"type":"text","text":"done"}', "");
    expect(checked(Buffer.from(wordless), [{ kind: "omit", message: 3, block: 0 }])).not.toEqual([]);
    const without = body.toString().replace(',{"type":"text","text":"a reminder"}', "");
    expect(checked(Buffer.from(without), [{ kind: "omit", message: 2, block: 2 }])).not.toEqual([]);
    const said = body
      .toString()
      .replace('{"type":"text","text":"done"}', '{"type":"text","text":"done"},{"type":"text","text":"n"}');
    expect(checked(Buffer.from(said), [{ kind: "note", message: 3, block: 0, text: "n" }])).not.toEqual([]);
  });
});
