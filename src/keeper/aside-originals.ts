import { EbbError } from "../lib/ebb-error.ts";
import { sha256Hex } from "../lib/hash.ts";
import type { AsideBlocks } from "../model/aside.ts";
import type { Digest } from "../model/item.ts";
import type { Store } from "../model/store.ts";
import { createReadMemo } from "./read-memo.ts";

/** What asides put in, as originals of the store. */
export interface AsideOriginals {
  /** Stores the blocks and reads them back. Throws `EbbError` where they are not there then. */
  keep(tenant: string, blocks: AsideBlocks, atMs: number): Promise<Digest>;
  /** Null where they left or are damaged. Throws `EbbError` where the store does not answer and memory does not know. */
  load(tenant: string, digest: Digest): Promise<AsideBlocks | null>;
  /** Originals were removed: what memory holds may be of them. */
  forgetAll(): void;
}

/** Asides of running conversations. */
const MEMO_BOUNDS = { entriesMax: 4_096, bytesMax: 64 * 1024 * 1024 };

/** Originals on a store, the latest of them in memory as well. */
export function createAsideOriginals(store: Store): AsideOriginals {
  let memo = createReadMemo(MEMO_BOUNDS);

  function remember(tenant: string, digest: Digest, blocks: AsideBlocks, bytes: number): void {
    memo.set(nameOf(tenant, digest), blocks, 2 * bytes);
  }

  return {
    async keep(tenant, blocks, atMs) {
      const bytes = Buffer.from(JSON.stringify(blocks));
      const digest = sha256Hex(bytes);
      await store.putOriginals(tenant, [{ digest, bytes }], atMs);
      // At the disk cap nothing is added; what the store has already is as good.
      const stored = await store.getOriginal(tenant, digest);
      if (stored.state !== "present" || Buffer.compare(stored.bytes, bytes) !== 0) {
        throw new EbbError("store_full", "the store did not keep what a recall answered");
      }
      remember(tenant, digest, blocks, bytes.length);
      return digest;
    },
    async load(tenant, digest) {
      const known = memo.get(nameOf(tenant, digest));
      if (isBlocks(known)) return known;
      const stored = await store.getOriginal(tenant, digest);
      const blocks = stored.state === "present" ? blocksIn(stored.bytes) : null;
      if (blocks !== null && stored.state === "present") remember(tenant, digest, blocks, stored.bytes.length);
      return blocks;
    },
    forgetAll() {
      memo = createReadMemo(MEMO_BOUNDS);
    },
  };
}

function blocksIn(bytes: Uint8Array): AsideBlocks | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes).toString("utf8"));
    return isBlocks(value) ? value : null;
  } catch {
    return null;
  }
}

function isBlocks(value: unknown): value is AsideBlocks {
  if (typeof value !== "object" || value === null || !("calls" in value) || !("results" in value)) return false;
  const { calls, results } = value;
  return isTexts(calls) && isTexts(results) && calls.length === results.length;
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

function nameOf(tenant: string, digest: Digest): string {
  return `${digest} ${tenant}`;
}
