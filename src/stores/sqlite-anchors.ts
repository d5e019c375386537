import type { Database } from "better-sqlite3";
import type { Anchored } from "../model/store.ts";
import { chainBytes } from "./sqlite-rows.ts";

/** Which lineages tell of asides where. */
export interface AnchorRows {
  find(tenantId: number, anchors: readonly string[]): readonly Anchored[];
}

/** A look-up in the index. Exported for the test that reads its query plan. */
export const FIND_ANCHORED = `
  SELECT lineages.name FROM anchors JOIN lineages ON lineages.id = anchors.lineage_id
  WHERE anchors.tenant_id = ? AND anchors.anchor = ?`;

/** The anchor table of an open database, its statements prepared once. */
export function createAnchorRows(database: Database): AnchorRows {
  const select = database.prepare<[number, Buffer], string>(FIND_ANCHORED).pluck();
  return {
    // Nearly every request asks for one or two: a statement that took many at once would cost each of them more.
    find: (tenantId, anchors) =>
      Array.from(new Set(anchors)).flatMap((anchor) =>
        select.all(tenantId, chainBytes(anchor)).map((lineage) => ({ anchor, lineage })),
      ),
  };
}
