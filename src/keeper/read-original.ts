import type { Digest } from "../model/item.ts";
import type { Store, StoredOriginal } from "../model/store.ts";

/** Reads an original back. One that is unknown may still be on its way: it is waited for, once. */
export async function readOriginal(
  { tenant, digest }: { readonly tenant: string; readonly digest: Digest },
  store: Store,
  whenStored: () => Promise<void>,
): Promise<StoredOriginal> {
  const original = await store.getOriginal(tenant, digest);
  if (original.state !== "unknown") return original;
  await whenStored();
  return store.getOriginal(tenant, digest);
}
