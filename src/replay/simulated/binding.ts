import type { JsonObject } from "../../model/json.ts";
import { isObject, stringOf } from "./json.ts";
import { invalid, type Refusal } from "./refusal.ts";

/**
 * What happens to thinking that no longer fits what stands before it: the request is refused, the block and all thinking
 * behind it are dropped, or it is let through. `unchecked`: every signature is taken as it comes.
 */
export type MismatchAnswer = "error" | "drop" | "allow" | "unchecked";

/** The account, and this server, as far as bound thinking is concerned. */
export interface BindingRules {
  /** False: signatures are not looked at. */
  readonly signatures: boolean;
  /** False: an older account, on which a request must ask for the check. */
  readonly enforces: boolean;
}

/** What a request's thinking must expect. */
export function mismatchAnswerOf(request: JsonObject, { signatures, enforces }: BindingRules): MismatchAnswer {
  if (!signatures) return "unchecked";
  const asked = behaviourOf(request);
  if (asked === "drop_block") return "drop";
  return asked === "error" || enforces ? "error" : "allow";
}

/** What is wrong with a request's choice of what happens to such thinking; null when nothing is. */
export function refuseBinding(request: JsonObject, isOn: boolean): Refusal | null {
  const { thinking } = request;
  if (!isObject(thinking) || thinking.block_binding === undefined || thinking.block_binding === null) return null;
  const path = `thinking.${stringOf(thinking.type)}.block_binding`;
  const isTaken = thinking.type === "adaptive" || thinking.type === "enabled";
  if (!isOn || !isTaken) return invalid(`${path}: Extra inputs are not permitted`);
  const binding = thinking.block_binding;
  if (!isObject(binding)) return invalid(`${path}: Input should be a valid dictionary`);
  const extra = Object.keys(binding).find((member) => member !== MEMBER);
  if (extra !== undefined) return invalid(`${path}.${extra}: Extra inputs are not permitted`);
  const asked = binding[MEMBER];
  if (asked === undefined || asked === null || asked === "error" || asked === "drop_block") return null;
  return invalid(`${path}.${MEMBER}: Input should be 'error' or 'drop_block'`);
}

const MEMBER = "prefix_mismatch_behavior";

function behaviourOf({ thinking }: JsonObject): string {
  if (!isObject(thinking) || !isObject(thinking.block_binding)) return "";
  return stringOf(thinking.block_binding[MEMBER]);
}
