import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { recordedRequests } from "../../../test/support/recorded-bodies.ts";
import { recordedSessions } from "../../../test/support/shared.ts";
import { isText, reshape } from "../../../test/support/wires/reshape.ts";
import type { JsonObject } from "../../model/json.ts";
import { type Reshape, type SampleBody, testWire } from "../../testing/test-wire.ts";
import { createOpenaiChat } from "./index.ts";

const isMessage = (object: JsonObject): boolean => typeof object.role === "string";

const reshapes: readonly Reshape[] = [
  reshape("the order of members", (object) => Object.fromEntries(Object.entries(object).reverse())),
  reshape("breakpoints away", (object) => {
    const { cache_control: _control, prompt_cache_breakpoint: _breakpoint, ...rest } = object;
    return rest;
  }),
  reshape("breakpoints to every text", (object) =>
    isText(object)
      ? { ...object, cache_control: { type: "ephemeral" }, prompt_cache_breakpoint: { mode: "explicit" } }
      : object,
  ),
  reshape("strings into parts", (object) =>
    isMessage(object) && typeof object.content === "string"
      ? { ...object, content: [{ type: "text", text: object.content }] }
      : object,
  ),
  reshape("single parts into strings", (object) => {
    const [only, ...others] = Array.isArray(object.content) ? object.content : [];
    return isText(only) && others.length === 0 ? { ...object, content: only.text } : object;
  }),
  reshape("members that say nothing", (object) =>
    object.role === "assistant" ? { refusal: null, annotations: [], audio: null, name: "me", ...object } : object,
  ),
  reshape("no content into none", (object) => {
    if (object.role !== "assistant" || (object.content !== null && object.content !== "")) return object;
    const { content: _content, ...rest } = object;
    return rest;
  }),
  reshape("white space in arguments", (object) => {
    const { arguments: given } = object;
    return typeof given === "string" && given.startsWith("{") ? { ...object, arguments: ` ${given} ` } : object;
  }),
];

const samples: readonly SampleBody[] = [
  {
    name: "a session with every kind of message",
    bytes:
      Buffer.from(`{ "model":"m", "stream" : true, "tools":[{"type":"function","function":{"name":"read","parameters":{}}},{"type":"custom","custom":{"name":"patch"}}],
      "messages":[
        {"role":"system","content":"be brief"},
        {"role":"developer","content":[{"type":"text","text":"and kind","cache_control":{"type":"ephemeral"}}]},
        {"content":[{"type":"text","text":"read \\u00e9 \\ud83d"},
          {"type":"image_url","image_url":{"detail":"low","url":"data:image/png;base64,aGk="}} ,{"type":"image_url","image_url":{"url":"https://x.y/z.png"}},
          {"type":"image_url","prompt_cache_breakpoint":{"mode":"explicit"},"image_url":{"url":"data:image\\/png;base64,aGkh"}},
          {"type":"file","file":{"file_id":"f"}},{"type":"input_audio","input_audio":{"data":"aGk=","format":"wav"}}],"role":"user"},
        {"role":"assistant","content":null,"reasoning_content":"hm\\n","reasoning_details":[{"type":"reasoning.encrypted","data":"eHg="}],
          "tool_calls":[{"id":"t1","type":"function","function":{"name":"read","arguments":"{\\"n\\":1.0,\\"big\\":12345678901234567890}"}},
          {"id":"t2","type":"function","function":{"name":"read","arguments":"{broken"}},{"id":"t3","type":"custom","custom":{"name":"patch","input":"*** Begin"}},
          {"id":"t4","type":"function","function":{"name":"read","arguments":""}},{"type":"never_seen"}]},
        {"role":"tool","tool_call_id":"t1","content":"1→a\\n2→b\\n"},
        {"tool_call_id":"t2","role":"tool","content":[{"type":"text","text":"one"},
            {"type":"image_url","image_url":{"url":"data:image/png;base64,aGk="}} , {"type":"text","text":"two\\n"}],"name":"read"},
        {"role":"tool","tool_call_id":"t3"},
        {"role":"tool","tool_call_id":"t4","content":[{"type":"text","text":"three"},{"type":"never_seen"}]},
        {"role":"system","content":"later"},
        {"role":"assistant","content":[{"type":"text","text":"ok"},{"type":"refusal","refusal":"no"}],"refusal":"no","function_call":{"name":"run","arguments":"{}"}},
        {"role":"function","name":"run","content":"ran"},
        {"role":"assistant","content":"","tool_calls":[{"type":"function","function":{"name":"run","arguments":"{}"}},{"id":"","type":"function","function":{"name":"run","arguments":"{}"}}]},
        {"role":"tool","content":"ran again"},{"role":"tool","tool_call_id":"","content":"and again"},{"role":"tool","content":"who asked"},
        {"role":"user","content":"go on"}
      ], "max_tokens":1E3 }\n`),
  },
  { name: "an empty history", bytes: Buffer.from('{"messages":[]}') },
  { name: "a system prompt alone", bytes: Buffer.from('{"messages":[{"role":"system","content":"s"}]}') },
];

const stream = (chunks: readonly object[], end = "data: [DONE]\n\n") => ({
  isStreaming: true,
  bytes: Buffer.from(chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("") + end),
});
const chunk = (delta: object, finish_reason: string | null = null) => ({
  id: "c1",
  object: "chat.completion.chunk",
  choices: [{ index: 0, delta, finish_reason }],
  usage: null,
});
const responses = [
  {
    name: "a stream of text and calls",
    ...stream([
      chunk({ role: "assistant", content: "" }),
      chunk({ content: "größer → 😀" }),
      chunk({ tool_calls: [{ index: 0, id: "t1", type: "function", function: { name: "lies", arguments: "" } }] }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: '{"a":"é"}' } }] }),
      chunk({}, "tool_calls"),
      { id: "c1", choices: [], usage: { prompt_tokens: 9, completion_tokens: 2 } },
    ]),
  },
  {
    name: "a whole response",
    isStreaming: false,
    bytes: Buffer.from(
      JSON.stringify({ id: "c1", choices: [{ index: 0, finish_reason: "stop", message: { content: "größer" } }] }),
    ),
  },
];

describe("Chat Completions keeps the wire's promises", () => {
  for (const check of testWire({ wire: createOpenaiChat(), bodies: samples, reshapes, responses }))
    it(check.name, check.run);
});

/** Requests of recorded agents, a file each. */
function recordedSessionBodies(folder: string): readonly SampleBody[] {
  const sessions = join(folder, "sessions/openai-chat");
  return readdirSync(sessions)
    .filter((name) => name.endsWith(".json"))
    .map((name) => ({ name, bytes: readFileSync(join(sessions, name)) }));
}

describe.skipIf(recordedSessions === null)("Chat Completions keeps them on recorded bodies", () => {
  const bodies =
    recordedSessions === null
      ? []
      : [
          ...recordedRequests(recordedSessions, (path) => path.includes("/chat/completions")),
          ...recordedSessionBodies(recordedSessions),
        ];

  it("finds the recorded bodies", () => expect(bodies.length).toBeGreaterThanOrEqual(26));

  for (const check of testWire({ wire: createOpenaiChat(), bodies, reshapes })) it(check.name, check.run);
});
