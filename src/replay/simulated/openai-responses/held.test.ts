import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ask } from "../../../../test/support/simulated.ts";
import type { JsonObject } from "../../../model/json.ts";
import { type FakeProvider, startFakeProvider } from "../../../testing/fake-provider.ts";

let provider: FakeProvider;
beforeEach(async () => {
  const steps = [
    { thinking: "Hm.", tools: [{ name: "read", input: { path: "a" } }] },
    { text: "Done." },
    { text: "More." },
  ];
  provider = await startFakeProvider({ scenario: { scripts: [{ match: "", steps }] } });
});
afterEach(() => provider.close());

const TOOLS = [{ type: "function", name: "read" }];
const post = (fields: JsonObject, path = "/v1/responses") => {
  return ask(provider.url + path, { model: "gpt-5.4", tools: TOOLS, reasoning: { summary: "auto" }, ...fields });
};
const said = (content: string): JsonObject => ({ role: "user", content });
const result = (call: JsonObject): JsonObject => ({
  type: "function_call_output",
  call_id: call.call_id ?? "",
  output: "x",
});

describe("a conversation the server holds", () => {
  it("goes on from the answer that a request names", async () => {
    const first = (await post({ input: "go" })).json;
    const call = first.output[1];
    const second = (await post({ input: [result(call)], previous_response_id: first.id })).json;
    expect(second.output).toMatchObject([{ content: [{ text: "Done." }] }]);
    expect(second.previous_response_id).toBe(first.id);
    const third = (await post({ input: [said("and?")], previous_response_id: second.id })).json;
    expect(third.output).toMatchObject([{ content: [{ text: "More." }] }]);
    expect(third.usage.input_tokens).toBeGreaterThan(second.usage.input_tokens);
  });

  it("is checked as one: the call that is held wants its output", async () => {
    const first = (await post({ input: "go" })).json;
    const { status, json } = await post({ input: [said("and?")], previous_response_id: first.id });
    expect(status).toBe(400);
    expect(json.error.message).toBe(`No tool output found for function call ${first.output[1].call_id}.`);
  });

  it("is unknown where its answer was not to be stored, or never given", async () => {
    const unstored = (await post({ input: "go", store: false })).json;
    for (const previous_response_id of [unstored.id, "resp_0"]) {
      const { status, json } = await post({ input: [said("and?")], previous_response_id });
      expect(status).toBe(400);
      expect(json.error).toEqual({
        message: `Previous response with id '${previous_response_id}' not found.`,
        type: "invalid_request_error",
        param: "previous_response_id",
        code: "previous_response_not_found",
      });
    }
  });

  it("keeps two conversations that began alike apart", async () => {
    const one = (await post({ input: [said("go"), said("one")] })).json;
    const two = (await post({ input: [said("go"), said("two")] })).json;
    expect(one.id).not.toBe(two.id);
  });

  it("gives items by reference, and reasoning without its content", async () => {
    const { output } = (await post({ input: "go" })).json;
    const references = output.map(({ id }: { id: string }) => ({ type: "item_reference", id }));
    const whole = await post({ input: [said("go"), ...output, result(output[1])] });
    const referred = await post({ input: [said("go"), ...references, result(output[1])] });
    expect([whole.status, referred.status]).toEqual([200, 200]);
    expect(referred.json.output).toEqual(whole.json.output);
  });

  it("knows nothing of items that were not stored", async () => {
    const { output } = (await post({ input: "go", store: false })).json;
    const { status, json } = await post({ input: [said("go"), ...output, result(output[1])], store: false });
    expect(status).toBe(404);
    expect(json.error.message).toContain(`Item with id '${output[0].id}' not found. Items are not persisted`);
  });
});

describe("beside answers", () => {
  it("counts what a request would hold", async () => {
    const counted = await post({ input: "go" }, "/v1/responses/input_tokens");
    const { usage } = (await post({ input: "go" })).json;
    expect(counted.json).toEqual({ object: "response.input_tokens", input_tokens: usage.input_tokens });
  });

  it("compacts to what the user said and one item, which is taken from then on", async () => {
    const { output } = (await post({ input: "go" })).json;
    const history = [said("go"), ...output, result(output[1])];
    const { json } = await post({ input: history }, "/v1/responses/compact");
    expect(json).toMatchObject({ id: expect.stringMatching(/^resp_/), object: "response.compaction" });
    expect(json.output).toEqual([
      {
        id: expect.stringMatching(/^msg_/),
        type: "message",
        status: "completed",
        role: "user",
        content: [{ type: "input_text", text: "go" }],
      },
      { id: expect.stringMatching(/^cmp_/), type: "compaction", encrypted_content: expect.any(String) },
    ]);
    expect((await post({ input: [...json.output, said("and?")] })).status).toBe(200);
    const [user, item] = json.output;
    const changed = { ...item, encrypted_content: `${item.encrypted_content.slice(0, -4)}AAA=` };
    const refused = await post({ input: [user, changed, said("and?")] });
    expect(refused.json.error).toMatchObject({ code: "invalid_encrypted_content" });
  });

  it("answers with the item alone where a request ends in asking for it", async () => {
    const { json } = await post({ input: [said("go"), { type: "compaction_trigger" }] });
    expect(json.output).toMatchObject([{ type: "compaction" }]);
  });

  it("takes no WebSocket connection", async () => {
    expect((await fetch(`${provider.url}/v1/responses`)).status).toBe(426);
  });
});
