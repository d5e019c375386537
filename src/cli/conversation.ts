import type { Keeper } from "../keeper/contract.ts";
import type { OrderContext } from "../keeper/order.ts";
import { type CommandFlag, type GivenArguments, UsageError } from "./command.ts";
import { LOCAL_TENANT } from "./local-tenant.ts";

/** Flags that say which conversation a command is about. */
export const CONVERSATION_FLAGS: readonly CommandFlag[] = [
  { name: "session", value: "id", description: "the conversation, where several could be meant" },
  { name: "last", value: null, description: "the conversation used last" },
];

/** The conversation that the flags, or a session named elsewhere, say; throws `UsageError` where both say one. */
export async function conversationOf(
  given: GivenArguments,
  keeper: Pick<Keeper, "status">,
  named: string | null = null,
): Promise<Pick<OrderContext, "tenant" | "lineage" | "sessionId">> {
  const sessionId = given.textOf("session") ?? named;
  if (!given.isSet("last")) return { tenant: LOCAL_TENANT, lineage: null, sessionId };
  if (sessionId !== null) throw new UsageError("expected a session id or --last, got both");
  const told = await keeper.status({ tenant: LOCAL_TENANT, sessionId: null });
  return { tenant: LOCAL_TENANT, lineage: told.ok ? (told.status?.lineage ?? null) : null, sessionId: null };
}

/** A refusal in words; where several conversations could be meant, also the flags that choose one. */
export function refusalLine({ failure, words }: { readonly failure: string; readonly words: string }): string {
  const flags = failure === "ambiguous session" ? " (--session ID, or --last: the one used last)" : "";
  return `ebb: ${failure}: ${words}${flags}\n`;
}
