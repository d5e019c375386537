import { createHmac } from "node:crypto";
import type { JsonObject } from "../../../model/json.ts";
import { stringOf } from "../json.ts";
import { invalid, type Refusal } from "../refusal.ts";
import { callOf, memberOf, type Turn, turnsOf } from "./part.ts";

/** No secret: the same signature must come from every process. */
const KEY = "ebb simulated thought signature";
const VERSION = "thought1";
const SEAL_CHARS = 32;
/** Texts that stand for a signature where the history did not come from the model. Source: the provider's page on signatures. */
const STANDINS: ReadonlySet<string> = new Set([
  "skip_thought_signature_validator",
  "context_engineering_is_the_way_to_go",
]);

/** The signature of a part: of a call by its name, of anything else by "". */
export function signPart(name: string, thought: string): string {
  const parts = [VERSION, name, thought];
  return Buffer.from(JSON.stringify([...parts, sealOf(parts)])).toString("base64");
}

/**
 * What is wrong with the thought signatures of a conversation. Models that demand them want one on the first call of each step
 * since the user last spoke; one that was changed, or that belongs to another call, is never taken.
 * Source: https://ai.google.dev/gemini-api/docs/thought-signatures
 */
export function refuseSignatures(contents: readonly JsonObject[], isDemanded: boolean): Refusal | null {
  const turns = turnsOf(contents);
  const spokenAt = turns.findLastIndex(isSpoken);
  for (const [index, turn] of turns.entries()) {
    const isCurrent = isDemanded && index > spokenAt;
    const refusal = turn.role === "model" ? refuseTurn(turn, isCurrent) : null;
    if (refusal !== null) return refusal;
  }
  return null;
}

/** A user's turn with anything but answers to calls begins the current turn of the conversation. */
function isSpoken({ role, parts }: Turn): boolean {
  return role === "user" && parts.some((part) => memberOf(part, "functionResponse") === undefined);
}

function refuseTurn({ parts, index }: Turn, isCurrent: boolean): Refusal | null {
  for (const part of parts) {
    const signature = memberOf(part, "thoughtSignature");
    if (signature === undefined || isTrue(stringOf(signature), stringOf(callOf(part)?.name))) continue;
    return invalid("Corrupted thought signature.");
  }
  const first = parts.find((part) => callOf(part) !== null);
  if (!isCurrent || first === undefined || memberOf(first, "thoughtSignature") !== undefined) return null;
  return invalid(
    `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${stringOf(callOf(first)?.name)}\` , position ${index + 1}. Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details.`,
  );
}

function isTrue(signature: string, name: string): boolean {
  if (STANDINS.has(signature)) return true;
  try {
    const parts: unknown = JSON.parse(Buffer.from(signature, "base64").toString("utf8"));
    if (!Array.isArray(parts) || parts.length !== 4 || parts[0] !== VERSION || parts[1] !== name) return false;
    const [version = "", called = "", thought = "", seal = ""] = parts.map(String);
    return seal === sealOf([version, called, thought]) && signPart(called, thought) === signature;
  } catch {
    return false;
  }
}

function sealOf(parts: readonly string[]): string {
  return createHmac("sha256", KEY).update(JSON.stringify(parts)).digest("base64url").slice(0, SEAL_CHARS);
}
