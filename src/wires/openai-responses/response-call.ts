import type { JsonObject } from "../../model/json.ts";
import type { ResponseFacts } from "../../model/usage.ts";
import { textOr } from "../shared/watch.ts";
import { BUILT_IN_NAMES, qualifiedName } from "./call.ts";

/** The call that an item of a response's output makes of the client; null for anything else. */
export function callIn(item: JsonObject): ResponseFacts["calls"][number] | null {
  const type = textOr(item.type, null);
  const builtIn = BUILT_IN_NAMES.get(type);
  if (builtIn === undefined) return null;
  const id = textOr(item.call_id, null);
  const name = builtIn ?? textOr(item.name, null);
  if (id === null || name === null) return null;
  return { id, name: builtIn === null ? qualifiedName(textOr(item.namespace, null), name) : name };
}
