import type { Role } from "../../model/item.ts";
import type { RecordedBlock } from "../recording.ts";

/** A block of a request in the format of its wire. */
export function toJsonBlock(
  role: Role,
  kind: RecordedBlock["kind"],
  value: unknown,
  line: number,
  call: { readonly callId: string | null; readonly toolName?: string | null } = { callId: null },
): RecordedBlock {
  const json = Buffer.from(JSON.stringify(value));
  return { role, kind, callId: call.callId, toolName: call.toolName ?? null, line, json };
}
