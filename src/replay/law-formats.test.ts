import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { createLawChecker, type LawInput } from "./law-checker.ts";

const LONG = "a long result of many words, é and 😀 ".repeat(20);
const MARKER = "[ebb 0123456789ab] a result";
const BYTES = Buffer.from("an image of many bytes ".repeat(20));
const PNG = BYTES.toString("base64");

/** One conversation: a person's picture, reasoning, two calls and their results. */
interface Shown {
  readonly results: readonly unknown[];
  readonly picture: unknown;
}

interface Sample {
  readonly wire: string;
  write(shown: Shown): string;
  readonly picture: unknown;
  readonly pictureMarker: unknown;
  /** Changes that break a law each, beside those that any format shows. */
  readonly mutants: readonly (readonly [law: string, name: string, from: string, to: string])[];
}

const CALLS = ["call_1", "call_2"] as const;
const ARGUMENTS = '{"path":"a"}';

const samples: readonly Sample[] = [
  {
    wire: "openai-chat",
    write: ({ results, picture }) =>
      JSON.stringify({
        model: "m",
        messages: [
          { role: "system", content: "be brief" },
          { role: "user", content: [{ type: "text", text: "go" }, picture] },
          {
            role: "assistant",
            content: null,
            reasoning_content: "hm",
            tool_calls: CALLS.map((id) => ({
              id,
              type: "function",
              function: { name: "read", arguments: ARGUMENTS },
            })),
          },
          ...results.map((content, index) => ({ role: "tool", tool_call_id: CALLS[index], content })),
        ],
      }),
    picture: { type: "image_url", image_url: { url: `data:image/png;base64,${PNG}`, detail: "high" } },
    pictureMarker: { type: "text", text: MARKER },
    mutants: [
      ["paired", "another call's id", '"tool_call_id":"call_2"', '"tool_call_id":"call_1"'],
      ["paired", "thinking", '"reasoning_content":"hm"', '"reasoning_content":"ah"'],
      ["paired", "arguments", '\\"a\\"', '\\"b\\"'],
      ["paired", "the system prompt", "be brief", "be long!"],
    ],
  },
  {
    wire: "openai-responses",
    write: ({ results, picture }) =>
      JSON.stringify({
        model: "m",
        input: [
          { role: "user", content: [{ type: "input_text", text: "go" }, picture] },
          { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "c2VjcmV0" },
          { type: "compaction", encrypted_content: "Zm9sZA==" },
          { type: "function_call", call_id: CALLS[0], name: "read", arguments: ARGUMENTS },
          { type: "custom_tool_call", call_id: CALLS[1], name: "apply_patch", input: "*** Begin" },
          ...results.map((output, index) => ({
            type: index === 0 ? "function_call_output" : "custom_tool_call_output",
            call_id: CALLS[index],
            output,
          })),
        ],
      }),
    picture: { type: "input_image", image_url: `data:image/png;base64,${PNG}` },
    pictureMarker: { type: "input_text", text: MARKER },
    mutants: [
      ["paired", "another call's id", '"call_id":"call_2","output"', '"call_id":"call_1","output"'],
      ["paired", "encrypted reasoning", "c2VjcmV0", "c2VjcmVU"],
      [
        "paired",
        "a lost reasoning item",
        '{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"c2VjcmV0"},',
        "",
      ],
      ["paired", "a compaction", "Zm9sZA==", "Zm9sZB=="],
      ["paired", "a patch", "*** Begin", "*** begin"],
    ],
  },
  {
    wire: "gemini",
    write: ({ results, picture }) =>
      JSON.stringify({
        contents: [
          { role: "user", parts: [{ text: "go" }, picture] },
          {
            role: "model",
            parts: [
              { text: "hm", thought: true },
              ...CALLS.map((id) => ({
                functionCall: { id, name: "read", args: { path: "a" } },
                thoughtSignature: "c2lnbg==",
              })),
            ],
          },
          {
            role: "user",
            parts: results.map((content, index) => ({
              functionResponse: {
                id: CALLS[index],
                name: "read",
                response: typeof content === "string" ? { output: content } : content,
              },
            })),
          },
        ],
      }),
    picture: { inlineData: { mimeType: "image/png", data: PNG } },
    pictureMarker: { text: MARKER },
    mutants: [
      [
        "paired",
        "another call's id",
        '"id":"call_2","name":"read","response"',
        '"id":"call_1","name":"read","response"',
      ],
      ["paired", "a signature", "c2lnbg==", "c2lnbQ=="],
      ["paired", "a thought", '"text":"hm"', '"text":"ah"'],
      ["paired", "arguments", '"path":"a"', '"path":"b"'],
      ["paired", "a lost signature", ',"thoughtSignature":"c2lnbg=="', ""],
    ],
  },
];

function inputOf(wire: string, original: string, forwarded: string, more: Partial<LawInput> = {}): LawInput {
  return {
    conversation: "one",
    wire,
    original: Buffer.from(original),
    forwarded: Buffer.from(forwarded),
    declared: new Set(),
    edits: [],
    insertions: new Set(),
    ...more,
  };
}

function violations(wire: string, original: string, forwarded: string): string {
  const checker = createLawChecker((text) => text.split(" ").length);
  return checker.check(inputOf(wire, original, forwarded)).violations.join("; ");
}

describe.each(samples)("the law checker, of $wire", ({ wire, write, picture, pictureMarker, mutants }) => {
  const came = write({ results: [LONG, "short"], picture });
  const left = write({ results: [MARKER, "short"], picture });

  it("finds nothing in a body that came and left, nor in markers where a result and a picture stood", () => {
    const none = { violations: [], replaced: [], media: [] };
    expect(createLawChecker().check(inputOf(wire, came, came))).toEqual(none);
    const found = createLawChecker().check(
      inputOf(wire, came, write({ results: [MARKER, "short"], picture: pictureMarker })),
    );
    expect(found.violations).toEqual([]);
    expect(found.replaced).toEqual([{ callId: CALLS[0], original: LONG, marker: MARKER }]);
    const name = `message#${createHash("sha256").update(BYTES).digest("hex")}`;
    expect(found.media).toMatchObject([{ name, bytes: BYTES, marker: MARKER }]);
  });

  it.each(mutants)("sees that %s is broken by %s", (law, _name, from, to) => {
    const broken = left.replace(from, to);
    expect(broken).not.toBe(left);
    expect(violations(wire, came, broken)).toMatch(new RegExp(`(?:^|; )${law}: `));
  });

  it.each([
    ["untouched", "white space", ` ${left}`],
    ["untouched", "what a person said", left.replace('"go"', '"no"')],
    ["untouched", "a byte beside", left.replace('"name":"read"', '"name":"Read"')],
    ["untouched", "an escape", came.replace('"short"', '"sh\\u006frt"')],
    ["untouched", "other words in the place of a picture", write({ results: [LONG, "short"], picture: { text: "x" } })],
    ["paired", "a lost result", write({ results: [MARKER], picture })],
    ["paired", "an empty result", write({ results: ["", "short"], picture })],
    ["never worse", "a larger text", write({ results: [LONG, MARKER], picture })],
    ["never worse", "escapes", write({ results: [LONG, '"""""'], picture })],
    [
      "never worse",
      "a picture that grew",
      write({ results: [LONG, "short"], picture: { ...Object(pictureMarker), text: MARKER + "x".repeat(999) } }),
    ],
  ])("sees that %s is broken by %s", (law, _name, broken) => {
    expect(broken).not.toBe(came);
    expect(violations(wire, came, broken)).toMatch(new RegExp(`(?:^|; )${law}: `));
  });

  it("holds each conversation to the forms it was sent, decisions apart", () => {
    const checker = createLawChecker();
    const send = (forwarded: string, declared: readonly string[] = []) =>
      checker.check(inputOf(wire, came, forwarded, { declared: new Set(declared) })).violations.join();
    expect(send(came)).toBe("");
    expect(send(left)).toMatch(/^steady: call_1 /);
    expect(send(came)).toMatch(/^steady: call_1 /);
    expect(send(left, ["call_2"])).toMatch(/^steady: call_1 /);
    expect(send(came, ["call_1"])).toMatch(/^steady: call_1 /);
    expect(send(left, ["call_1"])).toBe("");
    expect(send(left)).toBe("");
  });
});

const [chat, responses, gemini] = samples;

describe("the law checker, of what one format alone has:", () => {
  it.each([
    ["openai-chat", chat, "text"],
    ["openai-responses", responses, "input_text"],
  ])("lists of texts in %s give way to one", (wire, sample, type) => {
    const texts = (...list: readonly string[]) => list.map((text) => ({ type, text }));
    const write = (result: unknown) => sample?.write({ results: [result], picture: null }) ?? "";
    const came = write(texts(LONG, "more"));
    expect(violations(wire, came, write(texts(MARKER)))).toBe("");
    expect(violations(wire, came, write(texts(MARKER, "more")))).toContain("paired: call_1 holds more");
    expect(violations(wire, came, write(MARKER))).toContain("paired: call_1 changed from array to string");
  });

  it("pictures in an output of Responses give way beside its text", () => {
    const write = (...output: readonly unknown[]) => responses?.write({ results: [output], picture: null }) ?? "";
    const text = { type: "input_text", text: LONG };
    const came = write(text, responses?.picture);
    const marker = { type: "input_text", text: MARKER };
    expect(violations("openai-responses", came, write(marker, responses?.pictureMarker))).toBe("");
    expect(violations("openai-responses", came, write(marker))).toContain("untouched: blocks beside text");
  });

  it("a response of Gemini that is no single text gives way to an output alone", () => {
    const write = (response: unknown) => gemini?.write({ results: [response], picture: null }) ?? "";
    const came = write({ content: [{ text: LONG }], status: 0 });
    const input = inputOf("gemini", came, write({ output: MARKER }));
    const found = createLawChecker().check(input);
    expect(found.violations).toEqual([]);
    expect(found.replaced).toEqual([
      { callId: "call_1", original: JSON.stringify({ content: [{ text: LONG }], status: 0 }), marker: MARKER },
    ]);
    expect(violations("gemini", came, write({ output: MARKER, status: 0 }))).toContain(
      "paired: the response of call_1",
    );
    expect(violations("gemini", came, write({ content: MARKER }))).toContain("paired: the response of call_1");
  });

  it("a signed picture of Gemini never leaves", () => {
    const write = (picture: unknown) => gemini?.write({ results: [], picture }) ?? "";
    const came = write({ ...Object(gemini?.picture), thoughtSignature: "c2ln" });
    expect(violations("gemini", came, write({ text: MARKER }))).toContain("paired: message#");
  });

  it("a result of Gemini without an id is known by its original, whatever the order of members", () => {
    const write = (response: unknown) =>
      (gemini?.write({ results: [response], picture: null }) ?? "").replaceAll('"id":"call_1",', "");
    const checker = createLawChecker();
    const send = (came: string, forwarded: string, declared: readonly string[] = []) =>
      checker.check(inputOf("gemini", came, forwarded, { declared: new Set(declared) })).violations.join();
    const [one, other] = [write({ output: LONG, code: 0 }), write({ code: 0, output: LONG })];
    expect(send(one, one)).toBe("");
    const name = `result#${createHash("sha256").update(LONG).digest("hex")}`;
    expect(send(other, write({ code: 0, output: MARKER }))).toMatch(/^steady: /);
    expect(send(one, one)).toMatch(/^steady: /);
    expect(send(other, write({ code: 0, output: MARKER }), [name])).toBe("");
  });

  it("an older function message of Chat answers a call without an id", () => {
    const write = (content: string) => JSON.stringify({ messages: [{ role: "function", name: "read", content }] });
    expect(violations("openai-chat", write(LONG), write(MARKER))).toBe("");
  });

  it("no format of another name is judged", () => {
    expect(() => violations("smoke-signals", "{}", "{}")).toThrow("smoke-signals");
  });
});
