import { compareBodies, declaredIn } from "../bodies.ts";
import type { Watcher } from "../world.ts";
import { attachmentUntruth } from "./attachment-claims.ts";
import { untruthOf } from "./marker-claims.ts";

/** Every marker in a forwarded body claims no more than that body proves. */
export const judgeTruth: Watcher = ({ request, prepared, forwarded }, session) => {
  if (forwarded === null) return [];
  const { after, came, left } = compareBodies(request.body, forwarded, declaredIn(prepared));
  const decided = prepared.kind === "forward" ? (prepared.plan?.fresh ?? []) : [];
  const fresh = new Set(decided.map((decision) => decision.marker));
  return came.flatMap((original, index) => {
    const marker = left[index]?.text ?? "";
    if (marker === original.text) return [];
    const untruth =
      original.attached === null
        ? untruthOf(marker, original, after, session)
        : attachmentUntruth({ marker, bytes: original.attached, isFresh: fresh.has(marker) }, came, session);
    return untruth === null
      ? []
      : [`truthful: ${original.callId}: ${untruth}: ${JSON.stringify(marker.slice(0, 200))}`];
  });
};
