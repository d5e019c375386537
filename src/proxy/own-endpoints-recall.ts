import type { RecallAnswer } from "../keeper/contract.ts";
import type { Answer, Desk, Exchange } from "./exchange.ts";
import { RECALL_ID_CHARS_MAX } from "./limits.ts";
import { failed } from "./own-endpoints-answer.ts";
import { readQuery } from "./own-endpoints-query.ts";

/** Begins the paths of recalls; the rest is the id. */
export const RECALL_PATH = "/recall/";

/** An original: its labelled text, an attachment or, with `raw`, its bytes. Null where the path names no id. */
export async function serveRecall(desk: Desk, exchange: Exchange): Promise<Answer | null> {
  const id = idOf(exchange.path);
  if (id === null) return null;
  const query = readQuery(exchange.query, ["range", "pattern", "ignore_case", "chars", "raw", "session"]);
  if (!query.ok) return failed("bad order", query.words);
  const { values } = query;
  const range = values.get("range") ?? null;
  const pattern = values.get("pattern") ?? null;
  const chars = values.get("chars") ?? null;
  const isRaw = isSet(values, "raw");
  if (isRaw && (pattern !== null || chars !== null || !RANGES_OF_THE_WHOLE.has(range ?? ""))) {
    return failed("bad range", "raw is the whole original: ask without range, pattern and chars");
  }
  if (chars !== null && !/^[1-9]\d{0,8}$/.test(chars)) {
    return failed("bad order", "chars: expected a whole number from 1");
  }
  const recalled = await desk.keeper.recall({
    tenant: desk.tenant,
    id,
    range,
    pattern,
    ignoreCase: isSet(values, "ignore_case"),
    chars: chars === null ? null : Number(chars),
    sessionId: values.get("session") ?? null,
    by: "user",
    atMs: exchange.atMs,
  });
  return recalledAnswer(recalled, isRaw);
}

const RANGES_OF_THE_WHOLE = new Set(["", "0", "all"]);
const SAFE_MEDIA_TYPE = /^image\/(?:png|jpeg|gif|webp)$|^application\/pdf$/;
const AS_ATTACHMENT = { "content-disposition": "attachment" };

function recalledAnswer(recalled: RecallAnswer, isRaw: boolean): Answer {
  if (!recalled.ok) return failed(recalled.failure, recalled.words);
  const { item, raw, text } = recalled;
  if (isRaw) return { status: 200, contentType: "application/octet-stream", body: raw, headers: AS_ATTACHMENT };
  if (item?.kind === "media") {
    const isSafe = SAFE_MEDIA_TYPE.test(item.mediaType ?? "");
    const contentType = isSafe && item.mediaType !== null ? item.mediaType : "application/octet-stream";
    return { status: 200, contentType, body: raw, headers: AS_ATTACHMENT };
  }
  return { status: 200, contentType: "text/plain; charset=utf-8", body: text };
}

/** Null: not an id, or one that no item can have. */
function idOf(path: string): string | null {
  const id = decoded(path.slice(RECALL_PATH.length));
  return id === null || id === "" || id.length > RECALL_ID_CHARS_MAX ? null : id;
}

function decoded(encoded: string): string | null {
  try {
    return decodeURIComponent(encoded);
  } catch (error) {
    if (error instanceof URIError) return null;
    throw error;
  }
}

/** A flag without a value is set. */
function isSet(values: ReadonlyMap<string, string>, name: string): boolean {
  const value = values.get(name);
  return value !== undefined && value !== "0" && value !== "false";
}
