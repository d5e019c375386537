import { describe, expect, it } from "vitest";
import { sampleOf } from "./sample.ts";
import { countRuns, firstSpokenIn, lastSpokenIn, workdirIn } from "./talk.ts";

describe("what a person wrote", () => {
  it("is found behind what a client puts in front of it", () => {
    const texts = [["<environment_context>\n<cwd>/w</cwd>"], ["<session_context>x</session_context>", "go"], ["more"]];
    expect(firstSpokenIn(texts)).toBe("go");
    expect(lastSpokenIn([...texts, ["<system-reminder>x"]])).toBe("more");
  });

  it("is the client's own text where there is no other", () => {
    expect(firstSpokenIn([["<system-reminder>x"]])).toBe("<system-reminder>x");
    expect(firstSpokenIn([])).toBe("");
    expect(lastSpokenIn([["<system-reminder>x"]])).toBe("");
  });
});

it.each([
  ["Claude Code", " - Primary working directory: /w\nmore"],
  ["pi", "Current working directory: /w"],
  ["Codex", "<environment_context>\n  <cwd>/w</cwd>\n"],
  ["Gemini CLI", "- **Workspace Directories:**\n  - /w\n"],
  ["Gemini CLI before", "I'm currently working in the directory: /w\n"],
])("the working directory is read as %s states it", (_client, text) => {
  expect(workdirIn(["nothing", text])).toBe("/w");
});

it("neighbours of the model's are one answer", () => {
  expect(countRuns([false, true, true, false, true])).toBe(2);
});

it("a sample of a schema has the types it asks for, however deep it refers", () => {
  const schema = {
    type: "object",
    properties: {
      kind: { const: "a" },
      either: { anyOf: [{ type: "number", minimum: 3 }, { type: "string" }] },
      text: { type: ["string", "null"] },
      nothing: { type: "null" },
      inner: { type: "OBJECT", properties: { flag: { type: "BOOLEAN" } } },
    },
  };
  expect(sampleOf(schema)).toEqual({ kind: "a", either: 3, text: "simulated", nothing: null, inner: { flag: false } });
  let deep: object = { type: "string" };
  for (let level = 0; level < 100; level += 1) deep = { type: "object", properties: { deep } };
  expect(JSON.stringify(sampleOf(JSON.parse(JSON.stringify(deep)))).length).toBeLessThan(1_000);
});
