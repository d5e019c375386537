import { expect, it } from "vitest";
import { testWire } from "../../testing/test-wire.ts";
import { createGemini } from "../gemini/index.ts";

const wire = createGemini();
const [head = "", tail = ""] =
  '{"contents":[{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"a":"#"}}}]}]}'.split("#");
const bytes = Buffer.concat([Buffer.from(head), Buffer.from("ff41", "hex"), Buffer.from(tail)]);

it("JSON that stands for a result and is no UTF-8 is not replaced, and its original is the text it is read as", () => {
  const outcome = wire.read(bytes, new Map());
  const [item] = outcome.ok ? outcome.source.transcript.items : [];
  expect(item).toMatchObject({ kind: "result", isReplaceable: false });
  if (outcome.ok && item !== undefined) expect(outcome.source.textOf(item)).toBe('{"a":"\ufffdA"}');
  for (const check of testWire({ wire, bodies: [{ name: "it", bytes }], reshapes: [] })) check.run();
});
