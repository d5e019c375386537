import { addressOf, sha256Hex } from "../lib/hash.ts";
import type { Decision } from "../model/decision.ts";
import type { ItemRecord, LedgerEntry, SeenChange } from "../model/ledger.ts";
import type { Regret } from "../model/regret.ts";
import type { Commit, Original } from "../model/store.ts";

/** An original made of a text or of bytes. */
export function originalOf(content: string | Uint8Array): Original {
  const bytes = typeof content === "string" ? Buffer.from(content) : content;
  return { digest: sha256Hex(bytes), bytes };
}

/** Bytes that no compressor makes smaller, the same for the same seed. */
export function denseBytes(seed: string, count: number): Uint8Array {
  const bytes = Buffer.alloc(count);
  let block = seed;
  for (let at = 0; at < count; at += 32) {
    block = sha256Hex(block);
    bytes.write(block, at, "hex");
  }
  return bytes;
}

/** The record of a finished read whose original is `original`. */
export function itemOf(callId: string, original: Original): ItemRecord {
  const key = `${callId}#${original.digest}`;
  return {
    key,
    address: addressOf(key),
    kind: "result",
    callId,
    digest: original.digest,
    bytes: original.bytes.length,
    lines: 1,
    mediaType: null,
    label: { tool: "Read", path: "/project/src/index.ts", lineStart: 1, lineEnd: 1, command: null },
    isError: false,
    absolutePath: "/project/src/index.ts",
    isStored: true,
    step: 1,
    turn: 1,
  };
}

/** The entry of an acquired item. */
export function acquired(item: ItemRecord): LedgerEntry {
  return { type: "item-acquired", item };
}

/** A change whose call states `text`, after a read of the whole file as `base`. */
export function changeOf(callId: string, text: Original | null, base: Original | null): SeenChange {
  return {
    itemKey: `call:${callId}`,
    callId,
    tool: "Edit",
    kind: "edit",
    source: "tool",
    path: "/project/src/index.ts",
    outcome: "ok",
    step: 1,
    turn: 1,
    text: text?.digest ?? null,
    base: base?.digest ?? null,
  };
}

/** The entry that opens a lineage. */
export function opened(sessionId: string | null, inherited: readonly Decision[] = []): LedgerEntry {
  return {
    type: "lineage-opened",
    sessionId,
    agentId: null,
    parent: null,
    inherited,
    turnsBefore: 0,
    stepsBefore: 0,
    warmUntilMs: null,
  };
}

/** The entry of a request that was sent. */
export function requestSent(requestId: string): LedgerEntry {
  return {
    type: "request-sent",
    requestId,
    model: "model-1",
    cacheKey: sha256Hex("tools and system"),
    cacheTtlMs: 300_000,
    itemCount: 1,
    turn: 1,
    step: 1,
    isBound: false,
    isActing: true,
  };
}

/** What can be said on purpose of an item, of its path and of a scope, an item that came in as a marker, and a regret. */
export function deliberateEntries(item: ItemRecord): readonly LedgerEntry[] {
  const motive = { reason: "\ud800 why", by: "agent" } as const;
  const named = { itemKey: item.key, address: item.address, ...motive };
  const ofPath = { path: "/project/src/index.ts", ...motive };
  const scope = { name: "tmp_fix", reason: "why", openedTurn: 1, openedStep: 2, isClosed: false };
  return [
    { type: "scope-opened", scope },
    { type: "item-wished", wish: { ...named, wish: { kind: "keep", range: { from: 1, to: null } } } },
    { type: "item-held", held: { ...named, until: { kind: "scope", scope: "tmp_fix" } } },
    { type: "item-protected", held: { ...named, until: null } },
    { type: "path-held", held: { ...ofPath, until: { kind: "turn", turn: 3 } } },
    { type: "path-protected", held: { ...ofPath, until: null } },
    { type: "item-expired", itemKey: item.key, address: item.address, words: "over" },
    { type: "marker-echoed", itemKey: "result:call-9:abc", address: item.address },
    { type: "item-regretted", regret: regretOf(item) },
    { type: "scope-closed", name: "tmp_fix", turn: 1, step: 4 },
  ];
}

/** A deletion of an item by the provider, from its queueing to its end. */
export function cacheEditEntries({ key, address, digest }: ItemRecord): readonly LedgerEntry[] {
  const line = `[ebb ${address}] \ud800`;
  const deletion = { itemKey: key, address, digest, tokens: 100, line, recall: null };
  const block = { requestId: "r-1", anchorKey: "result:call-9:abc", deletions: [deletion], note: line };
  return [
    { type: "edit-queued", deletions: [deletion] },
    { type: "edit-pinned", block },
    { type: "edit-sent", pinnedBy: ["r-1"] },
    { type: "boundary-reset", why: "compaction" },
  ];
}

/** A regret of an item's release. */
export function regretOf({ key, address, digest, absolutePath }: ItemRecord): Regret {
  return { itemKey: key, address, originalDigest: digest, path: absolutePath, kind: "strict", step: 2, isFault: true };
}

/** A decision that released an item. */
export function decisionOn(item: ItemRecord): Decision {
  return {
    itemKey: item.key,
    address: item.address,
    policy: "read-lifecycle",
    reason: "stale",
    evidenceKey: null,
    wish: null,
    moment: "first-send",
    thinkingBehind: null,
    step: 1,
    turn: 1,
    templateVersion: 1,
    channel: { kind: "none" },
    marker: `\ud800 marker of ${item.address}`,
    originalDigest: item.digest,
    originalBytes: item.bytes,
    originalTokens: 100,
    markerTokens: 10,
  };
}

/** The chain hashes of a history, position 1 first. */
export function chainOf(keys: readonly string[]): readonly string[] {
  const hashes: string[] = [];
  for (const key of keys) hashes.push(sha256Hex(`${hashes.at(-1) ?? ""}\n${key}`).slice(0, 32));
  return hashes;
}

/** Chain hashes with their positions from `position` on, as a commit takes them. */
export function chainFrom(hashes: readonly string[], position = 1): Commit["chain"] {
  return hashes.slice(position - 1).map((hash, index) => ({ position: position + index, hash }));
}

/** A commit of tenant `t`, lineage `main` at time 1,000, as far as nothing else is said. */
export function commitOf(parts: Partial<Commit>): Commit {
  return {
    tenant: "t",
    lineage: "main",
    expectedSeq: 0,
    atMs: 1_000,
    entries: [],
    chain: [],
    originals: [],
    ...parts,
  };
}
