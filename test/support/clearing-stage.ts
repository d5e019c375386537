import type { LifetimeRule } from "../../src/model/lifetime-rule.ts";
import type { ScriptStep } from "../../src/replay/simulated/scenario.ts";
import {
  type ClearingClient,
  clearingClient,
  clearingProvider,
  type Exchanged,
  type ExchangeOptions,
} from "./clearing-client.ts";
import { createTestKeeper, type TestKeeperOptions } from "./keeper.ts";

export const SECOND = 1_000;
export const MINUTE = 60_000;
export const OUTPUT = "a line of output that a command printed, of which there are many\n".repeat(60);

/** Command output stays four steps; the provider is asked to clear what is over. */
export const TIDY: TestKeeperOptions = {
  serverClear: true,
  lifetimeRules: [lifetimeOf("run", 4)],
  paying: { pays: true },
};

/** A lifetime in steps for what one kind of tool returns. */
export function lifetimeOf(kind: "run" | "read" | "fetch", steps: number): LifetimeRule {
  return { tools: null, kinds: [kind], fitsPath: null, media: null, turns: null, steps };
}

/** Steps in which the model thinks and runs a command, each another one. */
export const COMMANDS: readonly ScriptStep[] = Array.from({ length: 90 }, (_, at) => ({
  thinking: `thought ${at}`,
  tools: [{ name: "Bash", input: { command: `make part${at}` } }],
}));

/** A keeper, a client and a provider that clears. */
export function stageOf(
  options: TestKeeperOptions = TIDY,
  steps: readonly ScriptStep[] = COMMANDS,
  outputOf: (name: string, command: string) => string = () => OUTPUT,
) {
  const provider = clearingProvider(steps);
  const keeper = createTestKeeper(options);
  const client = clearingClient(keeper, provider, (name, input) => outputOf(name, JSON.stringify(input)));
  return { keeper, provider, client };
}

/** So many steps ten seconds apart, none of them refused. */
export async function play(client: ClearingClient, steps: number, fromMs = 0, options: ExchangeOptions = {}) {
  const all: Exchanged[] = [];
  for (let at = 0; at < steps; at++) {
    const done = await client.step(fromMs + at * 10 * SECOND, options);
    if (done.refused !== null) throw new Error(done.refused);
    all.push(done);
  }
  return all;
}

/** The edit a forwarded body asks for; undefined where it asks for none. */
export function editIn({ sent }: Pick<Exchanged, "sent">) {
  const management = sent.context_management as unknown as { edits: Record<string, unknown>[] } | undefined;
  return management?.edits[0];
}

/** How many tool uses a forwarded body keeps, of how many; -1 where it asks for nothing. */
export function keptIn(done: Pick<Exchanged, "sent">): number {
  return (editIn(done)?.keep as { value: number } | undefined)?.value ?? -1;
}

/** Notes of Ebb in a forwarded body, each with the index of its message. */
export function notesIn({ sent }: Pick<Exchanged, "sent">): readonly { readonly at: number; readonly text: string }[] {
  const messages = sent.messages as unknown as { content: string | { type: string; text?: string }[] }[];
  return messages.flatMap(({ content }, at) =>
    typeof content === "string"
      ? []
      : content.flatMap(({ text = "" }) => (text.startsWith("Only this view was shortened") ? [{ at, text }] : [])),
  );
}
