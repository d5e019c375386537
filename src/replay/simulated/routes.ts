import type { IncomingMessage, ServerResponse } from "node:http";
import type { JsonValue } from "../../model/json.ts";
import { anthropicMessagesApi } from "./anthropic-messages.ts";
import type { ApiCall, SimulatedApi } from "./api.ts";
import type { ReadBody } from "./body.ts";
import type { ExchangeEnd } from "./capture.ts";
import { handleControl } from "./control.ts";
import type { Fault } from "./fault.ts";
import { geminiApi } from "./gemini/index.ts";
import { anthropicList, geminiList, openaiList, unstatedModels } from "./models.ts";
import { openaiChatApi } from "./openai-chat/index.ts";
import { openaiResponsesApi } from "./openai-responses/index.ts";
import { costAt } from "./price.ts";
import { invalid, type Refusal, refusal } from "./refusal.ts";
import { breakOff, sendEvents, sendJson } from "./responses.ts";
import type { Simulator } from "./simulator.ts";

/** One HTTP exchange, its body read. */
export interface Call {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly body: ReadBody;
  readonly atMs: number;
}

const APIS: readonly SimulatedApi[] = [anthropicMessagesApi, openaiChatApi, openaiResponsesApi, geminiApi];
const UPGRADE_REQUIRED = 426;

/** Answers one request and captures it; control requests are not captured. */
export async function handle(simulator: Simulator, call: Call): Promise<void> {
  const { path, query } = placeOf(call.request);
  if (path.startsWith("/_sim/")) {
    handleControl(simulator, call, path);
    return;
  }
  const bytes = call.body.ok ? call.body.bytes : new Uint8Array();
  const number = simulator.capture.open(call.request, bytes, call.atMs);
  const end = await route(simulator, call, { path, query, number });
  simulator.capture.settle(number, { status: call.response.statusCode, end });
}

interface Route {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly number: number;
}

async function route(simulator: Simulator, call: Call, { path, query, number }: Route): Promise<ExchangeEnd> {
  const { response, request } = call;
  const method = request.method ?? "";
  for (const api of APIS) {
    const asked = api.callOf(method, path, query);
    if (asked !== null) return answer(simulator, call, { api, asked, number });
  }
  nameRequest(call, anthropicMessagesApi.requestIdHeader, number);
  if (method === "GET" && /^\/v1(?:beta)?\/models$/.test(path))
    return sendJson(response, 200, modelList(simulator, call, path));
  if (method === "GET" && path === "/v1/responses") {
    const error = { message: "This server takes no WebSocket connections.", type: "invalid_request_error" };
    return sendJson(response, UPGRADE_REQUIRED, { error }, { upgrade: "HTTP/1.1" });
  }
  if (path === "/api/hello" && (method === "HEAD" || method === "OPTIONS")) {
    response.writeHead(200).end();
    return "whole";
  }
  const context = { api: anthropicMessagesApi, asked: UNKNOWN, number };
  return refuse(simulator, call, context, refusal(404, `Not found: ${method} ${path}`));
}

const UNKNOWN: ApiCall = { purpose: "generate", model: null, stream: "none" };

interface Context {
  readonly api: SimulatedApi;
  readonly asked: ApiCall;
  readonly number: number;
}

async function answer(simulator: Simulator, call: Call, context: Context): Promise<ExchangeEnd> {
  const { response, atMs } = call;
  const { api, asked, number } = context;
  nameRequest(call, api.requestIdHeader, number);
  const fault = asked.purpose === "generate" ? simulator.takeFault() : null;
  if (fault !== null && "status" in fault) return fail(simulator, call, context, fault);
  const parsed = parse(call.body);
  if (!parsed.ok) return refuse(simulator, call, context, parsed.refusal);
  const answered = simulator.answer(api, { call: asked, body: parsed.value, headers: call.request.headers, atMs });
  if (!answered.ok) return refuse(simulator, call, context, answered.refusal);
  const { message, stream, billed } = answered;
  if (billed !== null) {
    const { bill, facts } = billed;
    simulator.capture.settle(number, { usage: bill, costUsd: costAt(bill, facts, atMs) });
  }
  const end =
    stream !== null
      ? await sendEvents(response, stream, fault)
      : fault !== null
        ? breakOff(response)
        : sendJson(response, 200, message);
  if (end === "whole") simulator.advance(answered.advanceMs);
  return end;
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
  context: Context,
  fault: Extract<Fault, { readonly status: number }>,
): ExchangeEnd {
  const headers = fault.retryAfter === undefined ? {} : { "retry-after": String(fault.retryAfter) };
  return refuse(simulator, call, context, refusal(fault.status, "Injected fault."), headers);
}

function refuse(
  simulator: Simulator,
  call: Call,
  { api, asked, number }: Context,
  refused: Refusal,
  headers: Readonly<Record<string, string>> = {},
): ExchangeEnd {
  simulator.capture.settle(number, { errorMessage: refused.words });
  return sendJson(call.response, refused.status, api.errorBody(refused, asked), headers);
}

function nameRequest({ response }: Call, header: string | null, number: number): void {
  if (header !== null) response.setHeader(header, `req_sim_${String(number).padStart(8, "0")}`);
}

/** Gemini has a path of its own; a bearer token alone is how OpenAI is asked. */
function modelList({ rules }: Simulator, { request }: Call, path: string): JsonValue {
  const { openai, gemini } = rules.otherModels ?? unstatedModels;
  if (path === "/v1beta/models") return geminiList(gemini.modelIds);
  const { authorization, "anthropic-version": version, "x-api-key": key } = request.headers;
  const isOpenai = authorization !== undefined && version === undefined && key === undefined;
  return isOpenai ? openaiList(openai.modelIds) : anthropicList(rules.models.modelIds);
}

/** Clients join a base URL and a path with two slashes now and then. */
function placeOf(request: IncomingMessage): Pick<Route, "path" | "query"> {
  const [path = "/", query = ""] = (request.url ?? "/").split("?", 2);
  return { path: path.replace(/\/{2,}/g, "/"), query: new URLSearchParams(query) };
}
