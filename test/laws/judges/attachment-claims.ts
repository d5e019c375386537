import type { ReadResult } from "../bodies.ts";
import type { Session } from "../client/moves.ts";
import { IMAGES_MAX } from "../world.ts";

const STATED = /image\/png (\d+)x(\d+), (\d+) bytes: /;

/** What a marker in the place of an attachment claims that is not so; null where it claims no more than that. */
export function attachmentUntruth(
  { marker, bytes, isFresh }: { readonly marker: string; readonly bytes: Buffer; readonly isFresh: boolean },
  came: readonly ReadResult[],
  { setting }: Session,
): string | null {
  if (!/^\[ebb [0-9a-hjkmnp-tv-z]{12}[ \]]/.test(marker)) return "no address at its head";
  if (marker.includes("ebb recall") && !setting.hasShell) return "names a way back that is out of reach";
  if (!/budget|lifetime/.test(marker)) return "gives no reason";
  // Histories are cut later on: what was over the budget when it left may be under it now.
  const count = came.filter(({ attached }) => attached !== null).length;
  if (isFresh && marker.includes("budget") && count <= IMAGES_MAX) return "was under the budget";
  const [, width, height, size] = STATED.exec(marker) ?? [];
  if (width === undefined) return null;
  const isSame = Number(width) === bytes.readUInt32BE(16) && Number(height) === bytes.readUInt32BE(20);
  return isSame && Number(size) === bytes.length ? null : "states another size than the attachment has";
}
