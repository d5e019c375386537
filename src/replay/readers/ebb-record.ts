import { isRecord, type JsonRecord } from "./values.ts";

/** True for a line of the proxy's own recordings, whatever the request was. */
export function isEbbRecord(value: unknown): value is JsonRecord {
  return (
    isRecord(value) && value.v === 1 && "wire" in value && "path" in value && "request" in value && "upstream" in value
  );
}

const COUNTING_PATH = /\/count_tokens$|:countTokens$/;

/** True for a request that a model answered: it did not only count tokens, and was not refused. */
export function isAnswered({ path, status }: JsonRecord): boolean {
  return typeof status === "number" && status >= 200 && status < 300 && !COUNTING_PATH.test(String(path));
}
