import { expect, test } from "vitest";
import type { CapturedRequest } from "../../replay/simulated/capture.ts";
import { differenceLines, firstRequestOf } from "./first-request.ts";

function requestOf(
  body: object,
  headers: Record<string, string> = {},
  url = "/v1/messages?beta=true",
): CapturedRequest {
  const bodyRaw = JSON.stringify(body);
  return {
    number: 1,
    atMs: 0,
    method: "POST",
    url,
    headers,
    bodyRaw,
    bodyBytes: bodyRaw.length,
    bodySha256: "",
    status: 200,
    errorMessage: null,
    usage: null,
    costUsd: null,
    end: "whole",
  };
}

const TOOLS = [{ name: "Read", description: "reads" }, { name: "Edit" }];
const BODY = {
  model: "m",
  max_tokens: 9,
  system: "You are.",
  tools: TOOLS,
  messages: [{ role: "user", content: "hi" }],
};

test("the first request is the one that begins a conversation, not one for a title or a count", () => {
  const title = requestOf({ model: "small", messages: [] });
  const count = requestOf(BODY, {}, "/v1/messages/count_tokens");
  const main = requestOf(BODY);
  expect(firstRequestOf([title, count, main])).toBe(main);
  expect(firstRequestOf([count, title])).toBe(title);
  expect(firstRequestOf([count])).toBeNull();
});

test("two requests that differ in nothing but their incidents are the same in words", () => {
  const one = requestOf(BODY, { host: "a:1", "anthropic-beta": "x, y", "x-claude-code-session-id": "1" });
  const other = requestOf(
    { ...BODY, metadata: { user_id: "u" } },
    { host: "b:2", "anthropic-beta": "y,x", "x-claude-code-session-id": "2" },
  );
  expect(differenceLines(one, other).slice(0, 6)).toEqual([
    "headers     the same",
    "beta flags  the same",
    "tools       the same",
    "system      the same 1 block",
    "parameters  the same",
    "messages    the same 1 block",
  ]);
});

test("what is added, not sent or changed is named, part by part", () => {
  const one = requestOf(BODY, { "anthropic-beta": "x,y", "x-app": "cli" });
  const changed = {
    ...BODY,
    max_tokens: 8,
    temperature: 1,
    system: ["You are.", "More."],
    tools: [{ name: "Read", description: "other" }, { name: "mcp__ebb__recall" }],
    messages: [{ role: "user", content: "hello" }],
  };
  const other = requestOf(changed, { "anthropic-beta": "x,z", "x-app": "sdk", "x-new": "1" });
  expect(differenceLines(one, other).slice(0, 6)).toEqual([
    "headers     added: x-new; changed: x-app",
    "beta flags  added: z; not sent: y",
    "tools       added: mcp__ebb__recall; not sent: Edit; changed: Read",
    "system      1 block without, 2 with Ebb; other text at 1, 2",
    "parameters  added: temperature; changed: max_tokens",
    "messages    1 block without, 1 with Ebb; other text at 1",
  ]);
});
