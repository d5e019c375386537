import { describe, expect, it } from "vitest";
import { recordedRequests } from "../../../test/support/recorded-bodies.ts";
import { recordedSessions } from "../../../test/support/shared.ts";
import type { Item } from "../../model/item.ts";
import type { JsonValue } from "../../model/json.ts";
import type { WireSource } from "../../model/ports.ts";
import { createGemini } from "./index.ts";

const wire = createGemini();

function read(contents: JsonValue, memo = new Map<string, unknown>()): WireSource {
  return readBytes(JSON.stringify({ contents }), memo);
}

function readBytes(text: string, memo = new Map<string, unknown>()): WireSource {
  const outcome = wire.read(Buffer.from(text), memo, { kind: "generate", model: "gemini-3-pro" });
  if (!outcome.ok) throw new Error(outcome.words);
  return outcome.source;
}

function idsOf(items: readonly Item[]): readonly string[] {
  return items.flatMap((item) =>
    item.kind === "call" || item.kind === "result" ? [`${item.kind} ${item.callId}`] : [],
  );
}

const call = (name: string, args: JsonValue, id?: string) => ({
  functionCall: { name, args, ...(id === undefined ? {} : { id }) },
});
const response = (name: string, output: string, id?: string) => ({
  functionResponse: { name, response: { output }, ...(id === undefined ? {} : { id }) },
});
const model = (...parts: JsonValue[]) => ({ role: "model", parts });
const user = (...parts: JsonValue[]) => ({ role: "user", parts });

describe("calls without ids", () => {
  it("are told by function, arguments and occurrence, and their responses by order and name", () => {
    const { items } = read([
      user({ text: "go" }),
      model(call("read", { p: "a" }), call("run", { c: 1 }), call("read", { p: "a" })),
      user(response("run", "r"), response("read", "one"), response("read", "two")),
    ]).transcript;
    const [first, run, second] = idsOf(items);
    expect(first?.replace("1", "")).toBe(second?.replace("2", ""));
    expect(idsOf(items).slice(3)).toEqual([run, first, second].map((id) => id?.replace("call", "result")));
  });

  it("keep their ids whatever order the arguments are written in", () => {
    const ids = (args: JsonValue) => idsOf(read([model(call("read", args))]).transcript.items);
    expect(ids({ a: 1, b: 2 })).toEqual(ids({ b: 2, a: 1 }));
    expect(ids({ a: 1 })).not.toEqual(ids({ a: 2 }));
  });

  it("go on counting in a later body as if it were read for the first time", () => {
    const memo = new Map<string, unknown>();
    const round = [model(call("read", {})), user(response("read", "x"), response("stray", "y"))];
    const history: JsonValue[] = [user({ text: "go" })];
    for (let count = 0; count < 5; count++) {
      history.push(...round);
      expect(read(history, memo).transcript).toEqual(read(history).transcript);
    }
    const ids = idsOf(read(history, memo).transcript.items);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("may be answered in a content each, in any order, and as many as there are", () => {
    const names = Array.from({ length: 4_000 }, (_, index) => `tool${index % 7}`);
    const asked = model(...names.map((name, index) => call(name, { index })));
    const answers = names.toReversed().map((name, index) => user(response(name, `${index}`)));
    const strays = names.map((name) => user(response(`no-${name}`, "x")));
    const { items } = read([user({ text: "go" }), asked, ...answers, ...strays]).transcript;
    const ids = (kind: Item["kind"]) => idsOf(items).flatMap((id) => (id.startsWith(kind) ? [id.split(" ")[1]] : []));
    expect(new Set(ids("result").slice(0, names.length))).toEqual(new Set(ids("call")));
    expect(new Set(ids("result")).size).toBe(2 * names.length);
  });

  it("are not answered by a response that names another call by its id", () => {
    const { items } = read([
      model(call("read", {}, "one"), call("read", {})),
      user(response("read", "a", "one"), response("read", "b")),
    ]).transcript;
    const [, second] = idsOf(items);
    expect(idsOf(items).slice(2)).toEqual(["result one", second?.replace("call", "result")]);
  });

  it("do not take an answer that belongs to nobody, which is not replaced", () => {
    const { items } = read([model(call("read", {})), user(response("write", "b"))]).transcript;
    expect(idsOf(items)[1]).toMatch(/^result write:unasked:/);
    expect(items[1]).toMatchObject({ isReplaceable: false });
  });
});

describe("a function's response", () => {
  const resultOf = (value: JsonValue) => {
    const source = read([user({ functionResponse: { id: "c", name: "f", response: value } })]);
    const [item] = source.transcript.items;
    if (item?.kind !== "result") throw new Error("no result");
    return { item, text: source.textOf(item), source };
  };
  const written = (value: JsonValue) => {
    const body = Buffer.from(
      JSON.stringify({ contents: [user({ functionResponse: { id: "c", name: "f", response: value } })] }),
    );
    const outcome = wire.read(body, new Map());
    if (!outcome.ok) throw new Error(outcome.words);
    const { source } = outcome;
    const script = source.transcript.items.map(({ key }) => ({ kind: "replace", itemKey: key, text: "gone" }) as const);
    return JSON.parse(Buffer.concat(wire.write(body, source, script)).toString()).contents[0].parts[0].functionResponse
      .response;
  };

  it.each(["output", "result", "content", "error"])("is its %s where that is a string, and the rest stays", (name) => {
    const { item, text } = resultOf({ exit: 1, [name]: "words\n" });
    expect([text, item.isReplaceable, item.isError]).toEqual(["words\n", true, name === "error"]);
    expect(written({ exit: 1, [name]: "words\n" })).toEqual({ exit: 1, [name]: "gone" });
  });

  it.each([[{ output: "a", error: "b" }], [{ output: { deep: 1 } }], [{ stdout: "x" }], [["a"]], ["text"], [7]])(
    "is its JSON where nobody can tell which member counts: %j",
    (value) => {
      const { item, text } = resultOf(value);
      expect([text, item.isReplaceable]).toEqual([JSON.stringify(value), true]);
      expect(written(value)).toEqual({ output: "gone" });
    },
  );

  it("has no text to replace where nothing came back", () => {
    const { item } =
      read([user({ functionResponse: { name: "f" } })]).transcript.items[0] === undefined
        ? { item: null }
        : { item: read([user({ functionResponse: { name: "f" } })]).transcript.items[0] };
    expect(item).toMatchObject({ kind: "result", isReplaceable: false, bytes: 0 });
  });

  it("did not fail where its error is null or empty, and is as replaceable as without it", () => {
    for (const error of [null, "", false]) {
      const answered = user({ functionResponse: { name: "read", response: { output: "fine", error } } });
      const source = read([user({ text: "go" }), model(call("read", {})), answered]);
      const result = source.transcript.items.at(-1);
      expect(result).toMatchObject({ kind: "result", isError: false, isReplaceable: true });
      expect(result === undefined ? null : source.textOf(result)).toBe("fine");
    }
  });

  it("is not replaced where a member stands twice", () => {
    const source = readBytes(
      '{"contents":[{"parts":[{"functionResponse":{"id":"c","name":"f","response":{"output":"a","output":"b"}}}]}]}',
    );
    expect(source.transcript.items).toMatchObject([{ kind: "result", isReplaceable: false }]);
  });

  it("is not replaced where contents stand twice", () => {
    const part = '[{"parts":[{"functionResponse":{"id":"c","name":"f","response":{"output":"a"}}}]}]';
    const source = readBytes(`{"contents":${part},"contents":${part}}`);
    expect(source.transcript.items).toMatchObject([{ kind: "result", isReplaceable: false }]);
  });
});

describe("the header", () => {
  it("tells tools, system prompt and model", () => {
    const { header } = readBytes(
      JSON.stringify({
        contents: [],
        systemInstruction: { parts: [{ text: "one" }, { text: "two" }] },
        tools: [{ functionDeclarations: [{ name: "a" }, { name: "b" }] }, { google_search: {} }],
      }),
    ).transcript;
    expect(header).toMatchObject({ model: "gemini-3-pro", toolNames: ["a", "b"], systemTexts: ["one", "two"] });
  });

  it("keeps caches apart by tools, system prompt and a cache that is named, and by nothing else", () => {
    const keyOf = (members: object) =>
      readBytes(JSON.stringify({ contents: [], ...members })).transcript.header.cacheKey;
    const bare = keyOf({});
    expect(keyOf({ generationConfig: { temperature: 1 }, toolConfig: {} })).toBe(bare);
    const others = [
      { cachedContent: "cachedContents/1" },
      { tools: [{}] },
      { systemInstruction: { parts: [{ text: "s" }] } },
    ];
    expect(new Set([bare, ...others.map(keyOf)]).size).toBe(4);
  });
});

describe("a body", () => {
  it.each([
    ["[]", "body: expected an object, got an array"],
    ['{"contents":"hi"}', "contents: expected an array, got a string"],
    ['{"request":{}}', "contents: expected an array, got nothing"],
  ])("that is none of this API's is refused in words: %s", (text, words) => {
    expect(wire.read(Buffer.from(text), new Map())).toEqual({ ok: false, words });
  });
});

describe("routes", () => {
  it.each([
    ["/v1beta/models/gemini-3-pro:generateContent", { kind: "generate", model: "gemini-3-pro" }],
    ["/v1beta/models/gemini-3-pro:streamGenerateContent", { kind: "generate", model: "gemini-3-pro" }],
    ["/models/gemini%2D3:countTokens", { kind: "count", model: "gemini-3" }],
    ["/v1/tunedModels/mine:generateContent", { kind: "generate", model: "mine" }],
    ["/v1beta/models/gemini-3-pro:embedContent", null],
    ["/v1beta/models/gemini-3-pro", null],
    ["/v1beta/cachedContents", null],
    ["/v1/projects/p/locations/l/publishers/google/models/gemini-3-pro:generateContent", null],
    ["/v1/publishers/google/models/gemini-3-pro:generateContent", null],
  ])("%s", (path, route) => expect(wire.route("POST", path)).toEqual(route));

  it("take POST alone", () => expect(wire.route("GET", "/v1beta/models/m:generateContent")).toBeNull());
});

describe.skipIf(recordedSessions === null)("recorded conversations", () => {
  it("go on with the keys of the request before", () => {
    const bodies = recordedRequests(recordedSessions ?? "", (path) => path.includes(":streamGenerateContent"));
    let continued = 0;
    for (const [at, { name, bytes }] of bodies.entries()) {
      const before = bodies[at - 1];
      if (
        before === undefined ||
        before.name.split("/").slice(0, 2).join("/") !== name.split("/").slice(0, 2).join("/")
      )
        continue;
      const keysOf = (body: Uint8Array) =>
        readBytes(Buffer.from(body).toString()).transcript.items.map(({ key }) => key);
      const own = keysOf(bytes);
      const earlier = keysOf(before.bytes);
      if (own.length <= earlier.length || own[0] !== earlier[0]) continue;
      expect(own.slice(0, earlier.length), name).toEqual(earlier);
      continued += 1;
    }
    expect(continued).toBeGreaterThanOrEqual(8);
  });
});
