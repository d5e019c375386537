import { createBoundedMap } from "../lib/bounded-map.ts";
import type { SessionHints } from "../model/session.ts";
import type { Store } from "../model/store.ts";
import type { Lineage } from "./lineage.ts";

/** The lineage with tools that a session used last: what a history without a known chain may continue. */
export interface Predecessors {
  note(lineage: Lineage): void;
  of(hints: SessionHints): Promise<Lineage | null>;
}

const SESSIONS_MAX = 4_096;
const PREDECESSORS_MAX = 5;
const LISTED_MAX = 200;

/** Looks into the store only for sessions that this process has not seen. */
export function createPredecessors(store: Store, load: (tenant: string, id: string) => Promise<Lineage>): Predecessors {
  const latest = createBoundedMap<string, string>(SESSIONS_MAX);
  return {
    note({ tenant, id, standing: { sessionId, agentId } }) {
      if (sessionId !== null) latest.set(sessionKey(tenant, sessionId, agentId), id);
    },
    async of({ tenant, sessionId, agentId }) {
      if (sessionId === null) return null;
      const seen = latest.get(sessionKey(tenant, sessionId, agentId));
      if (seen !== undefined) return load(tenant, seen);
      const listed = await store.listLineages(tenant, LISTED_MAX);
      const own = listed.filter((one) => one.sessionId === sessionId && one.agentId === agentId);
      for (const summary of own.slice(0, PREDECESSORS_MAX)) {
        const lineage = await load(tenant, summary.lineage);
        if (lineage.standing.acquired.size > 0) return lineage;
      }
      return null;
    },
  };
}

function sessionKey(tenant: string, sessionId: string, agentId: string | null): string {
  return JSON.stringify([tenant, sessionId, agentId]);
}
