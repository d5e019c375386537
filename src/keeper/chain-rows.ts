import type { Chain } from "../engine/chain.ts";
import type { Commit } from "../model/store.ts";

/** The rows of a chain that a store does not have yet, which holds its first `storedCount`. */
export function chainRows({ hashes }: Pick<Chain, "hashes">, storedCount: number): Commit["chain"] {
  const rows: { position: number; hash: string }[] = [];
  for (let index = storedCount; index < hashes.length; index++) {
    const hash = hashes[index];
    if (hash !== undefined) rows.push({ position: index + 1, hash });
  }
  return rows;
}
