import type { Store } from "../model/store.ts";
import { anchorChecks } from "./test-store-anchors.ts";
import { chainChecks } from "./test-store-chains.ts";
import { ledgerChecks } from "./test-store-ledger.ts";
import { originalChecks } from "./test-store-originals.ts";
import { removalChecks } from "./test-store-removal.ts";

/** One empty place for data, and ways to open stores on it. */
export interface StoreSpace {
  /** True when data outlives the store that wrote it. */
  readonly isPersistent: boolean;
  /** Opens a store on this space; several may be open at once and see the same data. `bytesMax` is the disk cap. */
  open(bytesMax?: number): Promise<Store>;
  /** Closes every store opened here and removes the data. */
  dispose(): Promise<void>;
}

/** One promise of the port. `run` rejects with an assertion's words where the store breaks it. */
export interface StoreCheck {
  /** A sentence about behaviour. */
  readonly name: string;
  run(): Promise<void>;
}

/** A check in the making: what it does with a fresh space. */
export type SpaceCheck = readonly [name: string, run: (space: StoreSpace) => Promise<void>];

/**
 * The conformance kit of the Store port, for any test runner: hand each check to yours. `createSpace` is called once a
 * check and must give a space without data.
 */
export function testStore(createSpace: () => Promise<StoreSpace>): readonly StoreCheck[] {
  const checks = [...originalChecks, ...ledgerChecks, ...chainChecks, ...anchorChecks, ...removalChecks];
  return checks.map(([name, run]) => ({
    name,
    async run() {
      const space = await createSpace();
      try {
        await run(space);
      } finally {
        await space.dispose();
      }
    },
  }));
}
