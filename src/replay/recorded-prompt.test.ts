import { expect, test } from "vitest";
import { recordedPrompt } from "./recorded-prompt.ts";
import type { RecordedWire } from "./recording.ts";
import { byteCounter } from "./simulated/prompt.ts";

const RULES = {
  traits: { allowsSystemMessages: false, keepsThinking: true },
  counter: byteCounter,
  isDropped: () => false,
};

const promptOf = (wire: RecordedWire, body: object) => recordedPrompt(wire, Buffer.from(JSON.stringify(body)), RULES);

const user = (text: string) => ({ role: "user", content: text });
const image = { role: "user", content: [{ type: "input_image", image_url: "data:image/png;base64,AA==" }] };
const call = { type: "function_call", call_id: "c1", name: "read", arguments: "{}" };
const output = { type: "function_call_output", call_id: "c1", output: "A" };
const RESPONSES = { model: "gpt-5", instructions: "s", tools: [{ type: "function", name: "read" }] };
const CHAT = { model: "gpt-5", messages: [{ role: "system", content: "s" }, user("go")] };

test.each([
  [
    "openai-responses",
    { ...RESPONSES, input: [user("go")] },
    { ...RESPONSES, input: [user("go"), call, output, image] },
  ],
  ["openai-chat", CHAT, { ...CHAT, messages: [...CHAT.messages, { role: "assistant", content: "done" }, user("on")] }],
  [
    "gemini",
    { contents: [{ role: "user", parts: [{ text: "go" }] }] },
    {
      contents: [
        { role: "user", parts: [{ text: "go" }] },
        { role: "model", parts: [{ text: "done" }] },
      ],
    },
  ],
] as const)("a longer request of %s begins with the positions of the shorter one", (wire, short, long) => {
  const before = promptOf(wire, short).prompt.positions.map(({ key, tokens }) => [key, tokens]);
  const after = promptOf(wire, long).prompt.positions.map(({ key, tokens }) => [key, tokens]);
  expect(after.slice(0, before.length)).toEqual(before);
  expect(after.length).toBeGreaterThan(before.length);
});

test("head, images and the calls of results are known by their positions", () => {
  const { headCount, images, callIds } = promptOf("openai-responses", {
    ...RESPONSES,
    input: [user("go"), call, output, image],
  });
  expect([headCount, images, callIds]).toEqual([2, 1, [null, null, null, null, "c1", null]]);
});

test("another model, another tool or another earlier text shares nothing from there on", () => {
  const body = { ...RESPONSES, input: [user("go"), call, output] };
  const keys = (changed: object) =>
    promptOf("openai-responses", { ...body, ...changed }).prompt.positions.map(({ key }) => key);
  const own = keys({});
  expect(keys({ model: "gpt-5.1" }).filter((key) => own.includes(key))).toEqual([]);
  expect(keys({ tools: [] }).filter((key) => own.includes(key))).toEqual([]);
  expect(keys({ input: [user("no"), call, output] }).filter((key) => own.includes(key)).length).toBe(2);
});
