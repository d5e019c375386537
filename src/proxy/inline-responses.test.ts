import { afterEach, describe, expect, test } from "vitest";
import {
  openResponsesTalk,
  type ResponsesTalk,
  type ResponsesTalkOptions,
} from "../../test/support/proxy/responses-talk.ts";
import type { JsonObject } from "../model/json.ts";
import type { Fault } from "../replay/simulated/fault.ts";
import type { ScriptStep } from "../replay/simulated/scenario.ts";

const FILE = Array.from({ length: 200 }, (_, line) => `const value${line + 1} = ${line + 1};`).join("\n");
const BOUND = { bound: { lines: 50, bytes: 262_144 } };
const READ = { thinking: "I read.", tools: [{ do: "read", path: "/w/a.ts" }] } as const;

let talk: ResponsesTalk;

afterEach(() => talk.close());

function recall(range: string) {
  return { do: "mcp", tool: "recall", input: { id: "$marker:1", range } } as const;
}

function open(steps: readonly ScriptStep[], options: Partial<ResponsesTalkOptions> = {}) {
  const scenario = { scripts: [{ match: "", steps }] };
  const outputOf = (name: string) => (name === "read" ? FILE : `done by ${name}`);
  return openResponsesTalk({ scenario, keeper: BOUND, isStreaming: true, outputOf, ...options });
}

const bodies = () => talk.provider.requests().map(({ bodyRaw }) => bodyRaw);
const inputs = () => bodies().map((body): readonly JsonObject[] => JSON.parse(body).input);

/** Outputs in the last request that the provider got, by the name of the tool. */
function answersOf(tool: string): readonly string[] {
  const input = inputs().at(-1) ?? [];
  const ids = input.flatMap(({ name, call_id }) => (name === tool ? [call_id] : []));
  return input.flatMap(({ type, call_id, output }) =>
    type === "function_call_output" && ids.includes(call_id) ? [String(output)] : [],
  );
}

async function expectSound(): Promise<void> {
  const refused = talk.provider.requests().filter(({ status }) => status !== 200);
  expect(refused.map(({ status, bodyRaw }) => [status, bodyRaw])).toEqual([]);
  expect(talk.errors).toEqual([]);
  expect(await talk.stats()).toMatchObject({ errors: [], law_violations: 0 });
}

/** Every request repeats the one before it, byte for byte, up to the end of its input. */
function expectSteady(from = 0): void {
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
])("an agent on the Responses API without tools of Ebb's, answers %s", (_, isStreaming) => {
  test("recalls lines inside the answer, and never sees that it did", async () => {
    talk = await open(
      [
        READ,
        { thinking: "Which line?", text: "Let me look again.", tools: [recall("40-41")] },
        { thinking: "There.", text: "It is in line 40.", tools: [{ name: "edit", input: { path: "/w/a.ts" } }] },
        { text: "Done." },
      ],
      { isStreaming },
    );
    await talk.turn("fix a.ts");
    await expectSound();
    expectSteady();
    expect(bodies()).toHaveLength(4);
    expect(answersOf("ebb_recall").join()).toContain("const value40 = 40;");
    const seen = JSON.stringify(talk.input);
    expect(seen).not.toMatch(/ebb_recall|\[ebb /);
    expect(seen).toContain("Let me look again.");
    expect(seen).toContain("It is in line 40.");
    expect(await talk.stats()).toMatchObject({ recalls: 1 });
  });

  test("goes on behind a new proxy on the same store, after calls behind thoughts, two at once, and beside its own", async () => {
    talk = await open(
      [
        READ,
        { thinking: "Look.", tools: [recall("1-2")] },
        { tools: [recall("3"), recall("4")] },
        { thinking: "Both.", tools: [recall("5-6"), { do: "read", path: "/w/b.ts" }] },
        { thinking: "Enough.", text: "First turn." },
        { thinking: "Again.", text: "Once more.", tools: [recall("7")] },
        { thinking: "Good.", text: "Second turn." },
        { thinking: "Fine.", text: "Third turn." },
      ],
      { isStreaming },
    );
    await talk.turn("look at a.ts");
    expect(talk.input.slice(-2)).toMatchObject([{ type: "reasoning" }, { content: [{ text: "First turn." }] }]);
    await talk.restart();
    await talk.turn("and again");
    await talk.restart();
    await talk.turn("well done");
    await expectSound();
    expectSteady();
    expect(bodies()).toHaveLength(8);
    expect(answersOf("ebb_recall")).toHaveLength(5);
    expect(JSON.stringify(talk.input)).not.toContain("ebb_recall");
  });

  test("whose client drops ids and what it need not keep is put back the same", async () => {
    const echo = ({ id, status, ...item }: JsonObject): JsonObject | null =>
      item.type === "message"
        ? { role: "assistant", content: String((item.content as readonly JsonObject[])[0]?.text) }
        : item.type === "reasoning"
          ? { id: id ?? "", ...item }
          : item;
    talk = await open(
      [
        READ,
        { thinking: "Look.", tools: [recall("1-2")] },
        { text: "Well.", tools: [recall("3"), { do: "read", path: "/w/b.ts" }] },
        { text: "First turn." },
        { text: "Second turn." },
      ],
      { isStreaming, echo },
    );
    await talk.turn("look at a.ts");
    await talk.restart();
    await talk.turn("and again");
    await expectSound();
    expect(answersOf("ebb_recall")).toHaveLength(2);
    const last = inputs().at(-1) ?? [];
    const names = last.map(({ type, role, name }) => name ?? type ?? role);
    expect(names).toEqual([
      "user",
      "reasoning",
      "read",
      "function_call_output",
      "reasoning",
      "ebb_recall",
      "function_call_output",
      "assistant",
      "ebb_recall",
      "read",
      "function_call_output",
      "function_call_output",
      "assistant",
      "user",
    ]);
  });

  test("leaves Ebb at any time with a history that the provider takes", async () => {
    talk = await open(
      [READ, { thinking: "Look.", tools: [recall("1-2")] }, { thinking: "Ah.", text: "One." }, { text: "Two." }],
      { isStreaming },
    );
    await talk.turn("look at a.ts");
    const own = [...talk.input, { role: "user", content: "and?" }];
    const body = JSON.stringify({ model: "gpt-5.4", store: false, input: own });
    const headers = { "content-type": "application/json", authorization: "Bearer key" };
    const got = await fetch(`${talk.provider.url}/v1/responses`, { method: "POST", headers, body });
    expect([got.status, await got.text()]).toEqual([200, expect.any(String)]);
  });

  test("is answered five times in one response; a sixth call is its own to answer", async () => {
    const again = { thinking: "More.", tools: [recall("9")] };
    talk = await open([READ, again, again, again, again, again, again, { text: "Done." }], { isStreaming });
    await talk.turn("look at a.ts");
    await expectSound();
    expectSteady();
    expect(talk.input.filter(({ name }) => name === "ebb_recall")).toHaveLength(1);
    expect(answersOf("ebb_recall").filter((answer) => answer.includes("value9 = 9"))).toHaveLength(5);
  });

  test.each<[string, Fault]>([
    ["is refused with 500", { status: 500 }],
    ["breaks off", { cutAfterEvents: 3 }],
  ])("asks again where the round behind an answer %s, and all requests fit from there on", async (_how, fault) => {
    let faults: Fault[] = [fault];
    const steps = [
      READ,
      { thinking: "Hm.", text: "Looking.", tools: [recall("1")] },
      { thinking: "Ah.", text: "One." },
      { text: "Two." },
    ];
    talk = await open(steps, {
      isStreaming,
      beforeAnswer() {
        for (const one of faults) talk.provider.fault(one);
        faults = [];
      },
    });
    await expect(talk.turn("look at a.ts")).rejects.toThrow();
    await talk.resume();
    await talk.turn("well done");
    expect(JSON.stringify(talk.input)).toContain("Looking.");
    expect(answersOf("ebb_recall")).toHaveLength(1);
    expect(talk.provider.requests().filter(({ status }) => status === 400)).toEqual([]);
    expect(await talk.stats()).toMatchObject({ errors: [], law_violations: 0 });
  });
});

describe("a conversation that the provider keeps", () => {
  test.each([[{ store: true }], [{ store: null }], [{ previous_response_id: null, store: true }]])(
    "is offered no tool: %o",
    async (fields) => {
      talk = await open([READ, { text: "Done." }], { fields });
      await talk.turn("look at a.ts");
      await expectSound();
      expect(bodies().join()).not.toContain('ebb_recall",');
    },
  );
});
