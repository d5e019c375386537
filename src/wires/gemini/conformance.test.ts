import { describe, expect, it } from "vitest";
import { recordedRequests } from "../../../test/support/recorded-bodies.ts";
import { recordedSessions } from "../../../test/support/shared.ts";
import { reshape } from "../../../test/support/wires/reshape.ts";
import { type Reshape, type SampleBody, testWire } from "../../testing/test-wire.ts";
import { createGemini } from "./index.ts";

const SNAKE: ReadonlyMap<string, string> = new Map([
  ["functionCall", "function_call"],
  ["functionResponse", "function_response"],
  ["inlineData", "inline_data"],
  ["mimeType", "mime_type"],
  ["systemInstruction", "system_instruction"],
]);

const reshapes: readonly Reshape[] = [
  reshape("the order of members", (object) => Object.fromEntries(Object.entries(object).reverse())),
  reshape("names into snake case", (object) =>
    Object.fromEntries(Object.entries(object).map(([name, value]) => [SNAKE.get(name) ?? name, value])),
  ),
];

const samples: readonly SampleBody[] = [
  {
    name: "a session with every kind of part",
    bytes: Buffer.from(`{ "systemInstruction":{"role":"user","parts":[{"text":"be brief"}]},
      "tools":[{"functionDeclarations":[{"name":"read_file","parameters":{}}]},{"googleSearch":{}}],
      "contents":[
        {"parts":[{"text":"read \\u00e9 \\ud83d"},{"inlineData":{"mimeType":"image/png","data":"aGk="}} , {"fileData":{"fileUri":"gs://x"}}]},
        {"role":"model","parts":[{"text":"hm\\n","thought":true,"thoughtSignature":"c2ln"},{"text":"ok"},
          {"functionCall":{"name":"read_file","args":{"n":1,"file_path":"a"}},"thoughtSignature":"c2ln"},
          {"functionCall":{"name":"read_file","args":{"n":1,"file_path":"a"}}},
          {"functionCall":{"id":"c3","name":"run","args":{}}},{"executableCode":{"code":"1"}},{"text":"","thoughtSignature":"eHg="}]},
        {"role":"user","parts":[{"functionResponse":{"name":"read_file","response":{"output":"1\\n2\\n"}}},
          {"functionResponse":{"name":"read_file","response":{"error":"none"}}},
          {"functionResponse":{"id":"c3","name":"run","response":{"stdout":"x","code":[1]},"parts":[{"inlineData":{"mimeType":"image/png","data":"aGk"}}]}},
          {"functionResponse":{"name":"nobody","response":{"name":"nobody","content":"asked"}}},
          {"functionResponse":{"name":"nobody"}},{"never":{"deep":[[[{}]]]}},7]},
        {"role":"tool","parts":[{"text":"?"}]}
      ], "generationConfig":{"temperature":1E3} }\n`),
  },
  { name: "an empty history", bytes: Buffer.from('{"contents":[]}') },
];

describe("the Gemini API keeps the wire's promises", () => {
  for (const check of testWire({ wire: createGemini(), bodies: samples, reshapes: reshapes.slice(0, 1) }))
    it(check.name, check.run);
});

describe.skipIf(recordedSessions === null)("the Gemini API keeps them on recorded bodies", () => {
  const bodies = recordedSessions === null ? [] : recordedRequests(recordedSessions, (path) => path.includes(":"));

  it("finds the recorded bodies", () => expect(bodies.length).toBeGreaterThanOrEqual(15));

  for (const check of testWire({ wire: createGemini(), bodies, reshapes })) it(check.name, check.run);
});
