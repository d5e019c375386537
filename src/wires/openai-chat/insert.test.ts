import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Insertions, PlacedAside } from "../../model/ports.ts";
import { createOpenaiChat } from "./index.ts";
import { INLINE } from "./inline.ts";
import { markOfCall, markOfText } from "./marks.ts";

const wire = createOpenaiChat();

function open(body: string | object) {
  const bytes = Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
  const outcome = wire.read(bytes, new Map());
  if (!outcome.ok) throw new Error(outcome.words);
  return { bytes, source: outcome.source };
}

function inserted(body: string | object, insertions: Partial<Insertions>): string | null {
  const { bytes, source } = open(body);
  const written = INLINE.insert(bytes, source, { tools: null, asides: [], ...insertions });
  return written === null ? null : Buffer.from(written).toString();
}

const messagesIn = (json: string | null) => JSON.parse(json ?? "{}").messages;
const call = (id: string) => ({ id, type: "function", function: { name: "ebb_recall", arguments: "{}" } });
const answer = (id: string) => ({ role: "tool", tool_call_id: id, content: `of ${id}` });
const round = (id: string, at: number, messageIndex = 1, thought = ""): PlacedAside => ({
  messageIndex,
  calls: [
    { blockIndex: at, json: thought === "" ? JSON.stringify(call(id)) : `[{${thought}},${JSON.stringify(call(id))}]` },
  ],
  partedAt: at,
  results: [JSON.stringify(answer(id))],
});
const beside = (id: string, at: number, messageIndex = 1): PlacedAside => ({
  ...round(id, at, messageIndex),
  partedAt: null,
});
const user = { role: "user", content: "go" };
const own = { id: "c", type: "function", function: { name: "read", arguments: "{}" } };
const result = { role: "tool", tool_call_id: "c", content: "text" };
const body = (...messages: readonly object[]) => ({ messages: [user, ...messages] });

describe("a round put back", () => {
  it("parts the text where it stood", () => {
    const said = { role: "assistant", content: "one two" };
    expect(messagesIn(inserted(body(said), { asides: [round("a", 3)] }))).toEqual([
      user,
      { role: "assistant", content: "one", tool_calls: [call("a")] },
      answer("a"),
      { role: "assistant", content: " two" },
    ]);
    const asides = [round("a", 0), round("b", 3), round("d", 3), round("e", 5)];
    expect(messagesIn(inserted(body({ ...said, tool_calls: [own] }, result), { asides }))).toEqual([
      user,
      { role: "assistant", content: null, tool_calls: [call("a")] },
      answer("a"),
      { role: "assistant", content: "one", tool_calls: [call("b")] },
      answer("b"),
      { role: "assistant", content: null, tool_calls: [call("d")] },
      answer("d"),
      { role: "assistant", content: " t", tool_calls: [call("e")] },
      answer("e"),
      { role: "assistant", content: "wo", tool_calls: [own] },
      result,
    ]);
  });

  it("behind the whole text ends it, in front of calls or of nothing", () => {
    const said = { role: "assistant", content: "one" };
    expect(messagesIn(inserted(body({ ...said, tool_calls: [own] }, result), { asides: [round("a", 3)] }))).toEqual([
      user,
      { role: "assistant", content: "one", tool_calls: [call("a")] },
      answer("a"),
      { role: "assistant", content: null, tool_calls: [own] },
      result,
    ]);
    expect(messagesIn(inserted(body(said, user), { asides: [round("a", 3), round("b", 3)] }))).toEqual([
      user,
      { role: "assistant", content: "one", tool_calls: [call("a")] },
      answer("a"),
      { role: "assistant", content: null, tool_calls: [call("b")] },
      answer("b"),
      user,
    ]);
  });

  it.each([
    ["calls in front of the text", { role: "assistant", tool_calls: [own], content: "one two" }],
    ["thinking and calls", { role: "assistant", reasoning_content: "r", content: "one two", tool_calls: [own] }],
    ["thinking behind the text", { role: "assistant", content: "one two", reasoning_content: "r" }],
    ["calls that are none, behind the whole text", { role: "assistant", content: "one", tool_calls: null }],
    [
      "a text in several parts",
      { role: "assistant", content: ["one", " two"].map((text) => ({ type: "text", text })) },
    ],
  ])("stands in front of a message with %s", (_, said) => {
    const written = messagesIn(inserted(body(said), { asides: [round("a", 3)] }));
    expect(written).toEqual([user, { role: "assistant", content: null, tool_calls: [call("a")] }, answer("a"), said]);
  });

  it("brings what was thought where the client keeps thinking", () => {
    const asides = [round("a", 0, 1, '"reasoning_content":"r1"')];
    const calling = (said: object) => messagesIn(inserted(body(said), { asides }))[1];
    const plain = { role: "assistant", content: null, tool_calls: [call("a")] };
    expect(calling({ role: "assistant", content: "x", reasoning_content: "r1r2" })).toEqual({
      ...plain,
      reasoning_content: "r1",
    });
    expect(calling({ role: "assistant", content: "x" })).toEqual(plain);
    expect(INLINE.thoughtsIn?.(asides.flatMap(({ calls }) => calls.map(({ json }) => json))).size).toBe(1);
  });

  it("leaves every byte that came in its order, wherever the text is parted and however it is written", () => {
    const char = fc.constantFrom("a", " ", "é", "😀", "\\n", '\\"', "\\u00e9", "\\ud83d\\ude00", "→");
    const content = fc.array(char, { minLength: 1, maxLength: 12 }).map((chars) => chars.join(""));
    const shape = fc.constantFrom<(words: string) => string>(
      (words) => `{"role":"assistant","content":"${words}"}`,
      (words) => `{"content" : "${words}" , "role":"assistant"}`,
      (words) => `{"role":"assistant","content":[{"type":"text","text":"${words}"}]}`,
      (words) => `{"content":[ {"text":"${words}" , "type":"text"} ],"role":"assistant"}`,
      (words) =>
        `{"role":"assistant","content":"${words}","tool_calls":[${JSON.stringify(own)}]},${JSON.stringify(result)}`,
    );
    fc.assert(
      fc.property(content, shape, fc.array(fc.nat(), { minLength: 1, maxLength: 3 }), (words, write, turns) => {
        const json = `{"messages":[${JSON.stringify(user)},${write(words)}]}`;
        const { source } = open(json);
        const text = JSON.parse(`"${words}"`);
        const places = turns.map((turn) => turn % (text.length + 1)).sort((one, other) => one - other);
        const asides = places.map((at, index) => round(`r${index}`, at));
        const written = inserted(json, { asides }) ?? "";
        expect(isWoven(written, json)).toBe(true);
        const said = open(written).source.transcript.items.filter(({ role }) => role === "assistant");
        const texts = said.flatMap((item) => (item.kind === "text" ? [open(written).source.textOf(item)] : []));
        expect(texts.join("")).toBe(text);
        const calls = said.flatMap((item) => (item.kind === "call" && item.callId !== "c" ? [item.callId] : []));
        expect(calls).toEqual(places.map((_, index) => `r${index}`));
        expect(source.transcript.messages.length).toBeLessThan(messagesIn(written).length);
      }),
      { numRuns: 300 },
    );
  });
});

/** True where `outer` is `inner` with pieces between. */
function isWoven(outer: string, inner: string): boolean {
  let at = 0;
  for (const char of outer)
    if (char === inner[at] || char === String.fromCodePoint(inner.codePointAt(at) ?? 0)) at += char.length;
  return at === inner.length;
}

describe("calls beside the client's own put back", () => {
  const said = { role: "assistant", content: "one", tool_calls: [own, { ...own, id: "d" }] };
  const results = [result, { ...result, tool_call_id: "d" }];

  it("stand among them, and their results behind those", () => {
    const orders = [0, 3, 4, 5].map((at) => {
      const messages = messagesIn(inserted(body(said, ...results, user), { asides: [beside("a", at)] }));
      expect(messages.slice(2)).toEqual([...results, answer("a"), user]);
      return messages[1].tool_calls.map(({ id }: { id: string }) => id).join("");
    });
    expect(orders).toEqual(["acd", "acd", "cad", "cda"]);
  });

  it("are left out where no result follows, and have no place where the message calls nothing", () => {
    expect(messagesIn(inserted(body(said, user), { asides: [beside("a", 0)] }))).toEqual([user, said, user]);
    expect(inserted(body({ role: "assistant", content: "one" }, result), { asides: [beside("a", 0)] })).toBeNull();
    expect(inserted(body(user, result), { asides: [beside("a", 0)] })).toBeNull();
  });

  it("may stand with rounds in one message", () => {
    const asides = [round("a", 1), beside("b", 4)];
    expect(messagesIn(inserted(body(said, ...results), { asides }))).toMatchObject([
      user,
      { content: "o", tool_calls: [{ id: "a" }] },
      answer("a"),
      { content: "ne", tool_calls: [{ id: "c" }, { id: "b" }, { id: "d" }] },
      ...results,
      answer("b"),
    ]);
  });
});

describe("tools", () => {
  const tools = INLINE.toolsJson([
    { name: "ebb_recall", description: "d", inputSchema: { type: "object", properties: {}, required: [] } },
  ]);

  it("stand last in the list, once, and only where there is one", () => {
    expect(inserted('{"tools":[ {"type":"function"} \n],"messages":[]}', { tools })).toBe(
      `{"tools":[ {"type":"function"},${tools} \n],"messages":[]}`,
    );
    for (const json of ['{"messages":[]}', '{"tools":[],"messages":[]}', '{"tools":[{}],"tools":[{}],"messages":[]}'])
      expect(inserted(json, { tools })).toBeNull();
    expect(inserted(`{"tools":[${tools}],"messages":[]}`, { tools })).toBeNull();
    expect(JSON.parse(tools)).toMatchObject({ type: "function", function: { name: "ebb_recall", parameters: {} } });
  });
});

describe("marks", () => {
  const marksOf = (said: object, ...expected: (readonly (string | null)[])[]) =>
    INLINE.marksOf(
      open(body(said)).source,
      1,
      expected.map((marks) => marks.map(String)),
    );
  const [one, two] = [markOfText("One. "), markOfText("Two.")];

  it("tell a joined text by its parts, each by its last place, and then the calls", () => {
    const said = { role: "assistant", content: "One. Two.", tool_calls: [own] };
    expect(marksOf(said, [one, two, markOfCall("c")])).toEqual([
      { mark: one, blockIndex: 4 },
      { mark: two, blockIndex: 8 },
      { mark: markOfCall("c"), blockIndex: 9 },
    ]);
    expect(marksOf(said).map(({ mark }) => mark)).toEqual([markOfText("One. Two."), markOfCall("c")]);
  });

  it("are the same where a client trims the text, cuts it short, or writes it in parts", () => {
    const padded = markOfText("\n One. ");
    expect(marksOf({ role: "assistant", content: "One. Two." }, [padded, two])).toMatchObject([
      { mark: padded },
      { mark: two },
    ]);
    expect(marksOf({ role: "assistant", content: "One. " }, [one, two])).toEqual([{ mark: one, blockIndex: 4 }]);
    expect(marksOf({ role: "assistant", content: "One. Tw" }, [one, two])).toMatchObject([
      { mark: one },
      { blockIndex: 6 },
    ]);
    const parts = ["One", ". Two."].map((words) => ({ type: "text", text: words }));
    expect(marksOf({ role: "assistant", content: parts }, [one, two])).toMatchObject([{ mark: one }, { mark: two }]);
    expect(marksOf({ role: "assistant", content: "One. Two." }, [two], [one, two])).toHaveLength(2);
  });

  it("are none of a message that is not the model's, and of blank text", () => {
    expect(marksOf(user)).toEqual([]);
    expect(marksOf({ role: "assistant", content: " \n" })).toEqual([]);
  });
});

describe("a round on the way", () => {
  it("stands behind the last message, and behind nothing in an empty history", () => {
    const append = (json: string) => {
      const { bytes, source } = open(json);
      const blocks = ['{"role":"assistant","content":"x"}', `[{"reasoning":"r"},${JSON.stringify(call("a"))}]`];
      return Buffer.from(INLINE.append(bytes, source, blocks, [JSON.stringify(answer("a"))])).toString();
    };
    const added = `{"role":"assistant","content":"x","tool_calls":[${JSON.stringify(call("a"))}]},${JSON.stringify(answer("a"))}`;
    expect(append('{"messages":[ {"role":"user","content":"go"} ]}')).toBe(
      `{"messages":[ {"role":"user","content":"go"},${added} ]}`,
    );
    expect(append('{"messages":[]}')).toBe(`{"messages":[${added}]}`);
  });

  it("is answered by a message of text alone", () => {
    const json = (content: Parameters<typeof INLINE.resultJson>[1]["content"]) =>
      JSON.parse(INLINE.resultJson("a", { content, failure: null }));
    expect(json([{ type: "text", text: "x" }])).toEqual({ role: "tool", tool_call_id: "a", content: "x" });
    expect(json([{ type: "text", text: " " }]).content).toBe("(blank)");
    expect(json([{ type: "image", data: "aGk=", mimeType: "image/png" }]).content).toMatch(
      /^\[not shown: an attachment/,
    );
    const resource = { uri: "ebb://a", mimeType: "application/pdf", blob: "aGk=" };
    expect(json([{ type: "resource", resource }]).content).toMatch(/^\[not shown: ebb:\/\/a of type application\/pdf/);
  });
});
