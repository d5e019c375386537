import { describe, expect, it } from "vitest";
import { recordedRequests } from "../../../test/support/recorded-bodies.ts";
import { EVERY_KIND } from "../../../test/support/responses-body.ts";
import { recordedSessions } from "../../../test/support/shared.ts";
import { isObject, reshape as reshapeOf } from "../../../test/support/wires/reshape.ts";
import { RESPONSES } from "../../../test/support/wires/responses.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import { type Reshape, type SampleBody, testWire } from "../../testing/test-wire.ts";
import { createOpenaiResponses } from "./index.ts";

const wire = createOpenaiResponses();
/** What a client does to the conversation alone. */
const reshape = (name: string, change: (object: JsonObject) => JsonObject) => reshapeOf(name, change, "input");

/** Entries whose id says what they are about. */
const IDS_THAT_NAME: ReadonlySet<JsonValue | undefined> = new Set(["item_reference", "local_shell_call_output"]);

const reshapes: readonly Reshape[] = [
  reshape("strings into parts", (object) =>
    object.role !== undefined && typeof object.content === "string"
      ? {
          ...object,
          content: [{ type: object.role === "assistant" ? "output_text" : "input_text", text: object.content }],
        }
      : object,
  ),
  reshape("single parts into strings", (object) => {
    const [only, ...others] = Array.isArray(object.content) ? object.content : [];
    const isText = isObject(only) && String(only.type).endsWith("put_text") && others.length === 0;
    return object.role !== undefined && isText ? { ...object, content: only.text ?? "" } : object;
  }),
  reshape("outputs into parts", (object) =>
    typeof object.output === "string" ? { ...object, output: [{ type: "input_text", text: object.output }] } : object,
  ),
  reshape("ids and states away", (object) => {
    const { id, status: _status, annotations: _annotations, logprobs: _logprobs, ...rest } = object;
    const isName = IDS_THAT_NAME.has(rest.type) || (rest.type === undefined && rest.role === undefined);
    return isName && id !== undefined ? { ...rest, id } : rest;
  }),
  reshape("defaults in", (object) =>
    object.type === "function_call" ? { id: "fc_new", status: "completed", ...object, parsed_arguments: null } : object,
  ),
  reshape("members in another order", (object) => Object.fromEntries(Object.entries(object).reverse())),
  reshape("breakpoints to every text", (object) =>
    object.type === "input_text" ? { ...object, prompt_cache_breakpoint: { mode: "explicit" } } : object,
  ),
  reshape("arguments written anew", (object) =>
    object.type === "function_call" ? { ...object, arguments: `  ${String(object.arguments)}` } : object,
  ),
];

const samples: readonly SampleBody[] = [
  { name: "a session with every kind of entry", bytes: Buffer.from(EVERY_KIND) },
  { name: "an empty history", bytes: Buffer.from('{"input":[]}') },
];

describe("the Responses API keeps the wire's promises", () => {
  for (const check of testWire({ wire, bodies: samples, reshapes, responses: RESPONSES["openai-responses"] }))
    it(check.name, check.run);
  const text = { name: "a string", bytes: Buffer.from(' {"input" : "read \\u00e9 \\ud83d" }') };
  for (const check of testWire({ wire, bodies: [text], reshapes: [] })) it(check.name, check.run);
});

describe.skipIf(recordedSessions === null)("the Responses API keeps them on recorded bodies", () => {
  const bodies =
    recordedSessions === null ? [] : recordedRequests(recordedSessions, (path) => path.endsWith("/responses"));

  it("finds the recorded bodies", () => {
    expect(bodies.length).toBeGreaterThanOrEqual(45);
  });

  for (const check of testWire({ wire, bodies, reshapes })) it(check.name, check.run);
});
