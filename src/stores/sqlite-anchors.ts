import type { Database } from "better-sqlite3";
import type { Anchored } from "../model/store.ts";
import { chainBytes } from "./sqlite-rows.ts";

/** Which lineages tell of asides where. */
export interface AnchorRows {
  find(tenantId: number, anchors: readonly string[]): readonly Anchored[];
}

/** Anchors of one query. */
const CHUNK = 256;

interface AnchorRow {
  readonly anchor: Buffer;
  readonly name: string;
}

/** One look-up in the index for each anchor. Exported for the test that reads its query plan. */
export const FIND_ANCHORED = `
  SELECT anchors.anchor, lineages.name FROM anchors JOIN lineages ON lineages.id = anchors.lineage_id
  WHERE anchors.tenant_id = ? AND anchors.anchor IN (${Array.from({ length: CHUNK }, () => "?").join(", ")})`;

/** The anchor table of an open database, its statements prepared once. */
export function createAnchorRows(database: Database): AnchorRows {
  const select = database.prepare<(number | Buffer | null)[], AnchorRow>(FIND_ANCHORED);
  return {
    find(tenantId, anchors) {
      const byBytes = new Map(anchors.map((anchor) => [chainBytes(anchor).toString("hex"), anchor]));
      const wanted = Array.from(byBytes.keys(), (hex) => Buffer.from(hex, "hex"));
      const found: Anchored[] = [];
      for (let at = 0; at < wanted.length; at += CHUNK) {
        const chunk = wanted.slice(at, at + CHUNK);
        const rest = Array.from({ length: CHUNK - chunk.length }, () => null);
        for (const row of select.all(tenantId, ...chunk, ...rest)) {
          const anchor = byBytes.get(row.anchor.toString("hex"));
          if (anchor !== undefined) found.push({ anchor, lineage: row.name });
        }
      }
      return found;
    },
  };
}
