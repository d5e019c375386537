import type { PlacedAcquisition } from "../model/acquisition.ts";
import type { Item } from "../model/item.ts";
import { windowKey } from "./line-cover.ts";
import type { RegretSearch, Shown } from "./regret.ts";

/** A read of a released path counts as induced for this many steps after the release. */
const INDUCED_STEPS = 20;

/** What was obtained again: unchanged (strict), or its path read at all soon after the release (induced). */
export function rereadRegrets(search: RegretSearch): readonly Shown[] {
  return search.fresh.flatMap((placed) => [...strictRegret(placed, search), ...inducedRegret(placed, search)]);
}

/** The newest release with this content, out of the same lines of the same file, the same page or the same command. */
function strictRegret(placed: PlacedAcquisition, search: RegretSearch): readonly Shown[] {
  if (placed.acquisition.outcome !== "ok") return [];
  const contents = itemsOf(placed, search);
  const target = placed.resultKey === null ? null : search.stubTargetOf(placed.resultKey);
  const release = search.releases.find(
    (one) =>
      one.placed !== null &&
      isSameSource(one.placed, placed) &&
      (one.item.key === target || contents.some((item) => isSameContent(item, one.item))),
  );
  return release === undefined ? [] : [{ release, kind: "strict", step: placed.step, isFault: true }];
}

function inducedRegret(placed: PlacedAcquisition, search: RegretSearch): readonly Shown[] {
  const { kind, outcome, isShellRead } = placed.acquisition;
  const isRead = kind === "read" || isShellRead;
  if (!isRead || outcome !== "ok" || placed.path === null) return [];
  const step = search.stepsBefore + placed.step;
  const release = search.releases.find((one) => one.placed?.path === placed.path);
  if (release === undefined || step - release.decision.step > INDUCED_STEPS) return [];
  const isFault = release.decision.reason !== "stale" && release.decision.reason !== "superseded";
  return [{ release, kind: "induced", step: placed.step, isFault }];
}

function isSameSource(earlier: PlacedAcquisition, later: PlacedAcquisition): boolean {
  const [left, right] = [earlier.acquisition, later.acquisition];
  if (earlier === later || left.kind !== right.kind) return false;
  if (left.kind === "read") {
    return earlier.path !== null && earlier.path === later.path && windowKey(left.window) === windowKey(right.window);
  }
  return left.command !== null && left.tool === right.tool && left.command === right.command;
}

function isSameContent(left: Item, right: Item): boolean {
  return left.kind === right.kind && left.bytes > 0 && left.digest === right.digest;
}

/** A result, and the media it holds. */
function itemsOf({ acquisition, resultKey }: PlacedAcquisition, search: RegretSearch): readonly Item[] {
  const result = resultKey === null ? null : search.itemOf(resultKey);
  if (result === null) return [];
  if (result.kind !== "result" || result.mediaCount === 0) return [result];
  const media = search.transcript.items.filter((item) => item.kind === "media" && item.callId === acquisition.callId);
  return [result, ...media];
}
