import type { ServerResponse } from "node:http";
import type { JsonValue } from "../../model/json.ts";
import type { Streamed } from "./api.ts";
import type { ExchangeEnd } from "./capture.ts";
import { eventsBefore, type Fault } from "./fault.ts";

/** Sends one JSON answer. A HEAD request gets its headers alone. */
export function sendJson(
  response: ServerResponse,
  status: number,
  body: JsonValue,
  headers: Readonly<Record<string, string>> = {},
): ExchangeEnd {
  const bytes = Buffer.from(JSON.stringify(body));
  response.writeHead(status, { "content-type": "application/json", "content-length": bytes.length, ...headers });
  response.end(response.req.method === "HEAD" ? undefined : bytes);
  return "whole";
}

/** Sends a stream piece by piece, waiting for each to leave; ends early where the fault says so. */
export async function sendEvents(
  response: ServerResponse,
  { contentType, events }: Streamed,
  fault: Fault | null,
): Promise<ExchangeEnd> {
  const cutAt = eventsBefore(fault, "cut");
  const stallAt = eventsBefore(fault, "stall");
  response.writeHead(200, { "content-type": contentType, "cache-control": "no-cache" });
  response.flushHeaders();
  for (const [index, event] of events.entries()) {
    if (index === cutAt) return breakOff(response);
    if (index === stallAt) return await left(response);
    if (response.destroyed) return "left";
    await write(response, event);
  }
  if (response.destroyed) return "left";
  response.end();
  return "whole";
}

/** Breaks the connection without an answer, or in the middle of one. */
export function breakOff(response: ServerResponse): ExchangeEnd {
  response.destroy();
  return "cut";
}

/** A failed write means that the client left, which the next look at the response tells. */
function write(response: ServerResponse, event: string): Promise<void> {
  return new Promise((resolve) => {
    response.write(event, () => resolve());
  });
}

function left(response: ServerResponse): Promise<ExchangeEnd> {
  return new Promise((resolve) => {
    if (response.destroyed) resolve("left");
    else response.once("close", () => resolve("left"));
  });
}
