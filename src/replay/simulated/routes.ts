import type { IncomingMessage, ServerResponse } from "node:http";
import type { JsonValue } from "../../model/json.ts";
import { betasOf } from "./betas.ts";
import type { ReadBody } from "./body.ts";
import type { ExchangeEnd } from "./capture.ts";
import { handleControl } from "./control.ts";
import { eventsOf } from "./events.ts";
import type { Fault } from "./fault.ts";
import { isObject, stringOf } from "./json.ts";
import { costAt } from "./price.ts";
import { errorBody, invalid, type Refusal, refusal } from "./refusal.ts";
import { breakOff, sendEvents, sendJson } from "./responses.ts";
import type { Simulator } from "./simulator.ts";

/** One HTTP exchange, its body read. */
export interface Call {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly body: ReadBody;
  readonly atMs: number;
}

/** Answers one request and captures it; control requests are not captured. */
export async function handle(simulator: Simulator, call: Call): Promise<void> {
  const path = pathOf(call.request);
  if (path.startsWith("/_sim/")) {
    handleControl(simulator, call, path);
    return;
  }
  const bytes = call.body.ok ? call.body.bytes : new Uint8Array();
  const number = simulator.capture.open(call.request, bytes, call.atMs);
  call.response.setHeader("request-id", `req_sim_${String(number).padStart(8, "0")}`);
  const end = await route(simulator, call, { path, number });
  simulator.capture.settle(number, { status: call.response.statusCode, end });
}

interface Route {
  readonly path: string;
  readonly number: number;
}

async function route(simulator: Simulator, call: Call, { path, number }: Route): Promise<ExchangeEnd> {
  const { response, request } = call;
  if (request.method === "POST" && path === "/v1/messages") return answerMessages(simulator, call, number);
  if (request.method === "POST" && path === "/v1/messages/count_tokens") return answerCount(simulator, call, number);
  if (request.method === "GET" && path === "/v1/models") return sendJson(response, 200, modelList(simulator));
  if (path === "/api/hello" && (request.method === "HEAD" || request.method === "OPTIONS")) {
    response.writeHead(200).end();
    return "whole";
  }
  return refuse(simulator, call, number, refusal(404, `Not found: ${request.method} ${path}`));
}

async function answerMessages(simulator: Simulator, call: Call, number: number): Promise<ExchangeEnd> {
  const { response } = call;
  const fault = simulator.takeFault();
  if (fault !== null && "status" in fault) return fail(simulator, call, number, fault);
  const parsed = parse(call.body);
  if (!parsed.ok) return refuse(simulator, call, number, parsed.refusal);
  const answered = simulator.exchange(parsed.value, { atMs: call.atMs, betas: betasIn(call) });
  if (!answered.ok) return refuse(simulator, call, number, answered.refusal);
  const facts = simulator.rules.models.modelFacts(stringOf(answered.message.model));
  simulator.capture.settle(number, { usage: answered.bill, costUsd: costAt(answered.bill, facts, call.atMs) });
  const isStreaming = isObject(parsed.value) && parsed.value.stream === true;
  const end = isStreaming
    ? await sendEvents(response, eventsOf(answered.message), fault)
    : fault !== null
      ? breakOff(response)
      : sendJson(response, 200, answered.message);
  if (end === "whole") simulator.advance(answered.advanceMs);
  return end;
}

function answerCount(simulator: Simulator, call: Call, number: number): ExchangeEnd {
  const parsed = parse(call.body);
  if (!parsed.ok) return refuse(simulator, call, number, parsed.refusal);
  const counted = simulator.count(parsed.value, betasIn(call));
  if (!counted.ok) return refuse(simulator, call, number, counted.refusal);
  const { inputTokens, originalTokens } = counted;
  return sendJson(call.response, 200, {
    input_tokens: inputTokens,
    ...(originalTokens === null ? {} : { context_management: { original_input_tokens: originalTokens } }),
  });
}

function betasIn({ request }: Call): ReadonlySet<string> {
  return betasOf(request.headers["anthropic-beta"]);
}

type Parsed = { readonly ok: true; readonly value: JsonValue } | { readonly ok: false; readonly refusal: Refusal };

function parse(body: ReadBody): Parsed {
  if (!body.ok) return body;
  try {
    return { ok: true, value: JSON.parse(Buffer.from(body.bytes).toString("utf8")) };
  } catch {
    return { ok: false, refusal: invalid("The request body is not valid JSON.") };
  }
}

function fail(
  simulator: Simulator,
  call: Call,
  number: number,
  fault: Extract<Fault, { readonly status: number }>,
): ExchangeEnd {
  const headers = fault.retryAfter === undefined ? {} : { "retry-after": String(fault.retryAfter) };
  return refuse(simulator, call, number, refusal(fault.status, "Injected fault."), headers);
}

function refuse(
  simulator: Simulator,
  call: Call,
  number: number,
  refused: Refusal,
  headers: Readonly<Record<string, string>> = {},
): ExchangeEnd {
  simulator.capture.settle(number, { errorMessage: refused.words });
  return sendJson(call.response, refused.status, errorBody(refused), headers);
}

function modelList(simulator: Simulator): JsonValue {
  const ids = simulator.rules.models.modelIds;
  const data = ids.map((id) => ({ type: "model", id, display_name: id, created_at: "2026-01-01T00:00:00Z" }));
  return { data, has_more: false, first_id: ids[0] ?? null, last_id: ids.at(-1) ?? null };
}

/** Without query; clients join a base URL and a path with two slashes now and then. */
function pathOf(request: IncomingMessage): string {
  return (request.url ?? "/").split("?")[0]?.replace(/\/{2,}/g, "/") ?? "/";
}
