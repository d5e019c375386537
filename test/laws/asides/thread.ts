import type { Block } from "../../support/conversation.ts";

/** One answer of the model to one request, as the provider gave it. */
export interface GivenRound {
  readonly blocks: readonly Block[];
  /** Ids of the calls of Ebb's own tools in it that were answered. */
  readonly own: ReadonlySet<string>;
  /** The provider was asked again behind it. */
  readonly isRound: boolean;
}

/** A message as the client has it, and of one by the model how it came about. */
export interface ThreadMessage {
  readonly role: "user" | "assistant";
  readonly content: readonly Block[];
  readonly rounds: readonly GivenRound[];
}

/** What one client holds of one conversation. */
export interface Thread {
  readonly sessionId: string;
  readonly messages: readonly ThreadMessage[];
}

/**
 * What the provider must see of a thread: each message of the model as it was given, without what the client no longer has, and the
 * answers of Ebb's own tools behind their calls. Messages of one role that follow each other are one.
 */
export function expectedRuns(messages: readonly ThreadMessage[]): readonly string[] {
  const runs: { role: string; blocks: string[] }[] = [];
  const say = (role: string, blocks: readonly string[]) => {
    if (blocks.length === 0) return;
    const last = runs.at(-1);
    if (last?.role === role) last.blocks.push(...blocks);
    else runs.push({ role, blocks: [...blocks] });
  };
  for (const { role, content, rounds } of messages) {
    if (role === "user") {
      say(role, content.map(nameOf));
      continue;
    }
    const kept = new Set(content.map(nameOf));
    for (const { blocks, own } of rounds) {
      say("assistant", blocks.filter((block) => isOwn(block, own) || kept.has(nameOf(block))).map(nameOf));
      say(
        "user",
        Array.from(own, (id) => `=${id}`),
      );
    }
  }
  return runs.map(({ role, blocks }) => `${role}: ${inOrder(role, blocks).join(" ")}`);
}

/** The same of a body that was sent. */
export function runsIn(messages: readonly { readonly role: string; readonly content: unknown }[]): readonly string[] {
  return expectedRuns(
    messages.map(({ role, content }) => {
      const blocks: readonly Block[] = Array.isArray(content) ? content : [{ type: "text", text: content }];
      const isUser = role === "user";
      const rounds = isUser ? [] : [{ blocks, own: new Set<string>(), isRound: false }];
      return { role: isUser ? "user" : "assistant", content: blocks, rounds };
    }),
  );
}

/** What tells a block, whatever a client re-shapes of it. */
export function nameOf(block: Block): string {
  const id = block.id ?? block.signature;
  if (id !== undefined) return String(id);
  return block.type === "tool_result" ? `=${String(block.tool_use_id)}` : JSON.stringify(String(block.text).trim());
}

function isOwn({ id }: Block, own: ReadonlySet<string>): boolean {
  return typeof id === "string" && own.has(id);
}

/** Results of one message answer their calls in any order. */
function inOrder(role: string, blocks: readonly string[]): readonly string[] {
  if (role === "assistant") return blocks;
  const results = blocks.filter((name) => name.startsWith("="));
  return [...results.sort(), ...blocks.filter((name) => !name.startsWith("="))];
}
