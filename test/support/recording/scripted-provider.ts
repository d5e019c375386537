import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A tool call the provider asks for. */
export interface ScriptedCall {
  readonly name: string;
  readonly input: object;
}

/** One answer. `before` runs once, when the answer is first asked for: a hand outside the client, changing a file. */
export interface ScriptedStep {
  readonly thinking?: string;
  readonly text?: string;
  readonly calls?: readonly ScriptedCall[];
  readonly before?: () => void;
}

/** The answers to conversations in which `match` stands in some user text; answer n follows n assistant messages. */
export interface Script {
  readonly match: string;
  readonly steps: readonly ScriptedStep[];
}

export interface RecordedBody {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

export interface ScriptedProvider {
  readonly url: string;
  /** Bodies of `/v1/messages`, as received, in order. */
  readonly bodies: readonly RecordedBody[];
  close(): Promise<void>;
}

interface Block {
  readonly type?: string;
  readonly text?: string;
}

interface Body {
  readonly model?: string;
  readonly stream?: boolean;
  readonly thinking?: { readonly type?: string };
  readonly messages?: readonly { readonly role: string; readonly content: string | readonly Block[] }[];
  readonly tools?: readonly unknown[];
}

/** A provider on 127.0.0.1 that plays scripts and keeps what it received; for recording what clients send. */
export async function startScriptedProvider(scripts: readonly Script[]): Promise<ScriptedProvider> {
  const bodies: RecordedBody[] = [];
  const done = new Set<ScriptedStep>();
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await readAll(request);
    const path = new URL(request.url ?? "/", "http://127.0.0.1").pathname;
    if (path.endsWith("/count_tokens")) return sendJson(response, { input_tokens: text.length });
    if (request.method !== "POST" || !path.endsWith("/v1/messages")) return sendJson(response, { data: [] });
    bodies.push({ path, headers: request.headers, text });
    const body = JSON.parse(text) as Body;
    const step = stepFor(body, scripts);
    if (step.before !== undefined && !done.has(step)) step.before();
    done.add(step);
    sendMessage(response, body, step, bodies.length);
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    bodies,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function stepFor(body: Body, scripts: readonly Script[]): ScriptedStep {
  const messages = body.messages ?? [];
  if ((body.tools ?? []).length === 0) return { text: "A title" };
  const userText = messages.filter((message) => message.role === "user").map((message) => textOf(message.content));
  if (/detailed summary of (the|this|our) conversation/i.test(userText.at(-1) ?? "")) {
    return { text: "<analysis>none</analysis>\n<summary>\nWork on [after-compact] goes on.\n</summary>" };
  }
  const script = scripts.find((each) => userText.some((text) => text.includes(`[${each.match}]`)));
  const answered = messages.filter((message) => message.role === "assistant").length;
  return script?.steps[answered] ?? { text: "Done." };
}

function textOf(content: string | readonly Block[]): string {
  return typeof content === "string" ? content : content.map((block) => block.text ?? "").join("\n");
}

function sendMessage(response: ServerResponse, body: Body, step: ScriptedStep, sequence: number): void {
  const content = blocksOf(body, step, sequence);
  const usage = { input_tokens: 10, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 5 };
  const stop_reason = step.calls === undefined ? "end_turn" : "tool_use";
  const id = `msg_${String(sequence).padStart(4, "0")}`;
  const head = { id, type: "message", role: "assistant", model: body.model, stop_sequence: null };
  if (body.stream !== true) {
    sendJson(response, { ...head, content: content.map((block) => block.whole), stop_reason, usage });
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send = (type: string, rest: object): void => {
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`);
  };
  send("message_start", { message: { ...head, content: [], stop_reason: null, usage } });
  content.forEach((block, index) => {
    send("content_block_start", { index, content_block: block.start });
    for (const delta of block.deltas) send("content_block_delta", { index, delta });
    send("content_block_stop", { index });
  });
  send("message_delta", { delta: { stop_reason, stop_sequence: null }, usage });
  send("message_stop", {});
  response.end();
}

interface SentBlock {
  readonly whole: object;
  readonly start: object;
  readonly deltas: readonly object[];
}

function blocksOf(body: Body, step: ScriptedStep, sequence: number): readonly SentBlock[] {
  const blocks: SentBlock[] = [];
  if (step.thinking !== undefined && body.thinking !== undefined && body.thinking.type !== "disabled") {
    const signature = createHash("sha256").update(step.thinking).digest("base64");
    const deltas = [
      { type: "thinking_delta", thinking: step.thinking },
      { type: "signature_delta", signature },
    ];
    const whole = { type: "thinking", thinking: step.thinking, signature };
    blocks.push({ whole, start: { type: "thinking", thinking: "", signature: "" }, deltas });
  }
  if (step.text !== undefined) {
    const deltas = [{ type: "text_delta", text: step.text }];
    blocks.push({ whole: { type: "text", text: step.text }, start: { type: "text", text: "" }, deltas });
  }
  (step.calls ?? []).forEach((call, index) => {
    const id = `toolu_${String(sequence).padStart(4, "0")}${index}`;
    const deltas = [{ type: "input_json_delta", partial_json: JSON.stringify(call.input) }];
    const whole = { type: "tool_use", id, name: call.name, input: call.input };
    blocks.push({ whole, start: { ...whole, input: {} }, deltas });
  });
  return blocks;
}

function sendJson(response: ServerResponse, value: object): void {
  const text = JSON.stringify(value);
  response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(text) });
  response.end(text);
}

async function readAll(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString("utf8");
}
