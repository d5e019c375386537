import type { Answer, Desk, Exchange } from "./exchange.ts";
import { failed, json } from "./own-endpoints-answer.ts";
import { readQuery } from "./own-endpoints-query.ts";

/** A conversation in a few figures, for a status line: of the session that is named, else the one used last. */
export async function serveStatus(desk: Desk, exchange: Exchange): Promise<Answer> {
  const query = readQuery(exchange.query, ["session"]);
  if (!query.ok) return failed("bad order", query.words);
  const told = await desk.keeper.status({ tenant: desk.tenant, sessionId: query.values.get("session") ?? null });
  if (!told.ok) return failed(told.failure, told.words);
  const { ok: _, ...known } = told;
  return json(200, known);
}
