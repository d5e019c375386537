import type { JsonObject, JsonValue } from "../../src/model/json.ts";

/** An answer of the simulated provider, read to its end. */
export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The answer's JSON, untyped as a test reads it; null where it is a stream. */
  readonly json: ReturnType<typeof JSON.parse>;
}

/** Sends one body and reads what is answered. */
export async function ask(url: string, body: JsonValue): Promise<Answered> {
  const response = await fetch(url, { method: "POST", body: JSON.stringify(body) });
  const text = await response.text();
  const isJson = (response.headers.get("content-type") ?? "").startsWith("application/json");
  return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : null };
}

/** The values of the `data` lines of server-sent events, in order; `[DONE]` is left out. */
export function dataOf(text: string): readonly JsonObject[] {
  return text
    .split(/\r?\n/)
    .filter((line) => line.startsWith("data: ") && line !== "data: [DONE]")
    .map((line) => JSON.parse(line.slice("data: ".length)));
}
