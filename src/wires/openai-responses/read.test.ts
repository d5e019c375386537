import { describe, expect, it } from "vitest";
import { EVERY_KIND } from "../../../test/support/responses-body.ts";
import { readBody } from "./read.ts";

function open(body: object | string) {
  const outcome = readBody(Buffer.from(typeof body === "string" ? body : JSON.stringify(body)), new Map());
  if (!outcome.ok) throw new Error(outcome.words);
  return outcome.source;
}

const kindsOf = (source: ReturnType<typeof open>) =>
  source.transcript.messages.map(({ role, itemStart, itemEnd }) => [
    role,
    ...source.transcript.items.slice(itemStart, itemEnd).map(({ kind }) => kind),
  ]);

describe("a request of the Responses API", () => {
  it("is what the model said in a row, and every other entry by itself", () => {
    expect(kindsOf(open(EVERY_KIND))).toEqual([
      ["system"],
      ["system"],
      ["user", "text"],
      ["user", "text", "media", "media", "media", "opaque"],
      ["assistant", "thinking", "text", "opaque", "call", "call", "call", "call", "opaque"],
      ["user", "result"],
      ["user", "result", "media"],
      ["user", "result"],
      ["user", "result"],
      ["user", "result"],
      ["assistant", "thinking", "opaque", "opaque", "opaque"],
      ["system", "text"],
      ["system", "opaque"],
      ["system", "opaque"],
      ["system", "opaque"],
      ["system", "opaque"],
      ["system", "opaque"],
      ["user", "text"],
    ]);
  });

  it("states its tools and instructions, and what systems and developers say first", () => {
    const { header } = open(EVERY_KIND).transcript;
    expect(header).toMatchObject({
      model: "m",
      toolNames: ["read"],
      systemTexts: ["be brief", "rules", "more rules"],
      headBreakpoints: 1,
      hasServerClear: false,
      isStreaming: true,
    });
  });

  it("names its calls and what they were given", () => {
    const calls = open(EVERY_KIND).transcript.items.flatMap((item) => (item.kind === "call" ? [item] : []));
    expect(calls.map(({ callId, name, input, key }) => [callId, name, input, key])).toEqual([
      ["c1", "read", { n: 1, big: Number("12345678901234567890") }, "call:c1:read"],
      ["c2", "mcp__files__read", "not json", "call:c2:mcp__files__read"],
      ["c3", "apply_patch", "*** Begin Patch\n*** End Patch", "call:c3:apply_patch"],
      ["c4", "local_shell", { type: "exec", command: ["ls"], env: {} }, "call:c4:local_shell"],
    ]);
  });

  it("replaces outputs and the pictures that it carries, and nothing else", () => {
    const { items } = open(EVERY_KIND).transcript;
    const told = items.flatMap((item) => {
      if (item.kind === "result") return [[item.callId, item.isReplaceable]];
      return item.kind === "media" ? [[item.mediaType, item.isReplaceable]] : [];
    });
    expect(told).toEqual([
      ["image/png", true],
      ["image/*", false],
      ["application/*", false],
      ["c1", true],
      ["c2", true],
      ["image/png", true],
      ["c3", true],
      ["c4", true],
      ["c5", false],
    ]);
  });

  it("replaces no picture in what the model or a developer says, nor one that others may read otherwise", () => {
    const picture = (data: string) => ({ type: "input_image", image_url: `data:image/png;base64,${data}` });
    const replaceable = (role: string, data: string) =>
      open({
        input: [
          { role: "user", content: "u" },
          { role, content: [picture(data)] },
        ],
      }).transcript.items.flatMap((item) => (item.kind === "media" ? [item.isReplaceable] : []));
    expect(["user", "assistant", "developer"].map((role) => replaceable(role, "aGk="))).toEqual([
      [true],
      [false],
      [false],
    ]);
    expect(["aGk=aGk=", "a Gk=", "aGk", ""].map((data) => replaceable("user", data))).toEqual([
      [false],
      [false],
      [false],
      [false],
    ]);
  });

  it("may be a string, which is what a user says", () => {
    const said = open({ input: "hello" }).transcript;
    expect(said.items).toEqual(open({ input: [{ role: "user", content: "hello" }] }).transcript.items);
    expect(said.messages).toEqual([{ role: "user", itemStart: 0, itemEnd: 1 }]);
  });

  it("names its session by its cache key", () => {
    expect(open({ input: [], prompt_cache_key: "s1" }).sessionId).toBe("s1");
    expect(open({ input: [], prompt_cache_key: "" }).sessionId).toBeNull();
    expect(open({ input: [] }).sessionId).toBeNull();
  });
});

describe("what a cache is kept apart by", () => {
  const user = { role: "user", content: "go" };
  const keyOf = (body: object) => open({ input: [user], ...body }).transcript.header.cacheKey;

  it("is the tools, the instructions, the opening entries and the schema of the answer", () => {
    const plain = keyOf({});
    const tool = { type: "function", name: "f", parameters: {} };
    const differing = [
      { tools: [tool] },
      { tools: [{ ...tool, description: "d" }] },
      { tools: [{ type: "namespace", name: "n", tools: [tool] }] },
      { instructions: "i" },
      { input: [{ role: "developer", content: "i" }, user] },
      { input: [{ role: "system", content: "i" }, user] },
      { text: { format: { type: "json_schema", name: "s", schema: {} } } },
    ].map(keyOf);
    expect(new Set([plain, ...differing]).size).toBe(differing.length + 1);
  });

  it("is nothing that does not certainly change the prompt's beginning", () => {
    const plain = keyOf({});
    const deferred = { type: "function", name: "f", defer_loading: true };
    const same = [
      { tools: [] },
      { tools: [deferred] },
      { instructions: null },
      { reasoning: { effort: "high" }, temperature: 1, tool_choice: "required", prompt_cache_key: "k" },
      { text: { format: { type: "text" }, verbosity: "low" } },
      { input: [user, { role: "developer", content: "later" }] },
    ].map(keyOf);
    expect(new Set([plain, ...same]).size).toBe(1);
  });

  it("is not how a text is written, nor its id or breakpoint", () => {
    const part = { type: "input_text", text: "i", prompt_cache_breakpoint: { mode: "explicit" } };
    const [one, other] = [
      [{ role: "developer", content: "i" }, user],
      [{ type: "message", id: "msg_1", role: "developer", content: [part] }, user],
    ];
    expect(keyOf({ input: one })).toBe(keyOf({ input: other }));
  });
});

describe("breakpoints", () => {
  const mark = { prompt_cache_breakpoint: { mode: "explicit" } };
  const input = [
    { role: "developer", content: [{ type: "input_text", text: "rules", ...mark }] },
    {
      role: "user",
      content: [
        { type: "input_text", text: "a", ...mark },
        { type: "input_text", text: "b" },
      ],
    },
    { role: "assistant", content: "c" },
    { type: "function_call_output", call_id: "x", output: [{ type: "input_text", text: "d", ...mark }] },
    { role: "user", content: "e" },
  ];
  const of = (body: object) => {
    const { header, breakpoints } = open({ input, ...body }).transcript;
    return [header.headBreakpoints, breakpoints.map(({ itemCount }) => itemCount), header.cacheTtlMs];
  };

  it("are the client's and the provider's own at the end", () => {
    expect(of({})).toEqual([1, [1, 4, 5], 86_400_000]);
    expect(of({ prompt_cache_options: { mode: "explicit" } })).toEqual([1, [1, 4], 86_400_000]);
    expect(of({ prompt_cache_retention: "in_memory" })).toEqual([1, [1, 4, 5], 3_600_000]);
  });

  it("are none where the client turned the provider's own off and put none", () => {
    const explicit = { prompt_cache_options: { mode: "explicit" } };
    expect(of({ input: "a", ...explicit })).toEqual([0, [], null]);
    expect(of({ input: [] })).toEqual([0, [], 86_400_000]);
  });
});

describe("what clients drop and add", () => {
  const keyOf = (entry: object) => open({ input: [entry] }).transcript.items.map(({ key }) => key);

  it("tells no reasoning from another where what is encrypted is the same", () => {
    const sealed = { type: "reasoning", encrypted_content: "abc" };
    const full = { ...sealed, id: "rs_1", summary: [{ type: "summary_text", text: "hm" }], content: null };
    expect(keyOf(full)).toEqual(keyOf({ ...sealed, summary: [] }));
    expect(keyOf(full)).not.toEqual(keyOf({ ...full, encrypted_content: "abd" }));
  });

  it("tells no search from another, but a reference by what it refers to", () => {
    const search = { type: "web_search_call", action: { type: "search", query: "q" } };
    expect(keyOf({ ...search, id: "ws_1", status: "completed" })).toEqual(keyOf(search));
    expect(keyOf({ type: "item_reference", id: "a" })).not.toEqual(keyOf({ type: "item_reference", id: "b" }));
    expect(keyOf({ id: "a" })).toEqual(keyOf({ type: "item_reference", id: "a" }));
  });
});
