import { isAbsolute, join } from "node:path";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import { withAddresses } from "./intent-address.ts";
import { candidatesOf } from "./intent-tools.ts";
import { isObject } from "./json.ts";
import type { StepTool } from "./scenario.ts";
import type { OfferedTool, Talk } from "./talk.ts";

/** A call that the model makes. */
export interface PlannedCall {
  readonly name: string;
  readonly input: JsonObject;
  /** Null where the request offers no tool of this name. */
  readonly tool: OfferedTool | null;
}

/** What a request offers, and what its markers say. */
export type Offer = Pick<Talk, "tools" | "history">;

/** The call a step asks for, in the terms of the tools this request offers; null when none of them can do it. */
export function resolveCall(wanted: StepTool, talk: Offer, workdir: string | null): PlannedCall | null {
  const call = callOf(wanted, talk.tools, workdir);
  return call === null ? null : { ...call, input: withAddresses(call.input, talk.history) };
}

function callOf(wanted: StepTool, offered: readonly OfferedTool[], workdir: string | null): PlannedCall | null {
  if ("name" in wanted) {
    const { name, input } = wanted;
    return { name, input: input ?? {}, tool: offered.find((one) => one.name === name) ?? null };
  }
  for (const candidate of candidatesOf(wanted, (path) => absolute(path, workdir))) {
    const tool = offered.find((one) => candidate.fits(one));
    if (tool !== undefined) return { name: tool.name, input: known(candidate.input, tool), tool };
  }
  return null;
}

/** Only the arguments that the tool's own schema knows, and none without a value. */
function known(input: Readonly<Record<string, JsonValue | undefined>>, { schema }: OfferedTool): JsonObject {
  const properties = isObject(schema) ? schema.properties : undefined;
  const fields: [string, JsonValue][] = [];
  for (const [name, value] of Object.entries(input)) {
    if (value === undefined) continue;
    if (!isObject(properties) || name in properties) fields.push([name, value]);
  }
  return Object.fromEntries(fields);
}

function absolute(path: string, workdir: string | null): string {
  return isAbsolute(path) || workdir === null ? path : join(workdir, path);
}
