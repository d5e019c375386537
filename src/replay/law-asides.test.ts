import { describe, expect, test } from "vitest";
import { withoutAsides } from "./law-asides.ts";

const call = (id: string) => JSON.stringify({ type: "tool_use", id, name: "ebb_recall", input: { id: "é" } });
const result = (id: string) => JSON.stringify({ type: "tool_result", tool_use_id: id, content: `answer of ${id}` });
const text = (words: string) => JSON.stringify({ type: "text", text: words });
const said = (role: string, ...blocks: readonly string[]) => `{"role":"${role}","content":[${blocks.join(",")}]}`;

interface Body {
  readonly messages: readonly string[];
  readonly tools?: readonly string[];
  readonly rest?: string;
}

function bodyOf({ messages, tools = ['{"name":"Read"}'], rest = '"model":"m"' }: Body): Uint8Array {
  return Buffer.from(`{${rest},"tools":[${tools.join(",")}],"messages":[${messages.join(",")}]}`);
}

const GO = said("user", text("go"));
const MORE = said("user", text("more"));
const CAME: Body = { messages: [GO, said("assistant", text("look"), text("found")), MORE] };
const ASIDE = { calls: [call("c1"), call("c2")], results: [result("c1"), result("c2")] };
const TOOL = '{"name":"ebb_recall"}';
const WITH_TOOL = ['{"name":"Read"}', TOOL];
const PUT = [
  said("assistant", text("look"), ...ASIDE.calls),
  said("user", ...ASIDE.results),
  said("assistant", text("found")),
];
const SOUND: Body = { messages: [GO, ...PUT, MORE], tools: WITH_TOOL };

function violationsOf(sent: Body, asides = [ASIDE], tools: string | null = TOOL): readonly string[] {
  return withoutAsides({ original: bodyOf(CAME), forwarded: bodyOf(sent), asides, tools }).violations;
}

function withMessages(...messages: readonly string[]): Body {
  return { ...SOUND, messages: [GO, ...messages, MORE] };
}

describe("a body with asides and tools in it", () => {
  test("is the one that came without them", () => {
    const input = { original: bodyOf(CAME), forwarded: bodyOf(SOUND), asides: [ASIDE], tools: TOOL };
    const { body, violations } = withoutAsides(input);
    expect(violations).toEqual([]);
    expect(Buffer.from(body).equals(bodyOf(CAME))).toBe(true);
  });

  test("may hold a text as a block where it came as a text", () => {
    const came = { messages: [GO, '{"role":"assistant","content":"look"}', MORE] };
    const sent = withMessages(said("assistant", text("look"), ...ASIDE.calls), said("user", ...ASIDE.results));
    const { body, violations } = withoutAsides({
      original: bodyOf(came),
      forwarded: bodyOf(sent),
      asides: [ASIDE],
      tools: TOOL,
    });
    expect([violations, Buffer.from(body).toString()]).toEqual([[], bodyOf(came).toString()]);
  });

  test("is handed on with the replacements that other laws judge", () => {
    const shown = (content: string) => JSON.stringify({ type: "tool_result", tool_use_id: "t1", content });
    const used = said("assistant", '{"type":"tool_use","id":"t1","name":"Read","input":{}}');
    const original = bodyOf({ messages: [GO, used, said("user", shown("long text"))] });
    const forwarded = bodyOf({ messages: [GO, used, said("user", shown("marker"))] });
    const { body, violations } = withoutAsides({ original, forwarded, asides: [], tools: null });
    expect([violations, Buffer.from(body).equals(forwarded)]).toEqual([[], true]);
  });

  test.each<[string, Body, RegExp]>([
    ["lacks an aside", { ...SOUND, messages: CAME.messages }, /^paired: a call or a result/],
    ["holds one twice", withMessages(...PUT, ...PUT.slice(0, 2)), /^paired: a call or a result/],
    ["lacks the tool", { ...SOUND, tools: ['{"name":"Read"}'] }, /^untouched: the tools/],
    ["has it first", { ...SOUND, tools: WITH_TOOL.toReversed() }, /^untouched: the tools/],
    ["differs elsewhere", { ...SOUND, rest: '"model":"n"' }, /^untouched: model differs/],
    [
      "has results in another order",
      withMessages(PUT[0] ?? "", said("user", ...ASIDE.results.toReversed()), PUT[2] ?? ""),
      /^steady: the calls or results/,
    ],
    [
      "has results without the calls before them",
      withMessages(
        said("assistant", text("look")),
        said("user", ...ASIDE.results),
        said("assistant", ...ASIDE.calls, text("found")),
      ),
      /^paired: the results of an aside/,
    ],
    [
      "has calls in two messages",
      withMessages(
        said("assistant", call("c1"), text("look")),
        said("user"),
        said("assistant", call("c2"), text("found")),
        said("user", ...ASIDE.results),
      ),
      /^paired: the calls of an aside/,
    ],
    [
      "lost a block of the client's",
      withMessages(said("assistant", ...ASIDE.calls), said("user", ...ASIDE.results), said("assistant", text("found"))),
      /^paired: 4 blocks came, 3 left/,
    ],
    [
      "has a block that belongs to another role",
      withMessages(
        said("assistant", ...ASIDE.calls),
        said("user", ...ASIDE.results, text("look")),
        said("assistant", text("found")),
      ),
      /^paired: block 1 is another one/,
    ],
  ])("breaks a law where it %s", (_, sent, expected) => {
    expect(violationsOf(sent).join("\n")).toMatch(new RegExp(expected.source, "m"));
  });

  test("breaks a law where an aside stands in it that does not belong there", () => {
    expect(violationsOf(SOUND, [])).toEqual(["paired: 4 blocks came, 8 left"]);
  });

  test("breaks a law where a byte of an aside differs", () => {
    const other = {
      ...SOUND,
      messages: SOUND.messages.map((message) => message.replace("answer of c2", "answer 0f c2")),
    };
    expect(violationsOf(other).length).toBeGreaterThan(0);
  });
});
