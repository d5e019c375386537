import type { Moment, ReleaseReason } from "../model/decision.ts";

const REASONS: Readonly<Record<ReleaseReason, string>> = {
  stale: "its file was modified later",
  superseded: "it was read again later",
  over_bound: "it is over the size bound",
  stub_repair: "it pointed to a read that is not in the window",
  expired: "its lifetime was over",
  let_go: "it was let go on purpose",
  kept: "a part of it was kept on purpose",
  over_budget: "it was over the media budget",
};

const MOMENTS: Readonly<Record<Moment, string>> = {
  "first-send": "before it was sent in full",
  "prefix-broken": "where the cached prefix was broken anyway",
  cold: "on a cold cache",
  native: "through the provider's own deletion",
  "server-clear": "through the provider's own context editing",
  pays: "where it pays",
  pressure: "under pressure",
  limit: "at a provider's limit",
  deliberate: "at the next request",
  forced: "at any depth",
};

/** Why an item left and at which moment, for a reader. */
export function releaseWords({ reason, moment }: { readonly reason: ReleaseReason; readonly moment: Moment }): string {
  return `${reasonWords(reason)}, ${MOMENTS[moment]}`;
}

/** Why an item left, for a reader. */
export function reasonWords(reason: ReleaseReason): string {
  return REASONS[reason];
}
