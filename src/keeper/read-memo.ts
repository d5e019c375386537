import type { Digest } from "../model/item.ts";
import type { ReadMemo } from "../model/ports.ts";

interface Held {
  readonly value: unknown;
  readonly bytes: number;
}

/** Memory of values that do not say how much they keep alive. */
const BYTES_DEFAULT = 4_096;

export interface ReadMemoBounds {
  readonly entriesMax: number;
  readonly bytesMax: number;
}

/** A memo within its bounds; what was not used for longest goes first. A value beyond `bytesMax` is not kept at all. */
export function createReadMemo({ entriesMax, bytesMax }: ReadMemoBounds): ReadMemo {
  const held = new Map<Digest, Held>();
  let total = 0;

  function remove(digest: Digest): Held | undefined {
    const known = held.get(digest);
    if (known === undefined) return undefined;
    held.delete(digest);
    total -= known.bytes;
    return known;
  }

  function add(digest: Digest, one: Held): void {
    held.set(digest, one);
    total += one.bytes;
  }

  return {
    get(digest) {
      const known = remove(digest);
      if (known !== undefined) add(digest, known);
      return known?.value;
    },
    set(digest, value, heldBytes = BYTES_DEFAULT) {
      remove(digest);
      if (heldBytes > bytesMax) return;
      add(digest, { value, bytes: heldBytes });
      for (const oldest of held.keys()) {
        if (total <= bytesMax && held.size <= entriesMax) return;
        remove(oldest);
      }
    },
  };
}

/** The same memo for bodies that are no client's: they are read with what it knows, and leave nothing behind. */
export function lookOnly(memo: ReadMemo): ReadMemo {
  return { get: (digest) => memo.get(digest), set: () => undefined };
}
