import type { Gate } from "../../model/ports.ts";

/** Refuses a marker that is not smaller than the original in tokens and in bytes. A stub's repair is an insertion, not a saving. */
export const markerNoWin: Gate = {
  reason: "marker_no_win",
  refuse(candidate, view) {
    if (candidate.proposal.wish?.kind === "whole") return null;
    const rendering = candidate.rendering();
    if (rendering.text === "") return "nothing could stand in its place";
    if (candidate.proposal.reason === "stub_repair") return null;
    const original = view.tokensOf(candidate.item);
    if (rendering.tokens < original && rendering.bytes < candidate.item.bytes) return null;
    return `the marker would take ${rendering.tokens} tokens, the original ${original}`;
  },
};
