import { expect, test } from "vitest";
import { ebbToolOf } from "../engine/recall-channel.ts";
import { TOOL_DEFINITIONS } from "./definitions.ts";
import { inlineDefinitions } from "./inline-definitions.ts";

test("the tools are offered under names that are known for Ebb's, with the words they have elsewhere", () => {
  const [recall] = TOOL_DEFINITIONS;
  expect(inlineDefinitions("recall")).toEqual([
    { name: "ebb_recall", description: recall?.description, inputSchema: recall?.inputSchema },
  ]);
  const all = inlineDefinitions("all");
  expect(all.map(({ name }) => ebbToolOf(name))).toEqual(TOOL_DEFINITIONS.map(({ name }) => name));
  for (const definition of all) expect(Object.keys(definition)).not.toContain("_meta");
});
