import type { JsonObject, JsonValue } from "../../../src/model/json.ts";
import type { Handled, Watcher } from "../world.ts";
import { listOf, objectOf } from "./canonical-body.ts";

/** A block that carries a breakpoint. */
interface Marked {
  readonly place: string;
  readonly block: JsonObject;
  readonly isLong: boolean;
}

const BREAKPOINTS_MAX = 4;
/** Why something stays that only lacks a moment. */
const WAITING: readonly string[] = ["does_not_pay", "cached_prefix"];
const FOR_A_PRICE: readonly string[] = ["pays", "pressure", "deliberate", "limit"];

/**
 * What the provider takes of breakpoints, whatever the client's are: no more than four unless the client has more, none on thinking or
 * on an empty text, long lifetimes before short ones. One of Ebb is there for what waits or left for a price, and for nothing else.
 */
export const judgeBreakpoints: Watcher = ({ request, prepared, forwarded }) => {
  if (prepared.kind === "refuse" || forwarded === null) return [];
  const [came, left] = [markedIn(request.body), markedIn(forwarded)];
  const known = new Set(came.map(({ place }) => place));
  const added = left.filter(({ place }) => !known.has(place));
  const faults = added.length > 0 && !hasReason(prepared) ? ["nothing waits for Ebb's"] : [];
  if (added.length > 1) faults.push(`${added.length} are Ebb's`);
  if (left.length > Math.max(came.length, BREAKPOINTS_MAX)) faults.push(`there are ${left.length}`);
  if (came.every(canCarry) && !left.every(canCarry)) faults.push("one stands on thinking or on an empty text");
  const firstShort = left.findIndex(({ isLong }) => !isLong);
  if (firstShort !== -1 && left.slice(firstShort).some(({ isLong }) => isLong))
    faults.push("a long one follows a short");
  return faults.map((words) => `breakpoints: ${words}`);
};

function hasReason({ plan }: Extract<Handled["prepared"], { kind: "forward" }>): boolean {
  if (plan === null) return false;
  const isWaiting = plan.declines.some(({ reason }) => WAITING.includes(reason));
  return isWaiting || plan.inForce.some(({ moment }) => FOR_A_PRICE.includes(moment));
}

/** In the order of the prompt; what stands inside a block comes before the block's own. */
function markedIn(bytes: Uint8Array): readonly Marked[] {
  const { tools, system, messages } = objectOf(JSON.parse(Buffer.from(bytes).toString("utf8")));
  return [
    ...listOf(tools).flatMap((tool, index) => markedFrom(tool, `tools ${index}`)),
    ...listOf(system).flatMap((block, index) => markedFrom(block, `system ${index}`)),
    ...listOf(messages).flatMap((message, at) =>
      listOf(objectOf(message).content).flatMap((block, index) => markedFrom(block, `${at} ${index}`)),
    ),
  ];
}

/** Breakpoints inside a result count as one of its own: which of its texts carries it changes when they give way to one. */
function markedFrom(value: JsonValue, place: string): readonly Marked[] {
  const block = objectOf(value);
  const inner = listOf(block.content).flatMap((part) => markedFrom(part, `${place} inside`));
  const control = objectOf(block.cache_control);
  if (control.type !== "ephemeral") return inner;
  return [...inner, { place, block, isLong: control.ttl === "1h" }];
}

function canCarry({ block: { type, text } }: Marked): boolean {
  return !String(type).endsWith("thinking") && !(type === "text" && text === "");
}
