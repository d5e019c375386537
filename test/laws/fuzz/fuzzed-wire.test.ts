import { describe, expect, test } from "vitest";
import type { Wire } from "../../../src/model/ports.ts";
import { createOpenaiChat } from "../../../src/wires/openai-chat/index.ts";
import { checkFuzzed } from "./fuzzed-wire.ts";

const wire = createOpenaiChat();
const LONG = "a long result ".repeat(20);
const bytes = Buffer.from(`{"messages": [{"role":"tool","tool_call_id":"a","content":"${LONG}"}], "n": 1.0}`);
const textOf = (slices: readonly Uint8Array[]) => Buffer.concat(slices).toString();

const check = (broken: Partial<Wire>) => () => {
  const tally = { bodies: 0, read: 0, replaced: 0, checked: 0 };
  checkFuzzed({ ...wire, ...broken }, Buffer.from(bytes), tally);
  return tally;
};

/** Changes what is written with edits. */
function writing(change: (text: string) => string): Partial<Wire> {
  return {
    write: (body, source, script) => {
      const slices = wire.write(body, source, script);
      return script.length === 0 ? slices : [Buffer.from(change(textOf(slices)))];
    },
  };
}

describe("a damaged body is judged: a wire", () => {
  test("as it is passes", () => {
    expect(check({})()).toEqual({ bodies: 1, read: 1, replaced: 1, checked: 0 });
  });

  test.each<[string, Partial<Wire>, RegExp]>([
    ["throws", { read: () => expect.fail("cannot read") }, /cannot read/],
    ["refuses without words", { read: () => ({ ok: false, words: "" }) }, /Expected/],
    ["writes a body again", writing((text) => JSON.stringify(JSON.parse(text))), /untouched/],
    ["gives a result to another call", writing((text) => text.replace('"a"', '"b"')), /paired/],
    ["writes what is no JSON", writing((text) => text.slice(0, -1)), /untouched/],
    [
      "writes into the body that came",
      {
        write: (body, source, script) => {
          if (script.length > 0) body.fill(0x20, 12, 13);
          if (script.length > 0) body.fill(0x0a, 12, 13);
          return wire.write(body, source, script);
        },
      },
      /written into/,
    ],
    [
      "writes again what was not edited",
      { write: (body) => [Buffer.from(JSON.stringify(JSON.parse(textOf([body]))))] },
      /Expected/,
    ],
  ])("that %s fails", (_name, broken, words) => expect(check(broken)).toThrow(words));
});
