import { posix } from "node:path";
import { expect, test } from "vitest";
import type { JsonObject } from "../../src/model/json.ts";
import type { ServerCleared } from "../../src/model/server-clear.ts";
import { anthropicProvider } from "../../src/providers/anthropic.ts";
import { byteCounter, promptOf } from "../../src/replay/simulated/prompt.ts";
import { lifetimeOf } from "../support/clearing-stage.ts";
import { sampled } from "./client/samples.ts";
import { RUNS, SEED, TIMEOUT_MS } from "./property.ts";
import { newSignedTally, playSigned, type SignedRun, signedSession, type TakenRequest } from "./signed-world.ts";

const STEPS = 2;
/** Some of the sessions: each request is read back by hand. */
const SESSIONS = Math.ceil(RUNS / 5);

interface Use {
  readonly id: string;
  readonly name: string;
  readonly path: string;
  /** Index of the assistant message among them. */
  readonly step: number;
}

/** Tool uses of a body in their order, read without the wire. */
function usesOf(sent: JsonObject): { readonly uses: readonly Use[]; readonly steps: number } {
  const messages: { role: string; content: unknown }[] = JSON.parse(JSON.stringify(sent.messages));
  const answers = messages.filter(({ role }) => role === "assistant");
  const uses = answers.flatMap(({ content }, step) =>
    (Array.isArray(content) ? content : [])
      .filter(({ type }: { type: string }) => type === "tool_use")
      .map(({ id, name, input }: { id: string; name: string; input: { file_path?: unknown } }) => {
        return { id, name, path: posix.resolve("/w", String(input.file_path)), step };
      }),
  );
  return { uses, steps: answers.length };
}

interface Asked {
  readonly keep: { readonly value: number };
  readonly exclude_tools?: readonly string[];
}

/** What a provider clears that keeps the newest uses and all of some tools. */
function clearedIn(sent: JsonObject): readonly Use[] {
  const asked: { edits: Asked[] } | undefined = sent.context_management as unknown as { edits: Asked[] } | undefined;
  const [edit] = asked?.edits ?? [];
  if (edit === undefined) return [];
  const { uses } = usesOf(sent);
  return uses
    .slice(0, Math.max(0, uses.length - edit.keep.value))
    .filter(({ name }) => edit.exclude_tools?.includes(name) !== true);
}

/** Why a result may not leave, as far as the body alone tells; null where it may. */
function wrongIn({ id, name, path, step }: Use, sent: JsonObject): string | null {
  const { uses, steps } = usesOf(sent);
  if (name === "Bash") return steps - 1 - step >= STEPS ? null : `${id} is ${steps - 1 - step} steps old`;
  if (name !== "Read") return `${id} is a result of ${name}`;
  const isFollowed = uses.some((other) => other.step >= step && other.id !== id && other.path === path);
  // The client's own notice that somebody else changed it tells as much.
  const isTold = JSON.stringify(sent.messages).includes(`Note: ${path} was modified`);
  return isFollowed || isTold ? null : `nothing was done with ${path} after ${id}`;
}

/** What the simulated provider tells of a body. */
function reportOf(sent: JsonObject): ServerCleared {
  const { clearings } = promptOf(sent, {
    traits: anthropicProvider.traitsOf("claude-opus-5-5"),
    counter: byteCounter,
    isDropped: () => false,
  });
  const uses = clearings.flatMap((clearing) => (clearing.kind === "tool-uses" ? [clearing] : []));
  return { uses: uses[0]?.uses ?? 0, tokens: uses[0]?.tokens ?? 0 };
}

test("what the provider is asked to clear may leave, what counts as cleared is, and no signature breaks", {
  timeout: TIMEOUT_MS,
}, async () => {
  const faults: string[] = [];
  const counts = { asked: 0, cleared: 0, known: 0, notes: 0 };
  const run: SignedRun = {
    option: "hold",
    preset: "tidy",
    adjust: (settings) => ({
      ...settings,
      serverClear: true,
      lifetimeRules: [lifetimeOf("run", STEPS)],
      paying: { ...settings.paying, attentionPrice: 5_000 },
    }),
    told({ sent, prepared }: TakenRequest) {
      const cleared = clearedIn(sent);
      if (sent.context_management === undefined) return {};
      counts.asked++;
      counts.cleared += cleared.length;
      for (const use of cleared) {
        const wrong = wrongIn(use, sent);
        if (wrong !== null) faults.push(wrong);
      }
      const ids = new Set(cleared.map(({ id }) => id));
      const { plan } = prepared;
      const known = new Set(
        (plan?.inForce ?? []).filter(({ moment }) => moment === "server-clear").map((one) => one.itemKey),
      );
      for (const item of plan?.transcript.items ?? []) {
        if (!known.has(item.key)) continue;
        counts.known++;
        if (item.kind !== "result" || !ids.has(item.callId)) faults.push(`${item.key} counts as cleared and is not`);
      }
      if (JSON.stringify(sent.messages).includes("Only this view was shortened")) counts.notes++;
      return { serverCleared: reportOf(sent) };
    },
  };
  const tally = newSignedTally();
  for (const session of sampled(SESSIONS, SEED)) await playSigned(signedSession(session, "hold"), run, tally);
  process.stdout.write(`server clear: ${JSON.stringify(counts)} in ${tally.requests} requests\n`);
  expect([...new Set(faults)]).toEqual([]);
  expect(tally.refusals).toEqual([]);
  for (const count of Object.values(counts)) expect(count).toBeGreaterThan(0);
});
