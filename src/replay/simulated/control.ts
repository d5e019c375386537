import type { JsonValue } from "../../model/json.ts";
import type { Checked } from "./checked.ts";
import { parseFault } from "./fault.ts";
import { isObject } from "./json.ts";
import { sendJson } from "./responses.ts";
import type { Call } from "./routes.ts";
import { parseScenario } from "./scenario.ts";
import type { Simulator } from "./simulator.ts";

/** Answers `/_sim/…`, by which another process reads and drives the provider. Loopback names only. */
export function handleControl(simulator: Simulator, call: Call, path: string): void {
  const { response, request } = call;
  if (!/^(?:127\.0\.0\.1|localhost)(?::\d+)?$/.test(request.headers.host ?? "")) {
    sendJson(response, 403, { error: "control requests are taken from this computer only" });
    return;
  }
  switch (`${request.method} ${path}`) {
    case "GET /_sim/requests":
      sendJson(response, 200, { dropped: simulator.capture.dropped(), requests: captured(simulator) });
      return;
    case "GET /_sim/clock":
      sendJson(response, 200, { nowMs: simulator.nowMs() });
      return;
    case "POST /_sim/clock":
      setClock(simulator, call);
      return;
    case "POST /_sim/scenario":
      setScenario(simulator, call);
      return;
    case "POST /_sim/fault":
      setFault(simulator, call);
      return;
    default:
      sendJson(response, 404, { error: `no control ${request.method} ${path}` });
  }
}

function captured(simulator: Simulator): readonly JsonValue[] {
  return simulator.capture.list().map((request) => ({
    ...request,
    headers: { ...request.headers },
    usage: request.usage === null ? null : { ...request.usage },
  }));
}

function setClock(simulator: Simulator, call: Call): void {
  const value = parsed(call);
  const ms = isObject(value) ? value.advanceMs : undefined;
  if (typeof ms !== "number" || ms < 0) {
    sendJson(call.response, 400, { error: "expected { advanceMs: milliseconds of at least 0 }" });
    return;
  }
  simulator.advance(ms);
  sendJson(call.response, 200, { nowMs: simulator.nowMs() });
}

function setScenario(simulator: Simulator, call: Call): void {
  const result = parseScenario(parsed(call));
  if (result.ok) simulator.setScenario(result.value);
  acknowledge(call, result);
}

function setFault(simulator: Simulator, call: Call): void {
  const result = parseFault(parsed(call));
  if (result.ok) simulator.setFault(result.value);
  acknowledge(call, result);
}

function acknowledge(call: Call, result: Checked<unknown>): void {
  if (result.ok) sendJson(call.response, 200, { ok: true });
  else sendJson(call.response, 400, { error: result.problems.join("\n") });
}

/** Null for a body that is not JSON: the checks above then say what they expected. */
function parsed(call: Call): JsonValue {
  if (!call.body.ok) return null;
  try {
    return JSON.parse(Buffer.from(call.body.bytes).toString("utf8"));
  } catch {
    return null;
  }
}
