import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createTokenCounter } from "../keeper/token-counter.ts";
import { TOOL_DEFINITIONS, type ToolDefinition } from "./definitions.ts";

const GUIDE = readFileSync(join(import.meta.dirname, "../../docs/guides/mcp.md"), "utf8");

/** As a client sends them, with the prefix of Claude Code. */
function tokensOf(definitions: readonly ToolDefinition[]): number {
  const counter = createTokenCounter();
  const sent = definitions.map(({ name, description, inputSchema }) => {
    return JSON.stringify({ name: `mcp__ebb__${name}`, description, input_schema: inputSchema });
  });
  return sent.reduce((tokens, text) => tokens + counter.count(text), 0);
}

test("the definitions cost what the guide says, and stay under 700 tokens", () => {
  const all = tokensOf(TOOL_DEFINITIONS);
  const recall = tokensOf(TOOL_DEFINITIONS.filter(({ name }) => name === "recall"));
  expect(GUIDE.replaceAll("\n", " ")).toContain(
    `Those of all four are ${all} estimated tokens, those of \`recall\` alone ${recall}.`,
  );
  expect(all).toBeLessThan(700);
});

test("only recall is asked to be at hand always, because markers name it", () => {
  expect(TOOL_DEFINITIONS.filter(({ _meta }) => _meta !== undefined).map(({ name }) => name)).toEqual(["recall"]);
});
