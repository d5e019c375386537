import type { WireSource } from "../../model/ports.ts";
import type { Lookups } from "../shared/lookups.ts";

/** A body this wire read, with the places of what can be replaced. */
export interface GeminiSource extends WireSource, Pick<Lookups, "placeOf"> {
  readonly wire: "gemini";
}

/** True for a source that this wire made. */
export function isGeminiSource(source: WireSource): source is GeminiSource {
  return "wire" in source && source.wire === "gemini";
}
