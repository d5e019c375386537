import { describe, expect, it } from "vitest";
import { CACHE_EDITS } from "../../test/support/cache-edits-adapter.ts";
import {
  assistant,
  bodyOf,
  call,
  EMPTY_TALK,
  result,
  results,
  type Talk,
  text,
  thinking,
  user,
} from "../../test/support/conversation.ts";
import type { Edit } from "../model/edit.ts";
import type { Item } from "../model/item.ts";
import type { ReadMemo } from "../model/ports.ts";
import { createAnthropicMessages } from "../wires/anthropic-messages/index.ts";
import { readBack } from "./self-check.ts";
import { createBodyCheck } from "./self-check-leaving.ts";

const memo: ReadMemo = { get: () => undefined, set: () => undefined };
const wire = createAnthropicMessages({ cacheEdits: CACHE_EDITS });
const tokens = { count: (words: string) => words.split(" ").length };

const asked = user(EMPTY_TALK, "go");
const called = assistant(asked, thinking("one"), call("r1", "Read", {}), call("r2", "Read", {}));
const answered = results(called, result("r1", "first result"), result("r2", "second result"), text("reminder"));
const talk = user(assistant(answered, thinking("two"), text("done")), "more");

interface Opened {
  readonly body: Uint8Array;
  readonly source: ReturnType<typeof read>;
  readonly key: (at: number) => string;
}

function read(body: Uint8Array) {
  const outcome = wire.read(body, memo);
  if (!outcome.ok) throw new Error(outcome.words);
  return outcome.source;
}

function open(which: Talk = talk): Opened {
  const body = bodyOf(which, { ttl: "5m" });
  const source = read(body);
  return { body, source, key: (at) => source.transcript.items[at]?.key ?? "" };
}

const { body, source, key } = open();
/** Go, thinking, two calls, two results, a reminder, thinking, done, more. */
const KINDS: readonly Item["kind"][] = [
  "text",
  "thinking",
  "call",
  "call",
  "result",
  "result",
  "text",
  "thinking",
  "text",
  "text",
];
const clear = { triggerTokens: 100_000, keepUses: 3, clearTokensMin: 5_000, exceptTools: ["Edit"] };

const edits = {
  note: { kind: "note", anchorKey: key(4), text: "a note" },
  noteAtEnd: { kind: "note", anchorKey: key(9), text: "." },
  mark: { kind: "breakpoint", itemKey: key(5), ttlMs: 300_000 },
  hour: { kind: "breakpoint", itemKey: key(0), ttlMs: 3_600_000 },
  omit: { kind: "omit", itemKey: key(1) },
  omitOther: { kind: "omit", itemKey: key(7) },
  remove: { kind: "delete", anchorKey: key(9), resultKeys: [key(4)] },
  removeOther: { kind: "delete", anchorKey: key(9), resultKeys: [key(5)] },
  clear: { kind: "server-clear", clear },
} as const satisfies Record<string, Edit>;

function leaving(script: readonly Edit[], extras: readonly Edit[], given = { body, source }) {
  const slices = wire.write(given.body, given.source, script);
  return { wire, route: null, ...given, slices, inForce: [], extras, isReadBack: false };
}

const readFault = (script: readonly Edit[], extras: readonly Edit[]) =>
  readBack(
    { wire, route: null, slices: wire.write(body, source, script), before: source, memo },
    { kind: "texts", left: [] },
    extras,
  );
const leavingFault = (script: readonly Edit[], extras: readonly Edit[]) =>
  createBodyCheck(tokens, memo).faultIn(leaving(script, extras));

describe("a body with edits beside its markers", () => {
  it("has the items this file speaks of", () => {
    expect(source.transcript.items.map(({ kind }) => kind)).toEqual(KINDS);
  });

  it.each(Object.entries(edits))("is sound with %s where it is stated, and with nothing of it elsewhere", (_, edit) => {
    expect(readFault([edit], [edit])).toBeNull();
    expect(leavingFault([edit], [edit])).toBeNull();
    expect(leavingFault([edit], [])).not.toBeNull();
  });

  it("is sound with all of them", () => {
    const all = Object.values(edits);
    expect(readFault(all, all)).toBeNull();
    expect(leavingFault(all, all)).toBeNull();
  });

  it("is sound where a stated edit has no place in the body", () => {
    const none = Object.values(edits).map((edit): Edit => {
      if ("anchorKey" in edit) return { ...edit, anchorKey: "none" };
      return "itemKey" in edit ? { ...edit, itemKey: "none" } : { kind: "drop-thinking" };
    });
    expect(readFault(none, none)).toBeNull();
    expect(leavingFault(none, none)).toBeNull();
  });

  const others: readonly (readonly [string, Edit, Edit])[] = [
    ["a note behind another block", edits.note, { ...edits.note, anchorKey: key(6) }],
    ["a note behind another message", edits.note, { ...edits.note, anchorKey: key(9) }],
    ["another note", edits.note, { ...edits.note, text: "another" }],
    ["a breakpoint on another block", edits.mark, { ...edits.mark, itemKey: key(4) }],
    ["a breakpoint of another lifetime", edits.mark, { ...edits.mark, ttlMs: 3_600_000 }],
    ["other thinking left out", edits.omit, edits.omitOther],
    ["another result deleted", edits.remove, edits.removeOther],
    ["a deletion asked for elsewhere", edits.remove, { ...edits.remove, anchorKey: key(4) }],
  ];
  it.each(others)("is not sound with %s than is stated", (_, written, stated) => {
    expect(readFault([written], [stated])).not.toBeNull();
    expect(leavingFault([written], [stated])).not.toBeNull();
  });

  it.each(Object.entries(edits))(
    "is not sound with %s unless it is stated, also when it is read back",
    (name, edit) => {
      expect(readFault([edit], []), name).not.toBeNull();
    },
  );

  it.each(["note", "mark", "omit"] as const)("is not sound without a stated %s", (name) => {
    expect(readFault([], [edits[name]])).not.toBeNull();
  });

  it.each([
    { ...clear, triggerTokens: 1 },
    { ...clear, keepUses: 1 },
    { ...clear, clearTokensMin: null },
    { ...clear, exceptTools: [] },
    { ...clear, exceptTools: ["Edit", "Write"] },
  ])("is not sound where the provider clears by other numbers: %o", (other) => {
    expect(leavingFault([edits.clear], [{ kind: "server-clear", clear: other }])).toContain("context_management");
  });

  it("may ask that thinking be dropped only where that is stated", () => {
    const json = Buffer.from(body).toString().replace("{", '{"thinking":{"type":"adaptive"},');
    const given = { body: Buffer.from(json), source: read(Buffer.from(json)) };
    const drop: Edit = { kind: "drop-thinking" };
    const check = createBodyCheck(tokens, memo);
    expect(Buffer.concat(leaving([drop], [], given).slices).toString()).toContain("drop_block");
    expect(check.faultIn(leaving([drop], [drop], given))).toBeNull();
    expect(check.faultIn(leaving([drop], [], given))).toContain("block_binding");
  });
});

describe("a body whose other bytes were changed", () => {
  const fault = (from: string, to: string, script: readonly Edit[]) => {
    const json = Buffer.concat(wire.write(body, source, script)).toString();
    expect(json).toContain(from);
    return readBack(
      { wire, route: null, slices: [Buffer.from(json.replace(from, to))], before: source, memo },
      { kind: "texts", left: [] },
      script,
    );
  };

  it("is not sound without a breakpoint on its system prompt", () => {
    expect(fault(',"cache_control":{"type":"ephemeral"}}],"tools"', '}],"tools"', [])).toContain("system");
  });

  it("is not sound without its last breakpoint", () => {
    expect(fault(',"cache_control":{"type":"ephemeral"}}]}]', "}]}]", [])).toContain("breakpoint");
  });

  it("is not sound with a note that stands behind an empty text instead of before it", () => {
    const empty = '{"type":"text","text":""}';
    const note = ',{"type":"text","text":"a note"}';
    expect(fault(note, `,${empty}${note}`, [edits.note])).toContain("a note is missing");
  });
});

describe("a body that was proven with one edit", () => {
  it("is not proven with another of the same shape: each time it is read back", () => {
    const check = createBodyCheck(tokens, memo);
    const [first, second] = [edits.mark, { ...edits.mark, itemKey: key(4) }];
    expect(check.faultIn(leaving([first], [first]))).toBeNull();
    expect(check.faultIn(leaving([second], [second]))).toBeNull();
    expect(check.faultIn(leaving([first], [second]))).toContain("breakpoint");
  });

  it("is not read again with the same one", () => {
    let reads = 0;
    const counting = {
      ...wire,
      read(given: Uint8Array, known: ReadMemo) {
        reads += 1;
        return wire.read(given, known);
      },
    };
    const check = createBodyCheck(tokens, memo);
    const all = Object.values(edits);
    for (let time = 0; time < 3; time++) check.faultIn({ ...leaving(all, all), wire: counting });
    expect(reads).toBe(1);
  });
});
