import { describe, expect, it } from "vitest";
import { calls, reasoned, recalls, said } from "../../../test/support/inline/responses-rounds.ts";
import type { PlacedAside, WireSource } from "../../model/ports.ts";
import type { ToolContent } from "../../model/tool.ts";
import { INLINE } from "./inline.ts";
import { readBody } from "./read.ts";

const TOOLS = INLINE.toolsJson([
  { name: "ebb_recall", description: "d", inputSchema: { type: "object", properties: {}, required: [] } },
]);
const tools = [{ type: "function", name: "shell", parameters: {} }];
const user = (content: string) => ({ role: "user", content });
const output = (call_id: string) => ({ type: "function_call_output", call_id, output: `out ${call_id}` });

function open(body: object) {
  const bytes = Buffer.from(JSON.stringify(body));
  const outcome = readBody(bytes, new Map());
  if (!outcome.ok) throw new Error(outcome.words);
  return { bytes, source: outcome.source };
}

function inputWith(input: readonly object[], asides: readonly PlacedAside[], more: object = {}): unknown {
  const { bytes, source } = open({ input, ...more });
  const put = INLINE.insert(bytes, source, { tools: null, asides });
  return put === null ? null : JSON.parse(Buffer.from(put).toString()).input;
}

const json = (...items: readonly object[]) => items.map((item) => JSON.stringify(item)).join(",");
const aside = (messageIndex: number, at: number, partedAt: number | null, id = "e1"): PlacedAside => ({
  messageIndex,
  calls: [{ blockIndex: at, json: json(reasoned(id), recalls(id)) }],
  partedAt,
  results: [json(output(id))],
});

describe("asides in a body", () => {
  const [a, b, c] = [said("a"), calls("c1"), said("c")];

  it("stand in their places, what answers them right behind", () => {
    const put = [reasoned("e1"), recalls("e1"), output("e1")];
    expect(inputWith([user("u"), a, c], [aside(1, 0, 0)])).toEqual([user("u"), ...put, a, c]);
    expect(inputWith([user("u"), a, c], [aside(1, 1, 1)])).toEqual([user("u"), a, ...put, c]);
    expect(inputWith([user("u"), a, c], [aside(1, 2, 2)])).toEqual([user("u"), a, c, ...put]);
  });

  it("beside the client's calls are answered in front of those", () => {
    expect(inputWith([user("u"), a, b, output("c1")], [aside(1, 1, null)])).toEqual([
      user("u"),
      a,
      reasoned("e1"),
      recalls("e1"),
      b,
      output("e1"),
      output("c1"),
    ]);
  });

  it("may be more than one in a message, in their order", () => {
    expect(
      inputWith([user("u"), a, b, output("c1")], [aside(1, 0, 0, "e1"), aside(1, 0, 0, "e2"), aside(1, 1, null, "e3")]),
    ).toEqual([
      user("u"),
      ...["e1", "e2"].flatMap((id) => [reasoned(id), recalls(id), output(id)]),
      a,
      reasoned("e3"),
      recalls("e3"),
      b,
      output("e3"),
      output("c1"),
    ]);
  });

  it("have no place in a message of another, out of order, or where the provider holds the conversation", () => {
    expect(inputWith([user("u"), a], [aside(0, 0, 0)])).toBeNull();
    expect(inputWith([user("u"), a], [aside(9, 0, 0)])).toBeNull();
    expect(inputWith([user("u"), a, c], [aside(1, 1, 1), aside(1, 0, 0, "e2")])).toBeNull();
    expect(inputWith([user("u"), a], [aside(1, 0, 0)], { previous_response_id: "resp_0" })).toBeNull();
    expect(inputWith([user("u"), a], [aside(1, 0, 0)], { previous_response_id: null })).not.toBeNull();
  });

  it("have no place in a body that holds two conversations", () => {
    const input = json(user("u"), a);
    const bytes = Buffer.from(`{"input":[${input}],"input":[${input}]}`);
    const outcome = readBody(bytes, new Map());
    if (!outcome.ok) throw new Error(outcome.words);
    expect(INLINE.insert(bytes, outcome.source, { tools: null, asides: [aside(1, 0, 0)] })).toBeNull();
  });

  it("leave every other byte as it came", () => {
    const bytes = Buffer.from(`{ "input" : [ {"role":"user","content":"u"} ,\n ${json(a)} , ${json(c)} ] , "x":1.0}`);
    const outcome = readBody(bytes, new Map());
    if (!outcome.ok) throw new Error(outcome.words);
    const put = INLINE.insert(bytes, outcome.source, { tools: null, asides: [aside(1, 1, 1)] });
    const pieces = json(reasoned("e1"), recalls("e1"), output("e1"));
    expect(Buffer.from(put ?? []).toString()).toBe(bytes.toString().replace(json(c), `${pieces},${json(c)}`));
  });
});

describe("tools of Ebb's", () => {
  const put = (body: object) => {
    const { bytes, source } = open({ input: "u", store: false, tools, ...body });
    const written = INLINE.insert(bytes, source, { tools: TOOLS, asides: [] });
    return written === null ? null : JSON.parse(Buffer.from(written).toString()).tools;
  };

  it("stand last in the list", () => {
    expect(put({})).toEqual([
      ...tools,
      {
        type: "function",
        name: "ebb_recall",
        description: "d",
        parameters: { type: "object", properties: {}, required: [] },
        strict: false,
      },
    ]);
  });

  it.each([
    ["offers none", { tools: [] }],
    ["has one of the same name", { tools: [...tools, { type: "function", name: "ebb_recall" }] }],
    ["has the provider keep the response", { store: true }],
    ["does not say whether the provider keeps it", { store: undefined }],
    ["goes on from what the provider keeps", { previous_response_id: "resp_0" }],
    ["belongs to a conversation that the provider keeps", { conversation: "conv_0" }],
    ["is answered later", { background: true }],
  ])("are not put into a request that %s", (_, body) => {
    expect(put(body)).toBeNull();
  });
});

describe("the request of a further round", () => {
  const append = (body: object) => {
    const { bytes, source } = open(body);
    const blocks = [json(said("a")), json(reasoned("e1"), recalls("e1"))];
    return JSON.parse(Buffer.from(INLINE.append(bytes, source, blocks, [json(output("e1"))])).toString()).input;
  };
  const added = [said("a"), reasoned("e1"), recalls("e1"), output("e1")];

  it("has what the model said and what answers it behind all that was there", () => {
    expect(append({ input: [user("u")] })).toEqual([user("u"), ...added]);
    expect(append({ input: [] })).toEqual(added);
    expect(append({ input: "u" })).toEqual([user("u"), ...added]);
  });
});

describe("marks", () => {
  const marksOf = (...entries: readonly object[]) => {
    const { source }: { source: WireSource } = open({ input: [user("u"), ...entries] });
    return INLINE.marksOf(source, 1);
  };

  it("are the same for what clients write otherwise", () => {
    const told = marksOf(reasoned("a"), said(" words\n"), calls("c1"));
    const { id: _id, summary: _summary, ...bare } = reasoned("a");
    const { id: _other, status: _status, ...call } = calls("c1");
    expect(marksOf(bare, { role: "assistant", content: "words" }, call)).toEqual(told);
    expect(told.map(({ blockIndex }) => blockIndex)).toEqual([0, 1, 2]);
  });

  it("tell by its kind alone what has no call id, and are none for blanks and for reasoning that nobody could send back", () => {
    const search = { type: "web_search_call", id: "ws_1", action: { type: "search", query: "q" } };
    const marks = marksOf(search, said("  "), { type: "reasoning", id: "rs", summary: [] }, said("x"));
    expect(marks).toMatchObject([{ blockIndex: 0, mark: "kind:web_search_call" }, { blockIndex: 3 }]);
    expect(marksOf({ type: "web_search_call" })[0]?.mark).toBe(marks[0]?.mark);
  });

  it("of a message that is no model's are none", () => {
    const { source } = open({ input: [user("u")] });
    expect([INLINE.marksOf(source, 0), INLINE.marksOf(source, 7)]).toEqual([[], []]);
  });
});

describe("an answer", () => {
  const answer = (content: readonly ToolContent[], failure: string | null = null) =>
    JSON.parse(INLINE.resultJson("c1", { content, failure })).output;
  const text = (words: string) => ({ type: "text", text: words }) as const;

  it("is a text, or parts with the attachments that the API takes", () => {
    expect(answer([text("found")])).toBe("found");
    expect([answer([]), answer([text(" ")])]).toEqual(["(blank)", "(blank)"]);
    const resource = { uri: "ebb://x/a.pdf", mimeType: "application/pdf", blob: "eA==" };
    const content = [
      text("two"),
      { type: "image", data: "eA==", mimeType: "image/png" },
      { type: "resource", resource },
    ] as const;
    expect(answer(content)).toEqual([
      { type: "input_text", text: "two" },
      { type: "input_image", image_url: "data:image/png;base64,eA==", detail: "auto" },
      { type: "input_file", filename: "a.pdf", file_data: "data:application/pdf;base64,eA==" },
    ]);
  });

  it("says what it does not show, and tells a failure in words alone", () => {
    const image = { type: "image", data: "eA==", mimeType: "image/tiff" } as const;
    expect(answer([image])[0].text).toContain("image/tiff");
    expect(answer([text("unknown id"), image], "unknown id")).toBe("unknown id");
  });
});
