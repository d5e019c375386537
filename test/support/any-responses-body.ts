import fc from "fast-check";
import { id, list, literal, object, space, words } from "./any-body.ts";

const exotic = fc.oneof(
  fc.constantFrom("1.0", "-0", "1E+400", "null", "true", "[ ]", '{"a":1,"a":2}', '{"__proto__":{}}'),
  fc.json({ maxDepth: 2 }),
  words,
);
const sometimes = (value: fc.Arbitrary<string>) => fc.option(value, { freq: 3 });
const mark = fc.option(fc.constantFrom('{"mode":"explicit"}', '{"mode":"other"}', "null"), { freq: 4 });

const text = object({
  type: fc.constantFrom('"input_text"', '"output_text"', '"text"'),
  text: words,
  annotations: sometimes(fc.constant("[]")),
  prompt_cache_breakpoint: mark,
});
/** A picture that the body carries, or that it only names. */
export const picture = object({
  type: literal("input_image"),
  image_url: fc.oneof(
    fc.base64String({ minLength: 4 }).map((data) => JSON.stringify(`data:image/png;base64,${data}`)),
    fc.constantFrom('"https://example.test/a.png"', '"data:,plain"', '"data:image/png;base64,!!"'),
  ),
  detail: sometimes(literal("auto")),
  prompt_cache_breakpoint: mark,
});
const file = object({ type: literal("input_file"), file_id: sometimes(words), file_data: sometimes(words) });
const unknown = object({ type: fc.constantFrom('"refusal"', '"zzz"'), deep: exotic });
const part = fc.oneof({ weight: 5, arbitrary: text }, { weight: 2, arbitrary: picture }, file, unknown, exotic);

const message = object({
  type: sometimes(literal("message")),
  id: sometimes(id),
  role: fc.constantFrom('"user"', '"assistant"', '"system"', '"developer"'),
  content: fc.oneof({ weight: 1, arbitrary: words }, { weight: 4, arbitrary: list(part) }),
});
const output = object({
  type: fc.constantFrom('"function_call_output"', '"custom_tool_call_output"', '"local_shell_call_output"'),
  call_id: id,
  output: fc.oneof(words, list(part), exotic),
});
const call = object({
  type: fc.constantFrom('"function_call"', '"custom_tool_call"', '"local_shell_call"'),
  call_id: id,
  name: words,
  namespace: sometimes(words),
  arguments: fc.oneof(words, exotic),
  input: sometimes(words),
  action: sometimes(exotic),
});
const reasoning = object({
  type: literal("reasoning"),
  id: sometimes(id),
  summary: fc.oneof(list(object({ type: literal("summary_text"), text: words })), exotic),
  encrypted_content: sometimes(words),
});
const odd = object({
  type: sometimes(fc.oneof(fc.constantFrom('"compaction"', '"mcp_call"', '"zzz_output"', '"message"'), exotic)),
  role: sometimes(fc.oneof(fc.constantFrom('"user"', '"tool"'), exotic)),
  id: sometimes(id),
  content: sometimes(fc.oneof(list(part), exotic)),
  output: sometimes(exotic),
});

/** Any body of the Responses API that is JSON: known and unknown entries, odd shapes, members that come twice. */
export const anyResponsesBody = fc
  .tuple(
    object({
      input: fc.oneof(
        { weight: 1, arbitrary: words },
        {
          weight: 9,
          arbitrary: list(
            fc.oneof(
              { weight: 5, arbitrary: output },
              { weight: 4, arbitrary: message },
              { weight: 3, arbitrary: call },
              { weight: 2, arbitrary: reasoning },
              odd,
              exotic,
            ),
          ),
        },
      ),
      tools: sometimes(list(exotic)),
      instructions: sometimes(exotic),
      text: sometimes(exotic),
      prompt_cache_options: sometimes(fc.oneof(fc.constant('{"mode":"explicit"}'), exotic)),
      zzz: exotic,
    }),
    space,
  )
  .map(([json, gap]) => `${gap}${json}${gap}`);
