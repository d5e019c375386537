import type { IncomingMessage } from "node:http";
import { printable } from "../lib/printable.ts";
import { headerValues } from "./headers.ts";
import { OWN_BODY_BYTES_MAX } from "./limits.ts";

/** The JSON of a request's body, or the status and the words that refuse it. */
export type JsonBody =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly status: number; readonly words: string };

const JSON_TYPE = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;

/** Reads the body of a request to one of Ebb's own paths: JSON in UTF-8, not compressed, up to `OWN_BODY_BYTES_MAX`. Never rejects. */
export async function readJsonBody(request: IncomingMessage): Promise<JsonBody> {
  const types = headerValues(request.rawHeaders, "content-type");
  const [type = null] = types;
  if (types.length > 1 || type === null || !JSON_TYPE.test(type.trim())) {
    return { ok: false, status: 415, words: `Content-Type: expected application/json, got ${printable(type)}` };
  }
  if (request.headers["content-encoding"] !== undefined) {
    return { ok: false, status: 415, words: "Content-Encoding: expected none" };
  }
  const bytes = await readBytes(request);
  if (bytes === null) {
    return { ok: false, status: 413, words: `expected a body of at most ${OWN_BODY_BYTES_MAX} bytes` };
  }
  return parsed(bytes);
}

/** Null: more than the limit. A client that leaves in the middle leaves nobody to answer. */
async function readBytes(request: IncomingMessage): Promise<Buffer | null> {
  if (Number(request.headers["content-length"] ?? 0) > OWN_BODY_BYTES_MAX) return null;
  const chunks: Buffer[] = [];
  let length = 0;
  return new Promise((resolve) => {
    request.on("data", (chunk: Buffer) => {
      length += chunk.length;
      if (length <= OWN_BODY_BYTES_MAX) chunks.push(chunk);
      else resolve(null);
    });
    request.once("end", () => resolve(Buffer.concat(chunks)));
    request.once("close", () => resolve(Buffer.concat(chunks)));
  });
}

function parsed(bytes: Buffer): JsonBody {
  try {
    return { ok: true, value: JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)) };
  } catch (error) {
    if (!(error instanceof SyntaxError) && !(error instanceof TypeError)) throw error;
    const came = bytes.length === 0 ? "nothing" : `${bytes.length} bytes that are none`;
    return { ok: false, status: 400, words: `expected one JSON object in UTF-8, got ${came}` };
  }
}
