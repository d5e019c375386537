import { describe, expect, test } from "vitest";
import { inlineDefinitions } from "../../src/mcp/inline-definitions.ts";
import { type Block, bodyOf, EMPTY_TALK, result, results, type Talk, user } from "../support/conversation.ts";
import { ask, textOf } from "../support/inline/keeper-client.ts";
import { call, type RoundMessage, recall } from "../support/inline/messages.ts";
import { createTestKeeper, prepare } from "../support/keeper.ts";

type Echo = (asked: Talk, content: readonly Block[]) => Talk;

const inlineTools = { definitions: inlineDefinitions("recall"), onSubscription: false };
const text = (words: string) => ({ type: "text", text: words });
const GO = user(EMPTY_TALK, "go");

const say = (talk: Talk, role: string, content: string | readonly Block[]): Talk => ({
  messages: [...talk.messages, { role, content }],
});
const answer = (talk: Talk, content: string | readonly Block[]) => say(talk, "assistant", content);
const each = (talk: Talk, content: readonly Block[]) => content.reduce((all, block) => answer(all, [block]), talk);
const isUse = ({ type }: Block) => type === "tool_use";

/** What the provider gets when a client sends a message back in a shape of its own: a word for each block. */
async function sentFor(rounds: readonly RoundMessage[], echo: Echo): Promise<readonly string[]> {
  const keeper = createTestKeeper({ inlineTools });
  const { content } = await ask(keeper, bodyOf(GO), rounds, { atMs: 1_001_000 });
  const sent = textOf(await prepare(keeper, bodyOf(echo(GO, content ?? [])), { atMs: 1_002_000 }));
  expect(keeper.errors).toEqual([]);
  const { messages }: { messages: { role: string; content: string | Block[] }[] } = JSON.parse(sent);
  return messages.map(({ role, content: blocks }) => `${role.slice(0, 1)}:${wordsOf(blocks)}`);
}

function wordsOf(content: string | readonly Block[]): string {
  if (typeof content === "string") return content;
  return content.map((block) => block.text ?? block.id ?? `=${block.tool_use_id}`).join("|");
}

describe("rounds that the client never saw stand where they stood, though the client", () => {
  const rounds = [
    { blocks: [text("one"), recall("r1")] },
    { blocks: [text("two"), recall("r2")] },
    { blocks: [text("three")] },
  ];
  const whole = ["u:go", "a:one|r1", "u:=r1", "a:two|r2", "u:=r2", "a:three"];

  test.each<[string, Echo, readonly string[]]>([
    ["sends it as it came", answer, whole],
    ["sends each block as a message", each, whole],
    ["sends some of its blocks together", (talk, [one, ...rest]) => each(answer(talk, one ? [one] : []), rest), whole],
    ["adds blank text", (talk, all) => answer(talk, [text(" "), ...all]), whole.with(1, "a: |one|r1")],
    [
      "adds members",
      (talk, all) =>
        answer(
          talk,
          all.map((block) => ({ ...block, citations: null })),
        ),
      whole,
    ],
    ["drops all but the last", (talk, all) => answer(talk, all.slice(-1)), whole.with(1, "a:r1").with(3, "a:r2")],
    ["drops all but the first", (talk, all) => answer(talk, all.slice(0, 1)), [...whole.with(3, "a:r2").slice(0, 5)]],
    [
      "has a note of its system behind it",
      (talk, all) => say(answer(talk, all), "system", [text("n")]),
      [...whole, "s:n"],
    ],
  ])("%s", async (_name, echo, expected) => {
    expect(await sentFor(rounds, (talk, all) => user(echo(talk, all), "more"))).toEqual([...expected, "u:more"]);
  });

  test.each<[string, Echo]>([
    ["joins its blocks to one text", (talk, all) => answer(talk, all.map(wordOf).join(""))],
    ["says something else", (talk) => answer(talk, [text("other")])],
    ["leaves it empty", (talk) => answer(talk, [])],
  ])("and are left out whole where it %s", async (_name, echo) => {
    const sent = await sentFor(rounds, (talk, all) => user(echo(talk, all), "more"));
    expect(sent.join()).not.toMatch(/r1|r2/);
  });
});

function wordOf(block: Block): string {
  return String(block.text);
}

describe("an answer beside the client's own calls stands with their results, though the client", () => {
  const rounds = [{ blocks: [text("one"), call("c1"), recall("r1"), call("c2")] }];
  const both = [result("c1", "1"), result("c2", "2")] as const;

  test.each<[string, Echo, readonly string[]]>([
    ["sends it as it came", (talk, all) => results(answer(talk, all), ...both), ["a:one|c1|r1|c2", "u:=c1|=c2|=r1"]],
    [
      "sends results in another order",
      (talk, all) => results(answer(talk, all), both[1], both[0]),
      ["a:one|c1|r1|c2", "u:=c2|=c1|=r1"],
    ],
    [
      "sends each result as a message",
      (talk, all) => results(results(answer(talk, all), both[0]), both[1]),
      ["a:one|c1|r1|c2", "u:=c1|=r1", "u:=c2"],
    ],
    [
      "sends each block as a message",
      (talk, all) => results(each(talk, all), ...both),
      ["a:one", "a:c1", "a:r1|c2", "u:=c1|=c2|=r1"],
    ],
    [
      "drops its calls",
      (talk, all) =>
        user(
          answer(
            talk,
            all.filter((block) => !isUse(block)),
          ),
          "stop",
        ),
      ["a:one|r1", "u:=r1|stop"],
    ],
    [
      "drops its calls, and speaks in a string",
      (talk, all) =>
        say(
          answer(
            talk,
            all.filter((block) => !isUse(block)),
          ),
          "user",
          "stop",
        ),
      ["a:one|r1", "u:=r1|stop"],
    ],
    ["drops one call", (talk, all) => results(answer(talk, all.slice(0, 2)), both[0]), ["a:one|c1|r1", "u:=c1|=r1"]],
    [
      "drops its text",
      (talk, all) => results(answer(talk, all.filter(isUse)), ...both),
      ["a:c1|r1|c2", "u:=c1|=c2|=r1"],
    ],
  ])("%s", async (_name, echo, expected) => {
    expect(await sentFor(rounds, echo)).toEqual(["u:go", ...expected]);
  });
});

test("a message that the client began stays one of its own, and what was recalled behind it stands behind it", async () => {
  const rounds = [{ blocks: [text("one"), recall("r1")] }, { blocks: [text("two")] }];
  const keeper = createTestKeeper({ inlineTools });
  const first = await ask(keeper, bodyOf(GO), [{ blocks: [text("Hm.")] }], { atMs: 1_000_000 });
  const begun = answer(user(answer(GO, first.content ?? []), "and?"), [text("Begun:")]);
  const { content } = await ask(keeper, bodyOf(begun), rounds, { atMs: 1_001_000 });
  const talk = user(answer(begun, content ?? []), "more");
  const sent = JSON.parse(textOf(await prepare(keeper, bodyOf(talk), { atMs: 1_002_000 })));
  const told = sent.messages.map((one: { content: Block[] }) => wordsOf(one.content));
  expect(told.slice(3)).toEqual(["Begun:", "one|r1", "=r1", "two", "more"]);
});

describe("the tool", () => {
  const body = JSON.parse(Buffer.from(bodyOf(GO)).toString());
  const { tools, messages, ...rest } = body;
  const own = { name: "ebb_recall", input_schema: { type: "object" } };
  const plain = (members: object) => JSON.stringify({ ...rest, ...members });

  test.each([
    ["behind the messages", plain({ messages, tools })],
    [
      "behind one that waits to be searched, with a breakpoint",
      plain({
        messages,
        tools: tools.with(4, { ...tools[4], defer_loading: true, cache_control: { type: "ephemeral" } }),
      }),
    ],
    ["in a body of many lines", JSON.stringify(body, null, 2)],
    ["beside names that look like it", plain({ messages, tools: [...tools, { ...own, name: "ebb_recall2" }] })],
  ])("is offered %s", async (_name, came) => {
    const prepared = await prepare(createTestKeeper({ inlineTools }), Buffer.from(came));
    expect(JSON.parse(textOf(prepared)).tools.at(-1).name).toBe("ebb_recall");
    expect(prepared).toMatchObject({ inline: { lineage: expect.any(String) } });
  });

  test.each([
    ["are stated twice", `${plain({ tools, messages }).slice(0, -1)},"tools":[]}`],
    ["are null", plain({ messages, tools: null })],
    ["are an object", plain({ messages, tools: { a: own } })],
    ["have no names", plain({ messages, tools: [{}, 7, null] })],
    ["hold one of that name", plain({ messages, tools: [...tools, own] })],
  ])("is not, and nothing else changes, where tools %s", async (_name, came) => {
    const prepared = await prepare(createTestKeeper({ inlineTools }), Buffer.from(came));
    expect(textOf(prepared)).toBe(came);
    expect(prepared).toMatchObject({ inline: null });
  });
});
