import { describe, expect, it } from "vitest";
import type { JsonObject, JsonValue } from "../../../model/json.ts";
import { objectsOf } from "../json.ts";
import { geminiErrorBody } from "./errors.ts";
import { refuseGeminiPairing } from "./pairing.ts";
import { refuseSignatures, signPart } from "./signature.ts";
import { refuseGemini, toGeminiBody } from "./validate.ts";

const user = (...parts: readonly JsonValue[]) => ({ role: "user", parts });
const model = (...parts: readonly JsonValue[]) => ({ role: "model", parts });
const go = user({ text: "go" });
const call = (name: string, more: JsonObject = {}, id: string | null = null) => ({
  functionCall: { ...(id === null ? {} : { id }), name, args: {} },
  ...more,
});
const answer = (name: string, id: string | null = null) => ({
  functionResponse: { ...(id === null ? {} : { id }), name, response: { output: "x" } },
});
const contents = (...all: readonly JsonValue[]) => ({ contents: all });

describe("a request is refused", () => {
  it.each<[string, JsonObject, string]>([
    ["without contents", {}, "contents is not specified"],
    ["with empty contents", contents(), "contents is not specified"],
    [
      "with a role of another API",
      contents({ role: "assistant", parts: [{ text: "x" }] }),
      "Please use a valid role: user, model.",
    ],
    ["with content that is none", contents(1), "Cannot find field"],
    [
      "with an unknown member of a content",
      contents({ role: "user", parts: [{ text: "x" }], content: "x" }),
      "Unknown name \"content\" at 'contents[0]': Cannot find field.",
    ],
    ["without parts", contents(go, model()), "contents[1].parts: contents.parts must not be empty"],
    [
      "with a part of nothing",
      contents(user({ thought: true })),
      "required oneof field 'data' must have one initialized field",
    ],
    [
      "with an unknown member of a part",
      contents(user({ text: "x", cache_control: {} })),
      "Unknown name \"cache_control\" at 'contents[0].parts[0]'",
    ],
    ["with a part of two kinds", contents(user({ text: "x", inlineData: {} })), "Cannot set 'inlineData'"],
    ["with a text that is none", contents(user({ text: 1 })), "(TYPE_STRING), 1"],
    [
      "with a call without a name",
      contents(go, model({ functionCall: { args: {} } })),
      "function_call.name: Name cannot be empty",
    ],
    [
      "with arguments that are no object",
      contents(go, model({ functionCall: { name: "f", args: "x" } })),
      "Invalid value at 'contents[1].parts[0].function_call.args'",
    ],
    [
      "with a response that is no object",
      contents(user({ functionResponse: { name: "f", response: "x" } })),
      '(type.googleapis.com/google.protobuf.Struct), "x"',
    ],
    ["without a response", contents(user({ functionResponse: { name: "f" } })), "function_response.response'"],
    [
      "with a function's name that is none",
      { ...contents(go), tools: [{ functionDeclarations: [{ name: "a b" }] }] },
      "Invalid function name",
    ],
    [
      "with a function twice",
      {
        ...contents(go),
        tools: [{ functionDeclarations: [{ name: "a" }] }, { function_declarations: [{ name: "a" }] }],
      },
      "Duplicate function declaration found: a",
    ],
  ])("%s", (_name, body, words) => {
    expect(refuseGemini(body)).toMatchObject({ status: 400, words: expect.stringContaining(words) });
  });

  it("for a cached content that nobody made", () => {
    const refusal = refuseGemini({ ...contents(go), cachedContent: "cachedContents/x" });
    const call = { purpose: "generate", model: "m", stream: "none" } as const;
    expect(refusal && geminiErrorBody(refusal, call)).toEqual({
      error: { code: 403, message: expect.stringContaining("CachedContent not found"), status: "PERMISSION_DENIED" },
    });
  });

  it("when it is no object, or nested too deeply", () => {
    expect(toGeminiBody([])).toMatchObject({ ok: false });
    expect(toGeminiBody(JSON.parse(`${"[".repeat(600)}${"]".repeat(600)}`))).toMatchObject({ ok: false });
  });

  it("not for either spelling of its members", () => {
    const spelled = contents(
      go,
      model({ function_call: { name: "f" } }),
      user({ function_response: { name: "f", response: {} } }),
    );
    expect(refuseGemini(spelled)).toBeNull();
    expect(refuseGeminiPairing(objectsOf(spelled.contents))).toBeNull();
  });
});

describe("the turn behind calls answers them", () => {
  it.each<[string, readonly JsonObject[]]>([
    ["one", [go, model(call("f")), user(answer("f"))]],
    [
      "several",
      [go, model({ text: "x" }, call("f", {}, "1"), call("g", {}, "2")), user(answer("f", "1"), answer("g", "2"))],
    ],
    ["in contents of their own", [go, model(call("f"), call("g")), user(answer("f")), { parts: [answer("g")] }]],
    ["under the old role", [go, model(call("f")), { role: "function", parts: [answer("f")] }]],
    ["with more said behind", [go, model(call("f")), user(answer("f"), { text: "and?" })]],
  ])("and is taken: %s", (_name, all) => {
    expect(refuseGeminiPairing(all)).toBeNull();
  });

  const COUNT =
    "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.";
  it.each<[string, readonly JsonObject[], string]>([
    ["too few", [go, model(call("f"), call("g")), user(answer("f"))], COUNT],
    ["too many", [go, model(call("f")), user(answer("f"), answer("f"))], COUNT],
    ["none", [go, model(call("f"))], COUNT],
    ["a text instead", [go, model(call("f")), user({ text: "x" })], COUNT],
    [
      "answers to nothing",
      [go, model({ text: "x" }), user(answer("f"))],
      "function response turn comes immediately after a function call turn.",
    ],
    [
      "answers in first place",
      [user(answer("f"))],
      "function response turn comes immediately after a function call turn.",
    ],
    [
      "calls in first place",
      [model(call("f")), user(answer("f"))],
      "function call turn comes immediately after a user turn or after a function response turn.",
    ],
    [
      "another name",
      [go, model(call("f")), user(answer("g"))],
      "Function response `g` does not match function call `f`.",
    ],
    [
      "another order",
      [go, model(call("f"), call("g")), user(answer("g"), answer("f"))],
      "does not match function call `f`",
    ],
    ["another id", [go, model(call("f", {}, "1")), user(answer("f", "2"))], "does not match function call id `1`"],
  ])("or it is refused: %s", (_name, all, words) => {
    expect(refuseGeminiPairing(all)).toMatchObject({ status: 400, words: expect.stringContaining(words) });
  });
});

describe("thought signatures", () => {
  const signed = (name: string) => call(name, { thoughtSignature: signPart(name, "Hm.") });
  const step = (part: JsonObject, name: string) => [model(part), user(answer(name))];

  it.each<[string, readonly JsonObject[]]>([
    ["on the first call of each step", [go, ...step(signed("f"), "f"), ...step(signed("g"), "g")]],
    ["on the first of several calls", [go, model(signed("f"), call("g")), user(answer("f"), answer("g"))]],
    ["missing before the user last spoke", [go, ...step(call("f"), "f"), model({ text: "Done." }), go]],
    [
      "of other models, by the agreed words",
      [go, ...step(call("f", { thoughtSignature: "skip_thought_signature_validator" }), "f")],
    ],
    ["on a text", [go, model({ text: "x", thought_signature: signPart("", "") }), go]],
  ])("are taken %s", (_name, all) => {
    expect(refuseSignatures(all, true)).toBeNull();
  });

  it.each<[string, readonly JsonObject[]]>([
    ["of the first step", [go, ...step(call("f"), "f"), ...step(signed("g"), "g")]],
    ["of the first of several calls", [go, model(call("f"), signed("g")), user(answer("f"), answer("g"))]],
  ])("are missed where the model demands them: %s", (_name, all) => {
    expect(refuseSignatures(all, true)?.words).toContain(
      "Function call is missing a thought_signature in functionCall parts.",
    );
    expect(refuseSignatures(all, true)?.words).toContain("function call `default_api:f` , position 2.");
    expect(refuseSignatures(all, false)).toBeNull();
  });

  it.each<[string, JsonObject]>([
    ["that were changed", call("f", { thoughtSignature: signPart("f", "Hm.").replace(/.{6}$/, "AAAA==") })],
    ["that were made elsewhere", call("f", { thoughtSignature: "bW9jaw==" })],
    ["of another call", call("f", { thoughtSignature: signPart("g", "Hm.") })],
    ["of a call on a text", { text: "x", thoughtSignature: signPart("g", "Hm.") }],
  ])("are never taken %s", (_name, part) => {
    expect(refuseSignatures([go, model(part), user(answer("f")), model({ text: "x" }), go], false)).toMatchObject({
      words: "Corrupted thought signature.",
    });
  });
});
