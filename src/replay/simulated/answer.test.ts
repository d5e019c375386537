import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../model/json.ts";
import { planAnswer, shownThinking } from "./answer.ts";
import { CACHE_EDIT_SHAPE } from "./cache-edits.ts";
import { messagesTalk } from "./messages-talk.ts";
import { cacheEditsOf, parseScenario, type Scenario, type StepTool } from "./scenario.ts";

const claudeTools = ["Read", "Write", "Edit", "Bash", "mcp__files__dump"].map((name) => ({ name }));
const properties = (...names: string[]) => ({
  type: "object",
  properties: Object.fromEntries(names.map((name) => [name, {}])),
});
const piTools = [
  { name: "read", input_schema: properties("path", "offset", "limit") },
  { name: "write", input_schema: properties("path", "content") },
  { name: "edit", input_schema: properties("path", "edits") },
  { name: "bash", input_schema: properties("command", "timeout") },
];
const wanted: readonly StepTool[] = [
  { do: "read", path: "a.txt", offset: 3 },
  { do: "write", path: "/b.txt", content: "b" },
  { do: "edit", path: "a.txt", old: "x", new: "y" },
  { do: "bash", command: "ls" },
];
const scenario: Scenario = {
  scripts: [
    { match: "^all", steps: [{ tools: wanted }] },
    { match: "^bulk", steps: [{ tools: [{ do: "mcp", tool: "dump", input: { n: 1 } }] }] },
    {
      match: "",
      steps: [
        {
          thinking: "hm",
          text: "Reading.",
          tools: [
            { do: "read", path: "a.txt" },
            { do: "read", path: "b.txt" },
          ],
        },
        { text: "First turn done.", advanceMs: 400_000 },
        { tools: [{ name: "Anything", input: { deep: [1] } }] },
      ],
    },
  ],
};
const user = (...texts: string[]): JsonObject => ({
  role: "user",
  content: texts.map((text) => ({ type: "text", text })),
});
const said = (text: string): JsonObject => ({ role: "assistant", content: text });

function plan(messages: readonly JsonObject[], fields: JsonObject = {}) {
  const request = { tools: claudeTools, system: "Working directory: /project", messages, ...fields };
  return planAnswer(scenario, messagesTalk(request));
}

describe("scripted answers", () => {
  it("turn intents into Claude Code's tools, in the folder the request states", () => {
    expect(plan([user("all")]).calls.map(({ name, input }) => ({ name, input }))).toEqual([
      { name: "Read", input: { file_path: "/project/a.txt", offset: 3 } },
      { name: "Write", input: { file_path: "/b.txt", content: "b" } },
      { name: "Edit", input: { file_path: "/project/a.txt", old_string: "x", new_string: "y" } },
      { name: "Bash", input: { command: "ls", description: "Run a command" } },
    ]);
  });

  it("turn intents into pi's tools, with the arguments its schemas know", () => {
    expect(plan([user("all")], { tools: piTools }).calls.map(({ name, input }) => ({ name, input }))).toEqual([
      { name: "read", input: { path: "/project/a.txt", offset: 3 } },
      { name: "write", input: { path: "/b.txt", content: "b" } },
      { name: "edit", input: { path: "/project/a.txt", edits: [{ oldText: "x", newText: "y" }] } },
      { name: "bash", input: { command: "ls" } },
    ]);
  });

  it("find an MCP tool behind its prefix", () => {
    expect(plan([user("bulk")]).calls).toMatchObject([{ name: "mcp__files__dump", input: { n: 1 } }]);
  });

  it("say so when the request offers no such tool", () => {
    expect(plan([user("bulk")], { tools: piTools })).toMatchObject({
      calls: [],
      text: "The request offers no tool for this step.",
    });
  });

  it("take the step from the model answers the request holds", () => {
    const start = [user("go")];
    const next = [...start, said("1"), user("result")];
    const last = [...next, said("2"), said("2, continued"), user("more")];
    expect(plan(start)).toMatchObject({ thinking: "hm", text: "Reading.", advanceMs: 0 });
    expect(plan(next)).toMatchObject({ calls: [], text: "First turn done.", advanceMs: 400_000 });
    expect(plan(last).calls).toMatchObject([{ name: "Anything", input: { deep: [1] } }]);
    expect(plan([...last, said("3"), user("x")])).toMatchObject({ calls: [], text: "Done." });
  });

  it("match on what the person wrote, not on the harness's notes before it", () => {
    expect(plan([user("<system-reminder>\nbulk\n</system-reminder>", "all of it")]).calls).toHaveLength(4);
  });

  it("give ids that differ within a conversation and repeat across runs", () => {
    const first = plan([user("go")]);
    expect(plan([user("go")])).toEqual(first);
    expect(plan([user("go")], { metadata: { user_id: "x" }, model: "other" })).toEqual(first);
    const ids = [
      ...first.calls,
      ...plan([user("other")]).calls,
      ...plan([user("go"), said("1"), user("r"), said("2"), user("m")]).calls,
    ].map((call) => call.id);
    expect(new Set(ids).size).toBe(5);
    expect(ids.every((id) => /^[0-9a-f]{24}$/.test(id))).toBe(true);
  });

  it("are plain text for a request without tools and for one that wants a summary", () => {
    expect(plan([user("all")], { tools: [] })).toMatchObject({ calls: [], text: "Simulated answer" });
    const summary = [
      user("go"),
      said("1"),
      user("Your task is to create a detailed summary of the conversation so far"),
    ];
    expect(plan(summary)).toMatchObject({ calls: [], thinking: null, text: expect.stringContaining("<summary>") });
  });
});

it.each<[string, JsonObject, string | null]>([
  ["not at all without being asked", {}, null],
  ["not at all when switched off", { thinking: { type: "disabled" } }, null],
  ["in full", { thinking: { type: "adaptive" } }, "hm"],
  ["as a signature alone", { thinking: { type: "adaptive", display: "omitted" } }, ""],
])("thinking is shown %s", (_name, request, shown) => {
  expect(shownThinking(request, "hm")).toBe(shown);
});

const withTool = (tool: unknown): unknown => ({ scripts: [{ match: "", steps: [{ tools: [tool] }] }] });

describe("a scenario from outside", () => {
  it("passes when it is one", () => {
    expect(parseScenario(JSON.parse(JSON.stringify(scenario)))).toEqual({ ok: true, value: scenario });
  });

  it("passes with every switch of its provider", () => {
    const switched = {
      scripts: [],
      cacheEdits: { ...CACHE_EDIT_SHAPE, betaHeader: null },
      enforces: false,
      windowTokens: 1_000,
      cacheFigures: "null",
      thoughtSignatures: true,
      reasoningContent: false,
    };
    expect(parseScenario(switched)).toEqual({ ok: true, value: switched });
    expect(cacheEditsOf({ scripts: [] })).toBeNull();
    expect(cacheEditsOf({ scripts: [], cacheEdits: { blockType: "cuts" } })).toEqual({
      ...CACHE_EDIT_SHAPE,
      blockType: "cuts",
    });
  });

  it.each<[unknown, string]>([
    [
      null,
      "expected a scenario { scripts, workdir, cacheEdits, enforces, windowTokens, cacheFigures, … }, got nothing",
    ],
    [{ scripts: [{ match: "(", steps: [{ text: "x" }] }] }, 'scripts[0].match: expected a regular expression, got "("'],
    [{ scripts: [{ match: "", steps: [] }] }, "scripts[0].steps: expected a list of at least one step, got []"],
    [{ scripts: [{ match: "", steps: [{ say: "x" }] }] }, "scripts[0].steps[0].say: unknown key"],
    [withTool({ do: "dance" }), 'tools[0].do: expected one of read, write, edit, bash, mcp, got "dance"'],
    [withTool({ do: "read", pth: "a" }), "tools[0].path: expected a text that is not empty, got nothing"],
    [withTool({ name: "Read", inptu: {} }), "tools[0].inptu: unknown key"],
    [{ scripts: [], cacheEdits: { name: "x" } }, "cacheEdits.name: unknown key"],
    [{ scripts: [], cacheEdits: { blockType: "" } }, "cacheEdits.blockType: expected a name that is not empty"],
    [{ scripts: [], enforces: "no" }, 'enforces: expected true or false, got "no"'],
    [{ scripts: [], windowTokens: 0 }, "windowTokens: expected a whole number from 1, got 0"],
    [{ scripts: [], cacheFigures: "none" }, 'cacheFigures: expected "zero" or "null", got "none"'],
    [withTool("Read"), 'tools[0]: expected a call { name, input } or an intent { do, … }, got "Read"'],
  ])("is refused with its place and reason: %j", (value, words) => {
    const parsed = parseScenario(value);
    expect(parsed.ok ? [] : parsed.problems).toContainEqual(expect.stringContaining(words));
  });
});
