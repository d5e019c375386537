/** What the client says of itself; hints that name a lineage and break ties, never proof. */
export interface SessionHints {
  readonly tenant: string;
  readonly sessionId: string | null;
  readonly agentId: string | null;
  readonly parentAgentId: string | null;
}
