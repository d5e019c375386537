import { afterEach, describe, expect, test } from "vitest";
import { assistant, numbered, result, results } from "../../test/support/conversation.ts";
import { readStream } from "../../test/support/inline/client-stream.ts";
import { type InlineTalk, openInlineTalk, prefixOf } from "../../test/support/proxy/inline-talk.ts";
import { SIGNING_MODEL } from "../../test/support/signing-provider.ts";
import type { Fault } from "../replay/simulated/fault.ts";
import type { ScriptStep } from "../replay/simulated/scenario.ts";

const MINUTE = 60_000;
const FILE = Array.from({ length: 200 }, (_, line) => `const value${line + 1} = ${line + 1};`).join("\n");
const BOUND = { bound: { lines: 50, bytes: 262_144 } };
const BODIES = { model: SIGNING_MODEL, thinking: { type: "enabled", budget_tokens: 2_000 } };

let talk: InlineTalk;

afterEach(() => talk.close());

function recall(range: string) {
  return { do: "mcp", tool: "recall", input: { id: "$marker:1", range } } as const;
}

function outputOf(name: string): string {
  if (name === "Read") return numbered(FILE);
  return name === "Edit" ? "The file /w/a.ts has been updated." : `Error: No such tool available: ${name}`;
}

function open(steps: readonly ScriptStep[], options: Partial<Parameters<typeof openInlineTalk>[0]> = {}) {
  const scenario = { scripts: [{ match: "", steps }] };
  return openInlineTalk({ scenario, keeper: BOUND, bodies: BODIES, outputOf, ...options });
}

function readCall({ talk: { messages } }: InlineTalk): unknown {
  const blocks = messages.flatMap(({ content }) => (Array.isArray(content) ? content : []));
  return blocks.find(({ name }) => name === "Read")?.id;
}

const bodies = () => talk.provider.requests().map(({ bodyRaw }) => bodyRaw);

/** Texts of the results in the last request that the provider got, by the name of the tool. */
function answersOf(tool: string): readonly string[] {
  const { messages } = JSON.parse(bodies().at(-1) ?? "{}");
  const blocks = messages.flatMap(({ content }: { content: unknown }) => (Array.isArray(content) ? content : []));
  const ids = blocks.flatMap((block: { name?: string; id?: string }) => (block.name === tool ? [block.id] : []));
  return blocks.flatMap((block: { tool_use_id?: string; content?: unknown }) =>
    ids.includes(block.tool_use_id) ? [JSON.stringify(block.content)] : [],
  );
}

async function expectSound(): Promise<void> {
  const refused = talk.provider.requests().filter(({ status }) => status !== 200);
  expect(refused.map(({ status, bodyRaw }) => [status, bodyRaw.length])).toEqual([]);
  expect(talk.errors).toEqual([]);
  expect(await talk.stats()).toMatchObject({ errors: [], law_violations: 0 });
}

/** Every request repeats the one before it, byte for byte. */
function expectSteady(from = 0): void {
  const sent = bodies().slice(from).map(prefixOf);
  for (const [index, body] of sent.entries()) {
    const next = sent[index + 1];
    if (next !== undefined) expect(next.slice(0, body.length) === body, `request ${from + index + 1}`).toBe(true);
  }
}

describe("an agent without tools of Ebb's, in front of a provider that checks signatures", () => {
  const READ = { thinking: "I read.", tools: [{ do: "read", path: "/w/a.ts" }] } as const;

  test("recalls lines inside the stream, and never sees that it did", async () => {
    talk = await open([
      READ,
      { thinking: "Which line?", text: "Let me look again.", tools: [recall("40-41")] },
      { thinking: "There.", text: "It is in line 40.", tools: [{ do: "edit", path: "/w/a.ts", old: "a", new: "b" }] },
      { text: "Done." },
    ]);
    await talk.turn("fix a.ts");
    await expectSound();
    expectSteady();
    expect(bodies()).toHaveLength(4);
    expect(answersOf("ebb_recall").join()).toContain("const value40 = 40;");
    const seen = JSON.stringify(talk.talk);
    expect(seen).not.toMatch(/ebb_recall|\[ebb /);
    expect(seen).toContain("Let me look again.");
    expect(seen).toContain("It is in line 40.");
    expect(await talk.stats()).toMatchObject({ recalls: 1 });
  });

  test("goes on behind a new proxy on the same store, after calls first, two at once, and beside its own", async () => {
    talk = await open([
      READ,
      { tools: [recall("1-2")] },
      { tools: [recall("3"), recall("4")] },
      { thinking: "Both.", tools: [recall("5-6"), { do: "read", path: "/w/b.ts" }] },
      { thinking: "Enough.", text: "First turn." },
      { thinking: "Again.", text: "Once more.", tools: [recall("7")] },
      { thinking: "Good.", text: "Second turn." },
      { thinking: "Fine.", text: "Third turn." },
    ]);
    await talk.turn("look at a.ts");
    expect(talk.talk.messages.at(-1)?.content).toMatchObject([{ type: "thinking" }, { text: "First turn." }]);
    await talk.restart();
    await talk.turn("and again");
    await talk.restart();
    await talk.turn("well done");
    await expectSound();
    expectSteady();
    expect(bodies()).toHaveLength(8);
    expect(answersOf("ebb_recall")).toHaveLength(5);
    expect(JSON.stringify(talk.talk)).not.toMatch(/ebb_recall/);
  });

  test("is answered five times in one message; a sixth call is its own to answer", async () => {
    const again = { thinking: "More.", tools: [recall("9")] };
    talk = await open([READ, again, again, again, again, again, again, { text: "Done." }]);
    await talk.turn("look at a.ts");
    await expectSound();
    expectSteady();
    const calls = talk.talk.messages.flatMap(({ content }) =>
      Array.isArray(content) ? content.filter(({ name }) => name === "ebb_recall") : [],
    );
    expect(calls).toHaveLength(1);
    expect(answersOf("ebb_recall").filter((answer) => answer.includes("value9 = 9"))).toHaveLength(5);
    expect(answersOf("ebb_recall").at(-1)).toContain("No such tool available");
  });

  test("is told what a call cannot mean, in words", async () => {
    talk = await open([
      READ,
      { tools: [{ do: "mcp", tool: "recall", input: { id: "0000000000zz" } }] },
      { tools: [{ do: "mcp", tool: "recall", input: { id: "$marker:1", range: "nonsense" } }] },
      { tools: [{ do: "mcp", tool: "recall", input: { id: 7 } }] },
      { text: "Done." },
    ]);
    await talk.turn("look at a.ts");
    await expectSound();
    expectSteady();
    const [unknown, badRange, badOrder] = answersOf("ebb_recall");
    expect(unknown).toContain("unknown id: ");
    expect(badRange).toContain("bad range: ");
    expect(badOrder).toContain("bad order: ");
  });

  test("that goes back in front of a message leaves its calls behind", async () => {
    talk = await open([READ, { text: "Looking.", tools: [recall("1")] }, { text: "One." }]);
    await talk.turn("look at a.ts");
    expect(answersOf("ebb_recall")).toHaveLength(1);
    talk.talk = { messages: talk.talk.messages.slice(0, 2) };
    talk.provider.setScenario({ scripts: [{ match: "", steps: [READ, { text: "Another way." }, { text: "End." }] }] });
    talk.talk = results(talk.talk, result(String(readCall(talk)), outputOf("Read")));
    const got = await talk.post();
    talk.talk = assistant(talk.talk, ...readStream(got.body.toString()).content);
    await talk.turn("go on");
    await expectSound();
    expect(talk.talk.messages.at(-3)?.content).toMatchObject([{ text: "Another way." }]);
    expect(answersOf("ebb_recall")).toEqual([]);
  });

  test.each<[string, Fault]>([
    ["is refused with 500", { status: 500 }],
    ["is refused with 529", { status: 529, retryAfter: 1 }],
    ["breaks off", { cutAfterEvents: 3 }],
  ])("asks again where the round behind an answer %s, and all requests fit from there on", async (_how, fault) => {
    let faults: Fault[] = [fault];
    talk = await open(
      [
        READ,
        { thinking: "Hm.", text: "Looking.", tools: [recall("1")] },
        { thinking: "Ah.", text: "One." },
        { text: "Two." },
      ],
      {
        beforeAnswer() {
          for (const one of faults) talk.provider.fault(one);
          faults = [];
        },
      },
    );
    await expect(talk.turn("look at a.ts")).rejects.toThrow();
    const failed = bodies().length;
    expect(failed).toBe(3);
    await talk.resume();
    await talk.turn("well done");
    expect(JSON.stringify(talk.talk)).toContain("Looking.");
    expect(answersOf("ebb_recall")).toHaveLength(1);
    expect(talk.provider.requests().filter(({ status }) => status === 400)).toEqual([]);
    expect(await talk.stats()).toMatchObject({ errors: [], law_violations: 0 });
    expectSteady(failed);
    expect(bodies()).toHaveLength(failed + 3);
  });
});

describe("a stale read that left, on a model that signs nothing", () => {
  test("comes back inside the stream by its lines, and the prefix stands from there on", async () => {
    talk = await open(
      [
        { tools: [{ do: "read", path: "/w/a.ts" }] },
        { tools: [{ do: "edit", path: "/w/a.ts", old: "a", new: "b" }] },
        { text: "Done." },
        { text: "What stood there?", tools: [recall("7-8")] },
        { text: "Line seven." },
        { text: "Good." },
      ],
      { keeper: {}, bodies: { model: "claude-sonnet-4-5-20250929" } },
    );
    await talk.turn("fix a.ts");
    talk.nowMs += 70 * MINUTE;
    await talk.turn("what was there before?");
    await talk.turn("thanks");
    await expectSound();
    expect(bodies()).toHaveLength(6);
    expect(answersOf("Read")[0]).toMatch(/^"\[ebb /);
    expect(answersOf("ebb_recall")[0]).toContain("const value7 = 7;");
    expectSteady(3);
  });
});
