import type { JsonObject } from "../../model/json.ts";
import { blocksOf, isThinking } from "./content.ts";
import { isObject, objectsOf, stringOf } from "./json.ts";
import { invalid, type Refusal } from "./refusal.ts";

/** Lifetime of a cached prefix when none is stated. */
export const LIFETIME_5M_MS = 300_000;
/** Lifetime of a cached prefix that asks for `1h`. */
export const LIFETIME_1H_MS = 3_600_000;
const BREAKPOINTS_MAX = 4;

/** Lifetime a `cache_control` asks for, in milliseconds; null when the block carries none. */
export function lifetimeOf(block: JsonObject): number | null {
  if (!isObject(block.cache_control)) return null;
  return block.cache_control.ttl === "1h" ? LIFETIME_1H_MS : LIFETIME_5M_MS;
}

/** True for a block that may end a cached prefix. */
export function isMarkable(block: JsonObject): boolean {
  return !isThinking(block) && !(block.type === "text" && stringOf(block.text) === "");
}

/** What is wrong with the request's cache breakpoints; null when nothing is. */
export function refuseBreakpoints(request: JsonObject): Refusal | null {
  const places = placesOf(request);
  const marked = places.filter(({ block }) => block.cache_control !== undefined && block.cache_control !== null);
  for (const { path, block } of marked) {
    const words = malformed(block);
    if (words !== null) return invalid(`${path}.${words}`);
  }
  if (marked.length > BREAKPOINTS_MAX) {
    return invalid(
      `A maximum of ${BREAKPOINTS_MAX} blocks with cache_control may be provided. Found ${marked.length}.`,
    );
  }
  return refuseAutomatic(request, places, marked.length) ?? refuseOrder(marked, lifetimeOf(request));
}

interface Place {
  readonly path: string;
  readonly block: JsonObject;
}

function placesOf(request: JsonObject): readonly Place[] {
  const messages = objectsOf(request.messages);
  return [
    ...objectsOf(request.tools).map((block, index) => ({ path: `tools.${index}`, block })),
    ...blocksOf(request.system).map((block, index) => ({ path: `system.${index}`, block })),
    ...messages.flatMap((message, at) =>
      blocksOf(message.content).map((block, index) => ({ path: `messages.${at}.content.${index}`, block })),
    ),
  ];
}

function malformed(block: JsonObject): string | null {
  const control = block.cache_control;
  if (!isObject(control) || control.type !== "ephemeral") return "cache_control.type: Input should be 'ephemeral'";
  if (control.ttl !== undefined && control.ttl !== null && control.ttl !== "5m" && control.ttl !== "1h") {
    return "cache_control.ttl: Input should be '5m' or '1h'";
  }
  if (isThinking(block)) return `${stringOf(block.type)}.cache_control: Extra inputs are not permitted`;
  return isMarkable(block) ? null : "text: cache_control cannot be set for empty text blocks";
}

function refuseAutomatic(request: JsonObject, places: readonly Place[], marked: number): Refusal | null {
  if (request.cache_control === undefined || request.cache_control === null) return null;
  const words = malformed({ cache_control: request.cache_control });
  if (words !== null) return invalid(words);
  const explicit = places.at(-1)?.block;
  const explicitLifetime = explicit === undefined ? null : lifetimeOf(explicit);
  if (explicitLifetime !== null && explicitLifetime !== lifetimeOf(request)) {
    return invalid("cache_control: the last block carries a cache_control with another ttl");
  }
  if (marked < BREAKPOINTS_MAX) return null;
  return invalid(`cache_control: no breakpoint is left, ${BREAKPOINTS_MAX} blocks carry one already`);
}

function refuseOrder(marked: readonly Place[], automatic: number | null): Refusal | null {
  const inOrder = marked.map(({ path, block }) => ({ path, lifetimeMs: lifetimeOf(block) }));
  if (automatic !== null) inOrder.push({ path: "cache_control", lifetimeMs: automatic });
  const firstShort = inOrder.findIndex(({ lifetimeMs }) => lifetimeMs === LIFETIME_5M_MS);
  const late = firstShort < 0 ? undefined : inOrder.slice(firstShort).find((one) => one.lifetimeMs === LIFETIME_1H_MS);
  if (late === undefined) return null;
  return invalid(
    `${late.path}.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. Order: tools, system, messages.`,
  );
}
