// Time to the first and to the last byte of a streamed answer: direct, through `ebb proxy` with no tool of its own, and with
// `ebb_recall` offered (and never called). One conversation that grows step by step; every step goes all three ways, in turn.
// Usage: node bench/src/inline-first-byte.mjs [--steps 120] [--json]
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { Agent, createServer, request } from "node:http";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";

const PROGRAM = resolve(import.meta.dirname, "../../bin/ebb.mjs");
const RESULT_BYTES = 2_000;
const DELTAS = 100;
const WARM_UP_STEPS = 20; // a proxy is a long-lived process: its code is compiled by the time it matters

const argument = process.argv.indexOf("--steps");
const steps = (argument === -1 ? 120 : Number(process.argv[argument + 1])) + WARM_UP_STEPS;
const agent = new Agent({ keepAlive: true });
const scratch = mkdtempSync(join(tmpdir(), "ebb-bench-"));

const upstream = await startUpstream();
const off = await startEbb("off");
const on = await startEbb("recall");
const lanes = [
  { name: "direct", port: upstream.port, offered: false, times: [] },
  { name: "off", port: off.port, offered: false, times: [] },
  { name: "recall", port: on.port, offered: true, times: [] },
];
try {
  await measure();
  report();
} finally {
  for (const { child } of [off, on]) {
    child.kill("SIGTERM");
    await once(child, "exit");
  }
  agent.destroy();
  upstream.server.close();
  rmSync(scratch, { recursive: true });
}

async function measure() {
  const messages = [{ role: "user", content: "please look at the files" }];
  for (let step = 0; step < steps; step++) {
    const body = bodyOf(messages);
    for (let turn = 0; turn < lanes.length; turn++) {
      const lane = lanes[(step + turn) % lanes.length];
      const time = await post(lane.port, body, step);
      if (upstream.last.includes('"ebb_recall"') !== lane.offered) throw new Error(`${lane.name}: wrong tools`);
      if (step >= WARM_UP_STEPS) lane.times.push({ bytes: body.length, ...time });
    }
    const line = `export const value${step} = ${step};\n`;
    messages.push(
      { role: "assistant", content: answerOf(step) },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: `toolu_${step}`, content: line.repeat(RESULT_BYTES / line.length) },
        ],
      },
    );
  }
}

function bodyOf(messages) {
  const last = messages.length - 1;
  const marked = messages.map((message, index) => (index === last ? withBreakpoint(message) : message));
  const tools = ["read", "edit", "bash"].map((name) => ({ name, description: name, input_schema: { type: "object" } }));
  const system = [{ type: "text", text: "You are an agent.", cache_control: { type: "ephemeral" } }];
  return Buffer.from(
    JSON.stringify({ model: "claude-sonnet-4-6", max_tokens: 1_000, stream: true, system, tools, messages: marked }),
  );
}

function withBreakpoint({ role, content }) {
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
  return { role, content: blocks.map((block) => ({ ...block, cache_control: { type: "ephemeral" } })) };
}

function answerOf(step) {
  return [
    { type: "text", text: "word ".repeat(DELTAS) },
    { type: "tool_use", id: `toolu_${step}`, name: "read", input: { path: `file-${step}.ts` } },
  ];
}

function post(port, body, step) {
  return new Promise((done, failed) => {
    const headers = {
      "content-type": "application/json",
      "content-length": body.length,
      "x-api-key": "key",
      "x-step": step,
    };
    const start = process.hrtime.bigint();
    const since = () => Number(process.hrtime.bigint() - start) / 1e6;
    const sent = request(
      { host: "127.0.0.1", port, path: "/v1/messages", method: "POST", headers, agent },
      (response) => {
        let first = null;
        response.on("data", () => {
          first ??= since();
        });
        // What lies behind the provider's first byte is the way back alone.
        response.once("end", () =>
          done({ first, last: since(), back: first - Number(upstream.answeredAt - start) / 1e6 }),
        );
        response.once("error", failed);
      },
    );
    sent.once("error", failed);
    sent.end(body);
  });
}

/** Answers at once, event by event. */
async function startUpstream() {
  const seen = { last: "", answeredAt: 0n };
  const server = createServer(async (incoming, response) => {
    const chunks = [];
    for await (const chunk of incoming) chunks.push(chunk);
    seen.last = Buffer.concat(chunks).toString("utf8");
    response.writeHead(200, { "content-type": "text/event-stream" });
    seen.answeredAt = process.hrtime.bigint();
    for (const event of eventsOf(Number(incoming.headers["x-step"]))) response.write(event);
    response.end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return Object.assign(seen, { server, port: server.address().port });
}

function eventsOf(step) {
  const [, call] = answerOf(step);
  const event = (type, members) => `event: ${type}\ndata: ${JSON.stringify({ type, ...members })}\n\n`;
  const usage = { input_tokens: 10, output_tokens: 10, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 };
  const message = {
    id: `msg_${step}`,
    type: "message",
    role: "assistant",
    model: "m",
    content: [],
    stop_reason: null,
    usage,
  };
  const json = JSON.stringify(call.input);
  return [
    event("message_start", { message }),
    event("content_block_start", { index: 0, content_block: { type: "text", text: "" } }),
    ...Array.from({ length: DELTAS }, () =>
      event("content_block_delta", { index: 0, delta: { type: "text_delta", text: "word " } }),
    ),
    event("content_block_stop", { index: 0 }),
    event("content_block_start", { index: 1, content_block: { ...call, input: {} } }),
    event("content_block_delta", { index: 1, delta: { type: "input_json_delta", partial_json: json } }),
    event("content_block_stop", { index: 1 }),
    event("message_delta", { delta: { stop_reason: "tool_use" }, usage }),
    event("message_stop", {}),
  ];
}

async function startEbb(inlineTools) {
  const config = join(scratch, `${inlineTools}.yaml`);
  writeFileSync(config, `inline_tools: "${inlineTools}"\nlog_level: silent\n`);
  const folder = join(scratch, inlineTools);
  const address = `http://127.0.0.1:${upstream.port}`;
  const args = ["proxy", "--port", "0", "--upstream", address, "--config", config, "--data-folder", folder];
  const child = spawn(process.execPath, [PROGRAM, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  for await (const line of createInterface({ input: child.stdout })) {
    const port = /http:\/\/127\.0\.0\.1:(\d+) /.exec(line)?.[1];
    if (port !== undefined) return { child, port: Number(port) };
  }
  throw new Error("ebb proxy ended");
}

function report() {
  const rows = lanes.map(({ name, times }) => ({
    name,
    first: medianOf(times, "first"),
    back: medianOf(times, "back"),
    last: medianOf(times, "last"),
  }));
  const sizes = lanes[0].times.map(({ bytes }) => bytes);
  const range = { from: sizes[0], to: sizes.at(-1), steps: sizes.length };
  if (process.argv.includes("--json")) return console.log(JSON.stringify({ range, rows }, null, 2));
  const [, without, offered] = rows;
  console.log(`${range.steps} steps, bodies of ${range.from} to ${range.to} bytes; medians in ms`);
  for (const { name, first, back, last } of rows) {
    console.log(
      `${name.padEnd(8)} first byte ${first.toFixed(2)} (way back ${back.toFixed(2)})  last byte ${last.toFixed(2)}`,
    );
  }
  const ratio = (member) => (offered[member] / without[member]).toFixed(2);
  console.log(`recall / off: first byte ${ratio("first")}, way back ${ratio("back")}, last byte ${ratio("last")}`);
}

function medianOf(times, member) {
  const sorted = times.map((time) => time[member]).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}
