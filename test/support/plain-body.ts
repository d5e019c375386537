import fc from "fast-check";
import type { PlainBody } from "./edited-body.ts";

const words = fc.constantFrom("a", "b", "é\n", "\ud83d", ".");
const mark = fc.option(fc.constantFrom({ type: "ephemeral" }, { type: "ephemeral", ttl: "1h" }), { freq: 5 });
const marked = (block: fc.Arbitrary<object>) =>
  fc.tuple(block, mark).map(([own, value]) => (value === null ? own : { ...own, cache_control: value }));
const text = marked(words.map((value) => ({ type: "text", text: value })));
const empty = fc.constant({ type: "text", text: "" });
const image = marked(
  fc.constantFrom("aGk=", "aGV5").map((data) => ({
    type: "image",
    source: { type: "base64", media_type: "image/png", data },
  })),
);
const result = marked(
  fc.oneof(words, fc.array(words, { minLength: 1, maxLength: 3 })).map((content) => ({
    type: "tool_result",
    tool_use_id: "?",
    content: typeof content === "string" ? content : content.map((value) => ({ type: "text", text: value })),
  })),
);
const thinking = words.map((value) => ({ type: "thinking", thinking: value, signature: "s" }));
const call = marked(fc.constant({ type: "tool_use", id: "c", name: "n", input: { a: [1] } }));
const user = fc.oneof(
  { weight: 1, arbitrary: words.map((content) => ({ role: "user", content })) },
  {
    weight: 4,
    arbitrary: fc
      .array(fc.oneof(result, result, text, image, empty), { minLength: 1, maxLength: 5 })
      .map((content) => ({ role: "user", content })),
  },
);
const assistant = fc
  .array(fc.oneof(thinking, thinking, text, call), { minLength: 1, maxLength: 4 })
  .map((content) => ({ role: "assistant", content }));
const system = text.map((block) => ({ role: "system", content: [block] }));
/** Bodies of known shape in which no member comes twice and every result answers a call of its own. */
export const plainBody: fc.Arbitrary<PlainBody> = fc
  .record({
    messages: fc.array(fc.oneof({ weight: 4, arbitrary: user }, { weight: 3, arbitrary: assistant }, system), {
      maxLength: 6,
    }),
    cache_control: fc.constantFrom(null, { type: "ephemeral" }),
    thinking: fc.constantFrom({ type: "adaptive" }, { type: "disabled" }),
  })
  .map(({ cache_control: automatic, ...body }) =>
    withIds(automatic === null ? body : { ...body, cache_control: automatic }),
  );

/** The body with a call of its own for each result. */
function withIds(body: object): PlainBody {
  let count = 0;
  return JSON.parse(JSON.stringify(body), (_, value) => (value === "?" ? `t${++count}` : value));
}
