import { readBody, resultsIn } from "../bodies.ts";
import type { Watcher } from "../world.ts";
import { untruthOf } from "./marker-claims.ts";

/** Every marker in a forwarded body claims no more than that body proves. */
export const judgeTruth: Watcher = ({ request, forwarded }, session) => {
  if (forwarded === null) return [];
  const after = readBody(forwarded);
  const left = resultsIn(after);
  return resultsIn(readBody(request.body)).flatMap((original, index) => {
    const marker = left[index]?.text ?? "";
    if (marker === original.text) return [];
    const untruth = untruthOf(marker, original, after, session);
    return untruth === null
      ? []
      : [`truthful: ${original.callId}: ${untruth}: ${JSON.stringify(marker.slice(0, 200))}`];
  });
};
