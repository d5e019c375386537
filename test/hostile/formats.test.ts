import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { send } from "../support/proxy/client.ts";
import { type FakeUpstream, startUpstream } from "../support/proxy/fake-upstream.ts";
import { type System, startSystem } from "./support/system.ts";

const FILE = Array.from({ length: 200 }, (_, line) => `const value${line} = ${line};`).join("\n");
const ARGUMENTS = '{"path":"/w/a.ts"}';
const SCHEMA = { type: "object", properties: {} };

let dataFolder = "";
let upstream: FakeUpstream;
let system: System;

beforeEach(async () => {
  dataFolder = mkdtempSync(join(tmpdir(), "ebb-hostile-"));
  upstream = await startUpstream();
  system = await startSystem({ upstream: upstream.url, dataFolder });
});

afterEach(async () => {
  await system.close();
  await upstream.close();
  rmSync(dataFolder, { recursive: true });
});

async function post(path: string, body: object): Promise<string> {
  const headers = ["Content-Type", "application/json", "X-Session-Id", "s", "Session-Id", "s"];
  const { status } = await send(system.port, {
    method: "POST",
    path,
    headers,
    body: Buffer.from(JSON.stringify(body)),
  });
  expect(status).toBe(200);
  return upstream.received.at(-1)?.body.toString() ?? "";
}

const chatCall = { id: "c1", type: "function", function: { name: "read", arguments: ARGUMENTS } };
const chatTalk = [
  { role: "user", content: "go" },
  { role: "assistant", content: "I read." },
  { role: "user", content: "on" },
  { role: "assistant", content: null, tool_calls: [chatCall] },
  { role: "tool", tool_call_id: "c1", content: FILE },
];
const chat = (messages: readonly object[]) =>
  post("/v1/chat/completions", {
    model: "gpt-5.4",
    messages,
    tools: [{ type: "function", function: { name: "read", parameters: SCHEMA } }],
  });
const responses = () =>
  post("/v1/responses", {
    model: "gpt-5.4",
    store: false,
    input: [
      { role: "user", content: "go" },
      { role: "assistant", content: [{ type: "output_text", text: "I read." }] },
      { role: "user", content: "on" },
      { type: "function_call", call_id: "c1", name: "read", arguments: ARGUMENTS },
      { type: "function_call_output", call_id: "c1", output: FILE },
    ],
    tools: [{ type: "function", name: "read", parameters: SCHEMA }],
  });
const messages = () =>
  post("/v1/messages", {
    model: "claude-sonnet-4-5-20250929",
    max_tokens: 10,
    messages: [
      { role: "user", content: "go" },
      { role: "assistant", content: "I read." },
      { role: "user", content: "on" },
      { role: "assistant", content: [{ type: "tool_use", id: "c1", name: "read", input: JSON.parse(ARGUMENTS) }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "c1", content: FILE }] },
    ],
    tools: [{ name: "read", input_schema: SCHEMA }],
  });

/** Forms of the tools of a request. */
const formsOf = (body: string) =>
  new Set(
    JSON.parse(body).tools.map((tool: object) =>
      Object.keys(tool)
        .filter((key) => key !== "description")
        .join(),
    ),
  );

describe("a conversation that goes on in another format", () => {
  test("keeps its markers, and is offered tools in the form of each format alone", async () => {
    await chat(chatTalk.slice(0, 1));
    const first = await chat(chatTalk);
    expect(first).toContain('"name":"ebb_recall"');
    const marker = JSON.parse(first).messages[4].content;
    expect(marker).toMatch(/^\[ebb /);
    for (const send of [responses, messages, responses, () => chat(chatTalk)]) {
      const body = await send();
      expect(formsOf(body).size).toBe(1);
      expect(body).toContain(JSON.stringify(marker));
      expect(body).not.toContain(JSON.stringify(FILE));
    }
    expect(await system.stats()).toMatchObject({ law_violations: 0, errors: [] });
  });
});
