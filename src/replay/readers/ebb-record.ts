import { isRecord, type JsonRecord } from "./values.ts";

/** True for a line of the proxy's own recordings, whatever the request was. */
export function isEbbRecord(value: unknown): value is JsonRecord {
  return (
    isRecord(value) && value.v === 1 && "wire" in value && "path" in value && "request" in value && "upstream" in value
  );
}
