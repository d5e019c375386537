import type { JsonBytes } from "../../lib/json-scan.ts";
import type { Message } from "../../model/transcript.ts";
import { isBreakpointAt, PROMPT_CACHE_BREAKPOINT } from "../shared/openai-cache.ts";
import type { ObjectOutline } from "./object.ts";
import type { ChatSeed } from "./seed.ts";

/** A breakpoint in the words of another provider, as routers in front of several take it. */
export const CACHE_CONTROL = "cache_control";

/** True where a part of a message carries a breakpoint of this API. */
export function hasBreakpoint(text: JsonBytes, { members }: ObjectOutline): boolean {
  return isBreakpointAt(text, members.get(PROMPT_CACHE_BREAKPOINT));
}

/** Items up to and including each breakpoint behind the head, the provider's own one last. */
export function breakpointPlaces(
  seeds: readonly ChatSeed[],
  messages: readonly Message[],
  { headCount, itemCount, marksEnd }: { headCount: number; itemCount: number; marksEnd: boolean },
): readonly number[] {
  const places: number[] = [];
  for (const [index, { breakpoints }] of seeds.entries()) {
    if (index < headCount || breakpoints.length === 0) continue;
    const before = messages[index]?.itemStart ?? 0;
    for (const count of breakpoints) places.push(before + count);
  }
  return marksEnd ? [...places, itemCount] : places;
}
