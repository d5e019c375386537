import { describe, expect, it } from "vitest";
import { CACHE_EDITS } from "../../../test/support/cache-edits-adapter.ts";
import type { Edit } from "../../model/edit.ts";
import type { Item } from "../../model/item.ts";
import type { CacheEditsAdapter } from "./cache-edits.ts";
import { createAnthropicMessages } from "./index.ts";
import { readBody } from "./read.ts";
import { writeBody } from "./write.ts";

const FIVE = 300_000;
const MARK = ',"cache_control":{"type":"ephemeral"}';
const text = (words: string) => `{"type":"text","text":"${words}"}`;
const result = (id: string, content = '"old"') => `{"type":"tool_result","tool_use_id":"${id}","content":${content}}`;
const image = '{"type":"image","source":{"type":"base64","media_type":"image/png","data":"aGk="} }';
const thinking = (words: string) => `{"type":"thinking","thinking":"${words}","signature":"s"}`;
const call = '{"type":"tool_use","id":"c","name":"n","input":{}}';
const message = (role: string, content: string) => `{"role":"${role}", "content" : ${content} }`;
const body = (...messages: readonly string[]) => `{"x":1.0, "messages" : [ ${messages.join(" ,")}] }\n`;
const user = (...blocks: readonly string[]) => message("user", `[ ${blocks.join(" , ")} ]`);
const assistant = (...blocks: readonly string[]) => message("assistant", `[ ${blocks.join(" , ")} ]`);
/** The last block of a JSON text, with more members. */
const withMember = (block: string, member: string) => `${block.slice(0, -1)}${member}}`;

function open(json: string, adapter: CacheEditsAdapter | null = CACHE_EDITS) {
  const bytes = Buffer.from(json);
  const outcome = readBody(bytes, new Map());
  if (!outcome.ok) throw new Error(outcome.words);
  const { source } = outcome;
  const { items } = source.transcript;
  const key = (at: number) => items[at]?.key ?? "";
  const write = (...script: readonly Edit[]) => Buffer.concat(writeBody(bytes, source, script, adapter)).toString();
  const mark = (at: number, ttlMs = FIVE): Edit => ({ kind: "breakpoint", itemKey: key(at), ttlMs });
  const omit = (at: number): Edit => ({ kind: "omit", itemKey: key(at) });
  const note = (at: number, words = "n"): Edit => ({ kind: "note", anchorKey: key(at), text: words });
  const replace = (at: number, words = "m"): Edit => ({ kind: "replace", itemKey: key(at), text: words });
  const remove = (at: number, ...results: readonly number[]): Edit => ({
    kind: "delete",
    anchorKey: key(at),
    resultKeys: results.map(key),
  });
  const markable = items.filter((item) => source.canMark(item)).map((item: Item) => items.indexOf(item));
  return { items, write, mark, omit, note, replace, remove, markable };
}

describe("a breakpoint", () => {
  it("goes behind the last member of a text, a result, a call, an image and a document", () => {
    for (const block of [text("a"), result("t"), call, image, image.replace("image", "document")]) {
      const { write, mark, markable } = open(body(user(text("before"), block)));
      expect(write(mark(1))).toBe(body(user(text("before"), withMember(block, MARK))));
      expect(write(mark(1, 3_600_000))).toContain('"cache_control":{"type":"ephemeral","ttl":"1h"}');
      expect(markable).toEqual([0, 1]);
    }
  });

  it("is not put on anything else, and the wire says so before", () => {
    const parts = '[{"type":"text","text":"a"},{"type":"image","source":{"type":"url","url":"u"}}]';
    for (const [json, at, markable] of [
      [body(message("user", '"a text alone"')), 0, []],
      [body(message("system", `[${text("a")}]`)), 0, []],
      [body(message("tool", `[${text("a")}]`)), 0, []],
      [body(assistant(thinking("a"), text("b"))), 0, [1]],
      [body(assistant('{"type":"redacted_thinking","data":"a"}')), 0, []],
      [body(user('{"type":"zzz"}', text("b"))), 0, [1]],
      [body(user(withMember(text("a"), MARK), text("b"))), 0, [1]],
      [body(user(withMember(text("a"), ',"cache_control":null'))), 0, []],
      [body(user('{"type":"text","text":"a","text":"b"}')), 0, []],
      [body(user(result("t", parts))), 1, [0]],
      ['{"messages":[],"messages":[{"role":"user","content":[{"type":"text","text":"a"}]}]}', 0, []],
      ['{"messages":[{"role":"user","role":"user","content":[{"type":"text","text":"a"}]}]}', 0, []],
    ] as const) {
      const { write, mark, markable: found } = open(json);
      expect(write(mark(at)), json).toBe(json);
      expect(found, json).toEqual(markable);
    }
  });

  it("has only the lifetimes that have a form, and of two the last", () => {
    const { write, mark } = open(body(user(text("a"))));
    expect(write(mark(0, 7))).toBe(body(user(text("a"))));
    expect(write(mark(0, 3_600_000), mark(0))).toBe(body(user(withMember(text("a"), MARK))));
  });

  it("goes together with the text that takes the item's place", () => {
    const parts = `[${text("a")},${text("b")}]`;
    const { write, mark, replace } = open(body(user(result("t", parts), image)));
    const marked = withMember(result("t", `[${text("m")}]`), MARK);
    expect(write(mark(1), replace(1), replace(0), mark(0))).toBe(body(user(marked, withMember(text("m"), MARK))));
  });
});

describe("an item left out", () => {
  it("is thinking of the model's, with one comma", () => {
    const [a, b, c, d] = [thinking("a"), text("b"), thinking("c"), thinking("d")];
    const { write, omit } = open(body(assistant(a, b, c, d)));
    expect(write(omit(0))).toBe(body(assistant(b, c, d)));
    expect(write(omit(2))).toBe(body(assistant(a, b, d)));
    expect(write(omit(3), omit(2))).toBe(body(assistant(a, b)));
    expect(write(omit(0), omit(2), omit(3), omit(2))).toBe(body(assistant(b)));
    const { write: writeOther, omit: omitOther } = open(body(assistant(thinking("1"), thinking("2"), text("c"))));
    expect(writeOther(omitOther(0), omitOther(1))).toBe(body(assistant(text("c"))));
  });

  it("is never the last of its message", () => {
    const json = body(assistant(thinking("a"), thinking("b")));
    const { write, omit } = open(json);
    expect(write(omit(1), omit(0))).toBe(body(assistant(thinking("a"))));
    expect(write(omit(0), omit(1))).toBe(body(assistant(thinking("b"))));
    expect(open(body(assistant(thinking("a")))).write(open(body(assistant(thinking("a")))).omit(0))).toBe(
      body(assistant(thinking("a"))),
    );
  });

  it("is nothing else, and nothing on the user's side", () => {
    const json = body(
      assistant(text("a"), call),
      user(result("c"), image, text("b"), thinking("x")),
      message("user", '"s"'),
    );
    const { write, omit, items } = open(json);
    expect(items).toHaveLength(7);
    expect(write(...items.map((_, at) => omit(at)))).toBe(json);
  });
});

describe("a note", () => {
  it("stands behind its anchor, and behind the notes before it", () => {
    const { write, note } = open(body(user(text("a"), text("b"))));
    expect(write(note(0, 'é "1"'), note(1, "3"), note(0, "2"))).toBe(
      body(
        user(text("a"))
          .replace("}", `},${text('é \\"1\\"')},${text("2")}`)
          .replace(" ]", ` , ${text("b")},${text("3")} ]`),
      ),
    );
  });

  it("stands behind the last result of the message, also where that names no call", () => {
    const last = '{"type":"tool_result"}';
    const { write, note } = open(body(user(result("t"), last, text("b"))));
    expect(write(note(0))).toBe(body(user(result("t"), `${last},${text("n")}`, text("b"))));
    expect(write(note(2))).toBe(body(user(result("t"), last, `${text("b")},${text("n")}`)));
  });

  it("turns a text that is alone into a list of blocks, byte for byte", () => {
    const { write, note } = open(body(message("user", '"\\u0061"')));
    expect(write(note(0, "1"), note(0, "2"))).toBe(
      body(message("user", `[{"type":"text","text":"\\u0061"},${text("1")},${text("2")}]`)),
    );
  });

  it("is refused where it is empty, not on the user's side, or in a message nobody can tell", () => {
    for (const json of [
      body(assistant(text("a"))),
      body(message("system", `[${text("a")}]`)),
      body(message("user", `{"a":${text("a")}}`)),
      `{"messages":[{"role":"user","content":"x","content":[${text("a")}]}]}`,
      `{"messages":[],"messages":[${user(text("a"))}]}`,
    ]) {
      const { write, note, items } = open(json);
      expect(items).toHaveLength(1);
      expect(write(note(0)), json).toBe(json);
    }
    expect(open(body(user(text("a")))).write(open(body(user(text("a")))).note(0, ""))).toBe(body(user(text("a"))));
  });
});

describe("a deletion", () => {
  const named = (block: string, id: string) => withMember(block, `,"cache_reference":"${id}"`);
  const asking = (...ids: readonly string[]) =>
    JSON.stringify({ type: "cache_edits", edits: ids.map((id) => ({ type: "delete", cache_reference: id })) });
  const head = user(result("t"), result("u"));
  const namedHead = user(named(result("t"), "t"), named(result("u"), "u"));
  const marked = withMember(text("q"), MARK);

  it("is asked for behind the last result of the anchor's message, and every result that is remembered gets a name", () => {
    const { write, remove } = open(body(head, assistant(call), user(result("v"), marked)));
    expect(write(remove(4, 0))).toBe(body(namedHead, assistant(call), user(`${result("v")},${asking("t")}`, marked)));
  });

  it("has a text behind it where none stands there", () => {
    const dot = text(".");
    const last = withMember(result("v"), MARK);
    const { write, remove, note } = open(body(head, assistant(call), user(last)));
    expect(write(remove(3, 0, 1))).toBe(body(namedHead, assistant(call), user(`${last},${asking("t", "u")},${dot}`)));
    expect(write(remove(3, 0), note(3))).toBe(
      body(namedHead, assistant(call), user(`${last},${asking("t")},${text("n")}`)),
    );
    expect(write(note(3), remove(3, 0))).toBe(
      body(namedHead, assistant(call), user(`${last},${text("n")},${asking("t")},${dot}`)),
    );
    const alone = open(body(head, assistant(withMember(call, MARK)), message("user", '"s"')));
    const list = `[{"type":"text","text":"s"},${asking("t")},${dot}]`;
    expect(alone.write(alone.remove(3, 0))).toBe(
      body(namedHead, assistant(withMember(call, MARK)), message("user", list)),
    );
  });

  it("needs no text behind it where the adapter says so", () => {
    const json = body(head, user(marked, image));
    const { write, remove } = open(json, { ...CACHE_EDITS, needsTextBehind: false });
    expect(write(remove(3, 0))).toBe(body(namedHead, user(marked, `${image},${asking("t")}`)));
  });

  it("is asked for once, whatever the script repeats", () => {
    const { write, remove } = open(body(head, user(text("p")), user(marked)));
    const written = write(remove(2, 0), remove(3, 0, 1), remove(3, 1));
    expect(written).toBe(
      body(namedHead, user(`${text("p")},${asking("t")},${text(".")}`), user(`${marked},${asking("u")},${text(".")}`)),
    );
  });

  it("reaches only what stands before the message with the last breakpoint, the script's own included", () => {
    const unmarked = body(head, user(text("p")), user(text("q")));
    const { write, remove, mark } = open(unmarked);
    expect(write(remove(3, 0))).toBe(unmarked);
    expect(write(remove(3, 0), mark(0))).toBe(unmarked.replace(result("t"), withMember(result("t"), MARK)));
    expect(write(remove(3, 0), mark(2))).toContain(asking("t"));
    const automatic = unmarked.replace('"x":1.0', '"cache_control":{"type":"ephemeral"}');
    expect(open(automatic).write(remove(3, 0))).toContain(asking("t"));
  });

  it("goes together with a breakpoint and a new text in the same result", () => {
    const { write, remove, mark, replace } = open(body(head, user(marked)));
    const first = `${result("t", '"m"').slice(0, -1)}${MARK},"cache_reference":"t"}`;
    expect(write(remove(2, 1), mark(0), replace(0))).toBe(
      body(user(first, named(result("u"), "u")), user(`${marked},${asking("u")},${text(".")}`)),
    );
  });

  it("leaves out results that are named already, come with a member twice, or are not in the body", () => {
    const twice = '{"type":"tool_result","tool_use_id":"t","content":"a","content":"b"}';
    for (const block of [named(result("t"), "x"), twice, text("no result")]) {
      const json = body(user(block), user(marked));
      const { write, remove } = open(json);
      expect(write(remove(1, 0, 9)), json).toBe(json);
    }
  });

  it("leaves out results that nobody can tell by their call, and those that do not stand before it", () => {
    const twins = body(user(result("t"), result("t", '"other"'), result("")), user(marked));
    const { write, remove } = open(twins);
    expect(write(remove(3, 0, 1, 2))).toBe(twins);
    const early = body(head, user(marked));
    expect(open(early).write(open(early).remove(0, 1))).toBe(early);
  });

  it("is not asked for on the model's side, nor without an adapter", () => {
    const json = body(head, assistant(text("a")), user(marked));
    const { write, remove } = open(json);
    expect(write(remove(2, 0))).toBe(json);
    expect(open(json, null).write(remove(3, 0))).toBe(json);
  });

  it("takes every name from the adapter", () => {
    const adapter = { ...CACHE_EDITS, blockType: "b", editsMember: "e", deleteType: "d", referenceMember: "r" };
    const { write, remove } = open(body(user(result("t")), user(marked)), adapter);
    const asked = '{"type":"b","e":[{"type":"d","r":"t"}]}';
    expect(write(remove(1, 0))).toBe(
      body(user(withMember(result("t"), ',"r":"t"')), user(`${marked},${asked},${text(".")}`)),
    );
  });
});

describe("members of the request", () => {
  const clear = (more: object = {}): Edit => ({
    kind: "server-clear",
    clear: { triggerTokens: 9, keepUses: 3, clearTokensMin: 5, exceptTools: ["Edit"], ...more },
  });
  const edit = (more: string) =>
    `{"edits":[{"type":"clear_tool_uses_20250919","trigger":{"type":"input_tokens","value":9},"keep":{"type":"tool_uses","value":3}${more}}]}`;

  it("ask the provider to clear, where the body says nothing of it", () => {
    const json = body(user(text("a")));
    const least = ',"clear_at_least":{"type":"input_tokens","value":5}';
    const { write } = open(json);
    const written = (value: string) => json.replace("] }\n", `] ,"context_management":${value}}\n`);
    expect(write(clear())).toBe(written(edit(`${least},"exclude_tools":["Edit"]`)));
    expect(write(clear({ keepUses: 1 }), clear({ clearTokensMin: null, exceptTools: [] }))).toBe(written(edit("")));
    for (const own of ['{"edits":[]}', "null"]) {
      const stated = json.replace('"x":1.0', `"context_management":${own}`);
      expect(open(stated).write(clear()), stated).toBe(stated);
    }
  });

  it("ask that thinking be dropped, where it is on and says nothing of its binding", () => {
    const drop: Edit = { kind: "drop-thinking" };
    const json = (parameter: string) => body(user(text("a"))).replace('"x":1.0', parameter);
    const binding = ',"block_binding":{"prefix_mismatch_behavior":"drop_block"}}';
    for (const on of ['{"type":"adaptive"}', '{ "budget_tokens":5,"type":"enabled" }'])
      expect(open(json(`"thinking":${on}`)).write(drop, drop)).toBe(json(`"thinking":${on.slice(0, -1)}${binding}`));
    for (const parameter of [
      '"x":1',
      '"thinking":{"type":"disabled"}',
      '"thinking":{}',
      '"thinking":"adaptive"',
      '"thinking":{"type":"adaptive","block_binding":{}}',
      '"thinking":{"type":"adaptive","type":"adaptive"}',
      '"thinking":{"type":"adaptive"},"thinking":{"type":"adaptive"}',
    ])
      expect(open(json(parameter)).write(drop), parameter).toBe(json(parameter));
  });
});

describe("the headers that a script needs", () => {
  const script: readonly Edit[] = [
    { kind: "replace", itemKey: "k", text: "m" },
    { kind: "server-clear", clear: { triggerTokens: 9, keepUses: 3, clearTokensMin: null, exceptTools: [] } },
    { kind: "drop-thinking" },
    { kind: "delete", anchorKey: "a", resultKeys: ["r"] },
    { kind: "delete", anchorKey: "b", resultKeys: ["r"] },
  ];
  const valuesFor = (cacheEdits: CacheEditsAdapter | null, edits: readonly Edit[]) =>
    createAnthropicMessages({ cacheEdits })
      .headersFor(edits)
      .map(({ name, value }) => `${name}: ${value}`);

  it("are those of its kinds, each once", () => {
    const own = [
      "anthropic-beta: context-management-2025-06-27",
      "anthropic-beta: thinking-binding-controls-2026-08-01",
    ];
    expect(valuesFor(CACHE_EDITS, script)).toEqual([...own, "anthropic-beta: test-cache-edits"]);
    expect(valuesFor({ ...CACHE_EDITS, betaHeader: null }, script)).toEqual(own);
    expect(valuesFor(null, script)).toEqual(own);
    expect(valuesFor(CACHE_EDITS, script.slice(0, 1))).toEqual([]);
  });
});
