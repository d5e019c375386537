import { describe, expect, it } from "vitest";
import { recordedBodies } from "../../../test/support/recorded-bodies.ts";
import { recordedSessions } from "../../../test/support/shared.ts";
import { isText, reshape } from "../../../test/support/wires/reshape.ts";
import { type Reshape, type SampleBody, testWire } from "../../testing/test-wire.ts";
import { createAnthropicMessages } from "./index.ts";

const reshapes: readonly Reshape[] = [
  reshape("breakpoints away", (object) => {
    const { cache_control: _breakpoint, ...rest } = object;
    return rest;
  }),
  reshape("breakpoints to every text", (object) =>
    isText(object) ? { ...object, cache_control: { type: "ephemeral" } } : object,
  ),
  reshape("strings into blocks", (object) =>
    typeof object.content === "string" ? { ...object, content: [{ type: "text", text: object.content }] } : object,
  ),
  reshape("single blocks into strings", (object) => {
    const [only, ...others] = Array.isArray(object.content) ? object.content : [];
    return isText(only) && others.length === 0 ? { ...object, content: only.text } : object;
  }),
];

const samples: readonly SampleBody[] = [
  {
    name: "a session with every kind of block",
    bytes:
      Buffer.from(`{ "model":"m", "stream" : true, "tools":[{"name":"Read","input_schema":{}}], "system":"be brief",
      "messages":[
        {"role":"user","content":"read \\u00e9 \\ud83d"},
        {"role":"system","content":""},
        {"role":"assistant","content":[{"type":"thinking","thinking":"hm\\n","signature":"c2ln"},{"type":"redacted_thinking","data":"eHg="},
          {"type":"text","text":"ok"},{"type":"tool_use","id":"t1","name":"Read","input":{"n":1.0,"big":12345678901234567890}},
          {"type":"tool_use","id":"t2","name":"Read","input":{}},{"type":"server_tool_use","id":"s1","name":"web_search","input":{"q":[1]}}]},
        {"role":"user","content":[{"tool_use_id":"t1","type":"tool_result","content":"1→a\\n2→b\\n"},
          {"type":"tool_result","tool_use_id":"t2","is_error":true,"content":[{"type":"text","text":"one"},
            {"type":"image","source":{"type":"base64","media_type":"image/png","data":"aGk="}} , {"type":"text","text":"two\\n"}]},
          {"type":"tool_result","tool_use_id":"t3"},{"type":"text","text":"go on","cache_control":{"type":"ephemeral"}},
          {"type":"document","source":{"type":"file","file_id":"f"}},{"type":"never_seen","deep":[[[{}]]]}]}
      ], "max_tokens":1E3 }\n`),
  },
  { name: "an empty history", bytes: Buffer.from('{"messages":[]}') },
];

describe("the Messages API keeps the wire's promises", () => {
  for (const check of testWire({ wire: createAnthropicMessages(), bodies: samples, reshapes }))
    it(check.name, check.run);
});

describe.skipIf(recordedSessions === null)("the Messages API keeps them on recorded bodies", () => {
  const bodies = recordedSessions === null ? [] : recordedBodies(recordedSessions);

  it("finds the recorded bodies", () => {
    expect(bodies.length).toBeGreaterThanOrEqual(118);
  });

  for (const check of testWire({ wire: createAnthropicMessages(), bodies, reshapes })) it(check.name, check.run);
});
