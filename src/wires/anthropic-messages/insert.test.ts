import { describe, expect, it } from "vitest";
import type { Insertions, PlacedAside } from "../../model/ports.ts";
import { createAnthropicMessages } from "./index.ts";
import { INLINE } from "./inline.ts";

const wire = createAnthropicMessages();

function insert(json: string, insertions: Partial<Insertions>): string | null {
  const bytes = Buffer.from(json);
  const outcome = wire.read(bytes, new Map());
  if (!outcome.ok) throw new Error(outcome.words);
  const written = INLINE.insert(bytes, outcome.source, { tools: null, asides: [], ...insertions });
  return written === null ? null : Buffer.from(written).toString();
}

const C = (id: number) => `{"type":"tool_use","id":"c${id}","name":"ebb_recall","input":{}}`;
const R = (id: number) => `{"type":"tool_result","tool_use_id":"c${id}","content":"r"}`;
const T = (text: string) => `{"type":"text","text":"${text}"}`;
const model = (...blocks: readonly string[]) => `{"role":"assistant","content":[${blocks.join(",")}]}`;
const user = (...blocks: readonly string[]) => `{"role":"user","content":[${blocks.join(",")}]}`;
const body = (...messages: readonly string[]) => `{"messages":[${messages.join(",")}]}`;
const GO = '{"role":"user","content":"go"}';
const NEXT = '{"role":"user","content":"and?"}';

/** One call in front of block `at`, with the message parted there. */
const round = (id: number, at: number, more: Partial<PlacedAside> = {}): PlacedAside => ({
  messageIndex: 1,
  calls: [{ blockIndex: at, json: C(id) }],
  partedAt: at,
  results: [R(id)],
  ...more,
});
const beside = (id: number, at: number): PlacedAside => round(id, at, { partedAt: null });

describe("tools put into a body", () => {
  const tools = '{"name":"ebb_recall","description":"d","input_schema":{}}';

  it("stand behind the client's, every other byte as it came", () => {
    const came =
      '{ "tools" : [ {"name":"Read"} ,\n{"name":"Bash","cache_control":{"type":"ephemeral"}} ] , "messages":[]}';
    expect(insert(came, { tools })).toBe(came.replace("}} ]", `}},${tools} ]`));
  });

  it.each([
    ["offers none", '{"messages":[]}'],
    ["offers an empty list", '{"tools":[],"messages":[]}'],
    ["offers no list", '{"tools":{"name":"a"},"messages":[]}'],
    ["states them twice", '{"tools":[{"name":"a"}],"tools":[{"name":"a"}],"messages":[]}'],
    ["has one of the same name", '{"tools":[{"name":"ebb_recall"}],"messages":[]}'],
  ])("have no place where it %s", (_, came) => {
    expect(insert(came, { tools })).toBeNull();
  });

  it("have a place whatever the messages are, and nothing at all leaves the body as it is", () => {
    const came = '{"tools":[7],"messages":[],"messages":[8]}';
    expect(insert(came, { tools })).toBe(came.replace("[7]", `[7,${tools}]`));
    expect(insert(came, {})).toBe(came);
  });
});

describe("an aside of a round of its own", () => {
  const rest = [user(T("x")), NEXT];

  it.each<readonly [string, readonly string[], readonly PlacedAside[], readonly string[]]>([
    [
      "between what was said before and after",
      [T("a"), T("b")],
      [round(1, 1)],
      [model(T("a"), C(1)), user(R(1)), model(T("b"))],
    ],
    ["in front of all", [T("a")], [round(1, 0)], [model(C(1)), user(R(1)), model(T("a"))]],
    ["behind all", [T("a")], [round(1, 1)], [model(T("a"), C(1)), user(R(1))]],
    ["in an empty message", [], [round(1, 0)], [model(C(1)), user(R(1))]],
    [
      "with calls in two places",
      [T("a"), T("b"), T("c")],
      [
        round(1, 2, {
          calls: [
            { blockIndex: 0, json: C(1) },
            { blockIndex: 2, json: C(2) },
          ],
          results: [R(1), R(2)],
        }),
      ],
      [model(C(1), T("a"), T("b"), C(2)), user(R(1), R(2)), model(T("c"))],
    ],
    [
      "with calls in one place",
      [T("a"), T("b")],
      [
        round(1, 1, {
          calls: [
            { blockIndex: 1, json: C(1) },
            { blockIndex: 1, json: C(2) },
          ],
          results: [R(1), R(2)],
        }),
      ],
      [model(T("a"), C(1), C(2)), user(R(1), R(2)), model(T("b"))],
    ],
    [
      "with a call in front of the last block of its part",
      [T("a"), T("b"), T("c")],
      [round(1, 2, { calls: [{ blockIndex: 1, json: C(1) }] })],
      [model(T("a"), C(1), T("b")), user(R(1)), model(T("c"))],
    ],
    [
      "twice",
      [T("a"), T("b"), T("c")],
      [round(1, 1), round(2, 2)],
      [model(T("a"), C(1)), user(R(1)), model(T("b"), C(2)), user(R(2)), model(T("c"))],
    ],
    [
      "twice in front of all",
      [T("a")],
      [round(1, 0), round(2, 0)],
      [model(C(1)), user(R(1)), model(C(2)), user(R(2)), model(T("a"))],
    ],
    [
      "twice between the same blocks",
      [T("a"), T("b")],
      [round(1, 1), round(2, 1)],
      [model(T("a"), C(1)), user(R(1)), model(C(2)), user(R(2)), model(T("b"))],
    ],
    [
      "twice behind all",
      [T("a")],
      [round(1, 1), round(2, 1)],
      [model(T("a"), C(1)), user(R(1)), model(C(2)), user(R(2))],
    ],
  ])("stands %s", (_, blocks, asides, expected) => {
    expect(insert(body(GO, model(...blocks), ...rest), { asides })).toBe(body(GO, ...expected, ...rest));
  });

  it("keeps white space, breakpoints and escapes where they are", () => {
    const marked = '{"type":"text", "text":"b\\u00e9","cache_control":{"type":"ephemeral"} }';
    const came = body(GO, `{ "role" : "assistant" ,\n"content" : [ ${T("a")} ,\n ${marked} ] }`, NEXT);
    const expected = came
      .replace(T("a"), `${T("a")},${C(1)}]}`)
      .replace(marked, `${user(R(1))},{"role":"assistant","content":[${marked}`);
    expect(insert(came, { asides: [round(1, 1)] })).toBe(expected);
  });

  it("parts a message whose content comes before its role", () => {
    const came = body(GO, `{"content":[${T("a")},${T("b")}],"role":"assistant"}`);
    const written = insert(came, { asides: [round(1, 1)] });
    expect(JSON.parse(written ?? "")).toEqual(JSON.parse(body(GO, model(T("a"), C(1)), user(R(1)), model(T("b")))));
  });

  it("makes a string the text of a block", () => {
    const came = body(GO, '{"role":"assistant","content":"a\\u00e9"}', NEXT);
    expect(insert(came, { asides: [round(1, 0)] })).toBe(body(GO, model(C(1)), user(R(1)), model(T("a\\u00e9")), NEXT));
    expect(insert(came, { asides: [round(1, 1)] })).toBe(body(GO, model(T("a\\u00e9"), C(1)), user(R(1)), NEXT));
    const empty = came.replace("a\\u00e9", "");
    expect(insert(empty, { asides: [round(1, 0)] })).toBe(body(GO, model(C(1)), user(R(1)), NEXT));
  });

  it("stands in each message it belongs to, in any of them", () => {
    const came = body(GO, model(T("a")), NEXT, model(T("b")));
    const asides = [round(1, 0), round(2, 1, { messageIndex: 3 })];
    expect(insert(came, { asides })).toBe(
      body(GO, model(C(1)), user(R(1)), model(T("a")), NEXT, model(T("b"), C(2)), user(R(2))),
    );
  });

  it.each([
    ["is the user's", body(GO, GO), [round(1, 0)]],
    ["is not there", body(GO), [round(1, 0)]],
    ["has its content twice", body(GO, '{"role":"assistant","content":[],"content":[]}'), [round(1, 0)]],
    ["has no known content", body(GO, '{"role":"assistant","content":7}'), [round(1, 0)]],
    ["stands in one of two lists", `{"messages":[],"messages":[${GO},${model(T("a"))}]}`, [round(1, 0)]],
    [
      "would be parted and has other members",
      body(GO, `{"id":1,"role":"assistant","content":[${T("a")},${T("b")}]}`),
      [round(1, 1)],
    ],
    ["has fewer blocks", body(GO, model(T("a"))), [round(1, 2)]],
    ["has no block before the first", body(GO, model(T("a"))), [round(1, -1)]],
    ["would be parted where nothing stands", body(GO, model(T("a"))), [round(1, 0, { calls: [] })]],
    ["would be parted out of order", body(GO, model(T("a"), T("b"))), [round(1, 1), round(2, 0)]],
    ["would go on behind its end", body(GO, model(T("a")), NEXT), [beside(1, 1), round(2, 1)]],
  ])("has no place in a message that %s", (_, came, asides) => {
    expect(insert(came, { asides })).toBeNull();
  });

  it("needs no parting behind all, whatever other members the message has", () => {
    const came = body(GO, `{"id":1,"role":"assistant","content":[${T("a")}]}`, NEXT);
    expect(insert(came, { asides: [round(1, 1)] })).toBe(
      body(GO, `{"id":1,"role":"assistant","content":[${T("a")},${C(1)}]}`, user(R(1)), NEXT),
    );
  });
});

describe("an aside beside the client's own calls", () => {
  const own = [model(T("a"), C(8)), user(R(8), T("x"))] as const;

  it("has its results behind the client's, in front of its texts", () => {
    expect(insert(body(GO, ...own, NEXT), { asides: [beside(1, 1)] })).toBe(
      body(GO, model(T("a"), C(1), C(8)), user(R(8), R(1), T("x")), NEXT),
    );
  });

  it("stands behind rounds of the same message", () => {
    expect(insert(body(GO, model(T("a"), T("b"), C(8)), own[1]), { asides: [round(1, 1), beside(2, 3)] })).toBe(
      body(GO, model(T("a"), C(1)), user(R(1)), model(T("b"), C(8), C(2)), user(R(8), R(2), T("x"))),
    );
  });

  it.each([
    ["a list without results", user(T("x")), user(R(1), T("x"))],
    ["an empty list", user(), user(R(1))],
    ["a string", '{"role":"user","content":"x"}', user(R(1), T("x"))],
    ["an empty string", '{"role":"user","content":""}', user(R(1))],
  ])("has its results first in %s", (_, next, expected) => {
    const came = body(GO, own[0], next);
    expect(insert(came, { asides: [beside(1, 1)] })).toBe(body(GO, model(T("a"), C(1), C(8)), expected));
  });

  it.each([
    ["none follows", body(GO, own[0])],
    ["another message of the model follows", body(GO, own[0], model(T("b")))],
    ["the message that follows is of unknown shape", body(GO, own[0], '{"role":"user","content":7}')],
    ["a message of no known role follows", body(GO, own[0], '{"role":"tool","content":[]}')],
  ])("is left out, calls and results, where %s", (_, came) => {
    expect(insert(came, { asides: [beside(1, 1)] })).toBe(came);
    const written = insert(came, { asides: [round(1, 1), beside(2, 1)] });
    expect([written?.includes(C(1)), written?.includes(C(2)), written?.includes(R(2))]).toEqual([true, false, false]);
  });
});

describe("a round put behind a body", () => {
  const append = (json: string) => {
    const bytes = Buffer.from(json);
    const outcome = wire.read(bytes, new Map());
    if (!outcome.ok) throw new Error(outcome.words);
    return Buffer.from(INLINE.append(bytes, outcome.source, [T("a"), C(1)], [R(1)])).toString();
  };

  it("is the model's message and the results, every other byte as it came", () => {
    const came = `{ "messages" : [ ${GO} ] , "stream":true}`;
    expect(append(came)).toBe(came.replace(GO, `${GO},${model(T("a"), C(1))},${user(R(1))}`));
    expect(append('{"messages":[ ]}')).toBe(`{"messages":[${model(T("a"), C(1))},${user(R(1))} ]}`);
    expect(append(`{"messages":[7],"messages":[${GO}]}`)).toContain(`${GO},${model(T("a"), C(1))},${user(R(1))}]}`);
  });
});
