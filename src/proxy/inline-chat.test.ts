import { afterEach, describe, expect, test } from "vitest";
import { type ChatTalk, type ChatTalkOptions, openChatTalk } from "../../test/support/proxy/chat-talk.ts";
import type { JsonObject } from "../model/json.ts";
import type { Fault } from "../replay/simulated/fault.ts";
import type { ScriptStep } from "../replay/simulated/scenario.ts";

const FILE = Array.from({ length: 200 }, (_, line) => `const value${line + 1} = ${line + 1};`).join("\n");
const BOUND = { bound: { lines: 50, bytes: 262_144 } };
const READ = { tools: [{ do: "read", path: "/w/a.ts" }] } as const;

let talk: ChatTalk;

afterEach(() => talk.close());

function recall(range: string) {
  return { do: "mcp", tool: "recall", input: { id: "$marker:1", range } } as const;
}

function open(
  steps: readonly ScriptStep[],
  options: Partial<ChatTalkOptions> = {},
  scenario: Partial<ChatTalkOptions["scenario"]> = {},
) {
  const outputOf = (name: string) => (name === "read" ? FILE : `done by ${name}`);
  const script = { scripts: [{ match: "", steps }], ...scenario };
  return openChatTalk({ scenario: script, keeper: BOUND, isStreaming: true, outputOf, ...options });
}

const bodies = () => talk.provider.requests().map(({ bodyRaw }) => bodyRaw);
const histories = () => bodies().map((body): readonly JsonObject[] => JSON.parse(body).messages);

/** Results in the last request that the provider got, by the name of the tool. */
function answersOf(tool: string): readonly string[] {
  const messages = histories().at(-1) ?? [];
  const calls = messages.flatMap(({ tool_calls }) => (Array.isArray(tool_calls) ? tool_calls : []));
  const ids = calls.flatMap((call) => (call.function.name === tool ? [call.id] : []));
  return messages.flatMap(({ role, tool_call_id, content }) =>
    role === "tool" && ids.includes(tool_call_id) ? [String(content)] : [],
  );
}

async function expectSound(): Promise<void> {
  const refused = talk.provider.requests().filter(({ status }) => status !== 200);
  expect(refused.map(({ status, bodyRaw }) => [status, bodyRaw])).toEqual([]);
  expect(talk.errors).toEqual([]);
  expect(await talk.stats()).toMatchObject({ errors: [], law_violations: 0 });
}

/** A message as the model gets it: no text is one however it is written. */
const told = ({ content, ...rest }: JsonObject) => ({ ...rest, content: content ?? "" });

/** Every request repeats what the one before it told the model, message by message. */
function expectSteady(from = 0): void {
  const sent = histories().slice(from);
  for (const [index, history] of sent.entries()) {
    const next = sent[index + 1];
    if (next !== undefined) expect(next.slice(0, history.length).map(told)).toEqual(history.map(told));
  }
}

/** The same of its bytes, where each was put together out of what the client sends. */
function expectRepeated(from: number): void {
  const sent = bodies()
    .slice(from)
    .map((body) => body.slice(0, body.indexOf('],"tools"')));
  for (const [index, body] of sent.entries()) {
    const next = sent[index + 1];
    if (next !== undefined) expect(next.startsWith(body), `request ${from + index + 1}`).toBe(true);
  }
}

describe.each([
  ["streamed", true],
  ["whole", false],
])("an agent on Chat Completions without tools of Ebb's, answers %s", (_, isStreaming) => {
  test("recalls lines inside the answer, and never sees that it did", async () => {
    talk = await open(
      [
        READ,
        { text: "Let me look again.", tools: [recall("40-41")] },
        { text: "It is in line 40.", tools: [{ name: "edit", input: { path: "/w/a.ts" } }] },
        { text: "Done." },
        { text: "Yes." },
      ],
      { isStreaming },
    );
    await talk.turn("fix a.ts");
    await talk.turn("sure?");
    await expectSound();
    expectSteady();
    expectRepeated(3);
    expect(bodies()).toHaveLength(5);
    expect(answersOf("ebb_recall").join()).toContain("const value40 = 40;");
    expect(histories().at(-1)?.slice(4, 8)).toMatchObject([
      { role: "assistant", content: "Let me look again.", tool_calls: [{ function: { name: "ebb_recall" } }] },
      { role: "tool" },
      { role: "assistant", content: "It is in line 40.", tool_calls: [{ function: { name: "edit" } }] },
      { role: "tool", content: "done by edit" },
    ]);
    const seen = JSON.stringify(talk.messages);
    expect(seen).not.toMatch(/ebb_recall|\[ebb /);
    expect(seen).toContain("Let me look again.It is in line 40.");
    expect(await talk.stats()).toMatchObject({ recalls: 1 });
  });

  test("goes on behind a new proxy on the same store, after calls first, two at once, and beside its own", async () => {
    talk = await open(
      [
        READ,
        { tools: [recall("1-2")] },
        { tools: [recall("3"), recall("4")] },
        { tools: [recall("5-6"), { do: "read", path: "/w/b.ts" }] },
        { text: "First turn." },
        { text: "Once more.", tools: [recall("7")] },
        { text: "Second turn." },
        { text: "Third turn." },
      ],
      { isStreaming },
    );
    await talk.turn("look at a.ts");
    expect(talk.messages.at(-1)).toMatchObject({ content: "First turn." });
    await talk.restart();
    await talk.turn("and again");
    await talk.restart();
    await talk.turn("well done");
    await expectSound();
    expectSteady();
    expect(bodies()).toHaveLength(8);
    expect(answersOf("ebb_recall")).toHaveLength(5);
    expect(JSON.stringify(talk.messages)).not.toMatch(/ebb_recall/);
  });

  test("is told usage with the prompt of the last round and the answers of all", async () => {
    talk = await open([READ, { text: "Looking.", tools: [recall("1")] }, { text: "One." }], { isStreaming });
    await talk.turn("look at a.ts");
    const [first, last] = talk.usages.map((usage) =>
      [usage.prompt_tokens, usage.completion_tokens, usage.total_tokens].map(Number),
    );
    const [[firstPrompt = 0] = [], [prompt = 0, completion = 0, total = 0] = []] = [first, last];
    expect(total).toBe(prompt + completion);
    expect(prompt).toBeGreaterThan(firstPrompt);
  });

  test("is answered five times in one message; a sixth call is its own to answer", async () => {
    const again = { tools: [recall("9")] };
    talk = await open([READ, again, again, again, again, again, again, { text: "Done." }], { isStreaming });
    await talk.turn("look at a.ts");
    await expectSound();
    expectSteady();
    expect(JSON.stringify(talk.messages).split('"name":"ebb_recall"')).toHaveLength(2);
    expect(answersOf("ebb_recall").filter((answer) => answer.includes("value9 = 9"))).toHaveLength(5);
    expect(answersOf("ebb_recall").at(-1)).toBe("done by ebb_recall");
  });

  test.each<[string, (message: JsonObject) => JsonObject]>([
    ["as a part", (message) => ({ ...message, content: parts(message.content) })],
    ["with the role last", ({ role, ...message }) => ({ ...message, role: role ?? "" })],
    ["without the white space around it", (message) => ({ ...message, content: String(message.content ?? "").trim() })],
  ])("is put back the same where its client writes the text %s", async (_how, echo) => {
    talk = await open(
      [
        READ,
        { text: "\nLook.\n", tools: [recall("1")] },
        { text: " One.", tools: [{ name: "edit", input: { path: "/w/a.ts" } }] },
        { text: "Two.", tools: [recall("2")] },
        { text: "Three." },
        { text: "Four." },
      ],
      { isStreaming, echo },
    );
    await talk.turn("look at a.ts");
    await talk.turn("well done");
    await expectSound();
    expect(answersOf("ebb_recall")).toHaveLength(2);
    const shape = (histories().at(-1) ?? []).map(({ role, content }) => `${role} ${textIn(content).trim()}`.trim());
    expect(shape.filter((one) => one.startsWith("assistant"))).toEqual([
      "assistant",
      "assistant Look.",
      "assistant One.",
      "assistant Two.",
      "assistant Three.",
    ]);
    expectRepeated(5);
  });
});

describe("an agent of a server that thinks aloud", () => {
  const STEPS = [
    { thinking: "I read.", ...READ },
    { thinking: "Which?", text: "Look.", tools: [recall("1")] },
    { thinking: "There.", text: "One.", tools: [{ name: "edit", input: { path: "/w/a.ts" } }] },
    { thinking: "And?", tools: [recall("2")] },
    { thinking: "So.", text: "Two." },
    { text: "Three." },
  ];
  const behind = ({ reasoning_content, ...message }: JsonObject): JsonObject =>
    reasoning_content === undefined ? message : { ...message, reasoning_content };
  const first = ({ reasoning_content, ...message }: JsonObject): JsonObject =>
    reasoning_content === undefined ? message : { reasoning_content, ...message };

  test.each<[string, (message: JsonObject) => JsonObject]>([
    ["behind the text", behind],
    ["in front of it", first],
  ])("has its calls put back with what was thought, where its client keeps thinking %s", async (_how, echo) => {
    talk = await open(STEPS, { echo }, { reasoningContent: true });
    await talk.turn("look at a.ts");
    await talk.turn("well done");
    await expectSound();
    expect(answersOf("ebb_recall")).toHaveLength(2);
    const calling = (histories().at(-1) ?? []).filter(({ tool_calls }) => tool_calls !== undefined);
    expect(calling).toHaveLength(4);
    for (const message of calling) expect(message.reasoning_content).toEqual(expect.any(String));
    expectRepeated(5);
  });

  test("has them put back without, where its client keeps none", async () => {
    const echo = ({ reasoning_content: _dropped, ...message }: JsonObject) => message;
    talk = await open(STEPS, { echo }, { reasoningContent: true });
    await talk.turn("look at a.ts");
    await talk.turn("well done");
    await expectSound();
    expect(answersOf("ebb_recall")).toHaveLength(2);
    expect(JSON.stringify(histories().at(-1))).not.toContain("reasoning_content");
  });
});

describe("a round behind an answer", () => {
  test.each<[string, Fault]>([
    ["that is refused with 500", { status: 500 }],
    ["that breaks off", { cutAfterEvents: 3 }],
  ])("%s: the client asks again, and all requests fit from there on", async (_how, fault) => {
    let faults: Fault[] = [fault];
    talk = await open([READ, { text: "Looking.", tools: [recall("1")] }, { text: "One." }, { text: "Two." }], {
      beforeAnswer() {
        for (const one of faults) talk.provider.fault(one);
        faults = [];
      },
    });
    await expect(talk.turn("look at a.ts")).rejects.toThrow();
    const failed = bodies().length;
    expect(failed).toBe(3);
    await talk.resume();
    await talk.turn("well done");
    expect(JSON.stringify(talk.messages)).toContain("Looking.One.");
    expect(answersOf("ebb_recall")).toHaveLength(1);
    expect(talk.provider.requests().filter(({ status }) => status === 400)).toEqual([]);
    expect(await talk.stats()).toMatchObject({ errors: [], law_violations: 0 });
    expectSteady(failed);
  });
});

function parts(content: JsonObject[string] | undefined): JsonObject[string] {
  return typeof content === "string" && content !== "" ? [{ type: "text", text: content }] : (content ?? null);
}

function textIn(content: JsonObject[string] | undefined): string {
  return Array.isArray(content) ? String(content[0].text) : String(content ?? "");
}
