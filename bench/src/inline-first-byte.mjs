// Time to the first and to the last byte of a streamed answer, and of each event on its way: direct, through `ebb proxy` with no
// tool of its own, and with `ebb_recall` offered (and never called). A conversation that grows step by step; every step goes all
// three ways, in turn. Once all events of an answer come in one go, once they come one by one.
// Usage: node bench/src/inline-first-byte.mjs [--steps 120] [--json]
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { Agent, createServer, request } from "node:http";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";

const PROGRAM = resolve(import.meta.dirname, "../../bin/ebb.mjs");
const RESULT_BYTES = 2_000;
/** `event`: from the upstream to the client, of all events but the first. */
const LABELS = { first: "first byte", there: "way there", back: "way back", event: "event", last: "last byte" };
/** How an answer is streamed: so many deltas, with a pause behind each event. */
const PACES = {
  burst: { deltas: 100, pauseMs: 0 },
  "one by one": { deltas: 12, pauseMs: 2 },
};
const LF = 0x0a;
const WARM_UP_STEPS = 20; // a proxy is a long-lived process: its code is compiled by the time it matters

const argument = process.argv.indexOf("--steps");
const steps = (argument === -1 ? 120 : Number(process.argv[argument + 1])) + WARM_UP_STEPS;
const agent = new Agent({ keepAlive: true });
const scratch = mkdtempSync(join(tmpdir(), "ebb-bench-"));

const upstream = await startUpstream();
const off = await startEbb("off");
const on = await startEbb("recall");
const lanes = [
  { name: "direct", port: upstream.port, offered: false },
  { name: "off", port: off.port, offered: false },
  { name: "recall", port: on.port, offered: true },
];
try {
  const results = [];
  for (const pace of Object.keys(PACES)) results.push(await measure(pace));
  report(results);
} finally {
  for (const { child } of [off, on]) {
    child.kill("SIGTERM");
    await once(child, "exit");
  }
  agent.destroy();
  upstream.server.close();
  rmSync(scratch, { recursive: true });
}

async function measure(pace) {
  const messages = [{ role: "user", content: `please look at the files (${pace})` }];
  const times = new Map(lanes.map(({ name }) => [name, []]));
  const sizes = [];
  for (let step = 0; step < steps; step++) {
    const body = bodyOf(messages);
    if (step >= WARM_UP_STEPS) sizes.push(body.length);
    for (let turn = 0; turn < lanes.length; turn++) {
      const lane = lanes[(step + turn) % lanes.length];
      const time = await post(lane.port, body, step, pace);
      if (upstream.last.includes('"ebb_recall"') !== lane.offered) throw new Error(`${lane.name}: wrong tools`);
      if (step >= WARM_UP_STEPS) times.get(lane.name).push(time);
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
  return { pace, sizes, times };
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
    { type: "text", text: "word ".repeat(PACES.burst.deltas) },
    { type: "tool_use", id: `toolu_${step}`, name: "read", input: { path: `file-${step}.ts` } },
  ];
}

function post(port, body, step, pace) {
  return new Promise((done, failed) => {
    const headers = {
      "content-type": "application/json",
      "content-length": body.length,
      "x-api-key": "key",
      "x-step": step,
      "x-pace": pace,
    };
    const start = process.hrtime.bigint();
    const since = (at) => Number(at - start) / 1e6;
    const sent = request(
      { host: "127.0.0.1", port, path: "/v1/messages", method: "POST", headers, agent },
      (response) => {
        const arrivals = [];
        let isBlank = false;
        response.on("data", (chunk) => {
          const at = process.hrtime.bigint();
          for (const byte of chunk) {
            if (byte === LF && isBlank) arrivals.push(at);
            isBlank = byte === LF;
          }
        });
        response.once("end", () => done(timesOf(arrivals, upstream.sentAt, since)));
        response.once("error", failed);
      },
    );
    sent.once("error", failed);
    sent.end(body);
  });
}

/** What lies in front of the upstream's first event is the way there, what lies behind it the way back. */
function timesOf(arrivals, sentAt, since) {
  if (arrivals.length !== sentAt.length) throw new Error("another count of events came than was sent");
  const first = since(arrivals[0]);
  const there = since(sentAt[0]);
  const delays = sentAt.map((at, index) => since(arrivals[index]) - since(at)).slice(1);
  return { first, there, back: first - there, event: middleOf(delays), last: since(arrivals.at(-1)) };
}

/** Answers at once, at the pace it is asked for. */
async function startUpstream() {
  const seen = { last: "", sentAt: [] };
  const server = createServer(async (incoming, response) => {
    const chunks = [];
    for await (const chunk of incoming) chunks.push(chunk);
    seen.last = Buffer.concat(chunks).toString("utf8");
    seen.sentAt = [];
    response.writeHead(200, { "content-type": "text/event-stream" });
    const { deltas, pauseMs } = PACES[incoming.headers["x-pace"]];
    for (const event of eventsOf(Number(incoming.headers["x-step"]), deltas)) {
      if (pauseMs > 0 && seen.sentAt.length > 0) await setTimeout(pauseMs);
      seen.sentAt.push(process.hrtime.bigint());
      response.write(event);
    }
    response.end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return Object.assign(seen, { server, port: server.address().port });
}

function eventsOf(step, deltas) {
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
    ...Array.from({ length: deltas }, () =>
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

function report(results) {
  const told = results.map(({ pace, sizes, times }) => {
    const rows = Array.from(times, ([name, all]) => ({ name, ...mediansOf(all) }));
    return { pace, range: { from: sizes[0], to: sizes.at(-1), steps: sizes.length }, rows };
  });
  if (process.argv.includes("--json")) return console.log(JSON.stringify(told, null, 2));
  for (const { pace, range, rows } of told) {
    console.log(`${pace}: ${range.steps} steps, bodies of ${range.from} to ${range.to} bytes; medians in ms`);
    for (const { name, ...medians } of rows) console.log(`  ${lineOf(name, medians)}`);
    const [, without, offered] = rows;
    const ratios = Object.keys(LABELS).map((member) => [member, offered[member] / without[member]]);
    console.log(`  ${lineOf("recall / off", Object.fromEntries(ratios))}`);
  }
}

function lineOf(name, values) {
  const parts = Object.entries(LABELS).map(([member, label]) => `${label} ${values[member].toFixed(2)}`);
  return `${name.padEnd(13)} ${parts.join("  ")}`;
}

function mediansOf(times) {
  return Object.fromEntries(Object.keys(LABELS).map((member) => [member, middleOf(times.map((time) => time[member]))]));
}

function middleOf(values) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}
