import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { providers } from "../../../builtins.ts";
import type { ResolvedConfig } from "../../../config/resolved.ts";
import { type SimulatedProvider, startSimulatedProvider } from "../../../replay/simulated/server.ts";
import { type Serving, startServing } from "../../serve-proxy.ts";
import { compareBodies, type SeenMarker } from "./body-comparison.ts";
import { createTrialPlan, scenarioOf, type TrialPlan } from "./plan.ts";
import { answered, type Block, beginTalk, bodyOf, type Talk } from "./talk.ts";

/** What came of a trial. */
export type TrialOutcome =
  /** `released` may be empty: nothing was to leave, and every body came through unchanged. */
  | { readonly kind: "worked"; readonly released: readonly string[]; readonly savedBytes: number }
  /** Something that must hold does not. */
  | { readonly kind: "broken"; readonly words: string };

const REQUEST_MS = 2_000;
const STEP_MS = 5_000;
/** Longer than any provider caches. */
const PAUSE_MS = 3 * 60 * 60 * 1000;

/**
 * Has a conversation through a proxy with this configuration and a simulated provider, both on free ports of this machine and on a
 * clock of their own. Rejects with what the environment does.
 */
export async function tryRelease(config: ResolvedConfig, temporaryFolder: string): Promise<TrialOutcome> {
  const folder = mkdtempSync(join(temporaryFolder, "ebb-doctor-"));
  const plan = createTrialPlan(config);
  const closing: (() => Promise<void>)[] = [];
  let clockMs = Date.now();
  const nowMs = (): number => clockMs;
  try {
    const models = providers.anthropic;
    const provider = await startSimulatedProvider({ models, scenario: scenarioOf(plan), clock: nowMs });
    closing.push(() => provider.close());
    const own = { host: "127.0.0.1", port: 0, upstream: provider.url, isUpstreamStated: true, dataFolder: folder };
    const served = { ...config, ...own };
    const serving = await startServing({ ...served, logLevel: "silent" }, () => {}, nowMs);
    closing.push(() => serving.close(0));
    const advance = (ms: number): void => {
      clockMs += ms;
    };
    return await converse({ provider, serving, plan, advance });
  } finally {
    for (const close of closing.toReversed()) await close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What a trial is played on. */
export interface Stage {
  readonly provider: Pick<SimulatedProvider, "requests">;
  readonly serving: Pick<Serving, "token" | "keeper"> & { readonly proxy: Pick<Serving["proxy"], "url"> };
  readonly plan: TrialPlan;
  advance(ms: number): void;
}

/** What is known of a conversation so far. */
interface Progress {
  readonly talk: Talk;
  readonly markers: ReadonlyMap<string, SeenMarker>;
  readonly savedBytes: number;
}

/** A fault of what is tried, on its way to the outcome. */
class Fault extends Error {}

/** Every step of the plan, a pause in which any cache expires, and a request that must repeat what was sent. */
export async function converse(stage: Stage): Promise<TrialOutcome> {
  const { plan, advance } = stage;
  let progress: Progress = { talk: beginTalk("Try out Ebb."), markers: new Map(), savedBytes: 0 };
  try {
    for (const planned of [...plan.steps, []]) {
      progress = await exchange(stage, progress, planned);
      advance(STEP_MS);
    }
    advance(PAUSE_MS);
    progress = await exchange(stage, progress, []);
    advance(STEP_MS);
    progress = await exchange(stage, progress, []);
    await recallAll(stage, progress);
  } catch (error) {
    if (error instanceof Fault) return { kind: "broken", words: error.message };
    throw error;
  }
  return outcomeOf(stage, progress);
}

function outcomeOf({ plan, serving }: Stage, { talk, markers, savedBytes }: Progress): TrialOutcome {
  const released = [...markers.keys()].map((id) => talk.results.get(id)?.label ?? id);
  const missing = [...plan.leaving].filter((label) => !released.includes(label));
  if (missing.length === 0) return { kind: "worked", released, savedBytes };
  const { declined, errors } = serving.keeper.stats();
  const reasons = new Set([...declined.map(({ reason }) => reason), ...errors.map(({ code }) => code)]);
  return { kind: "broken", words: `${missing.join(", ")} went out whole (${[...reasons].join(", ")})` };
}

const answerSchema = z.object({ content: z.array(z.looseObject({ type: z.string(), id: z.string().optional() })) });

/** One request and its answer. Throws `Fault` where the body that arrived is not what it must be. */
async function exchange(stage: Stage, progress: Progress, planned: TrialPlan["steps"][number]): Promise<Progress> {
  const { talk, markers } = progress;
  const sent = bodyOf(talk);
  const { arrived, answer } = await send(stage, sent);
  const results = new Map([...talk.results].map(([id, { result }]) => [id, result]));
  const seen = compareBodies(sent, arrived, results);
  if (!seen.ok) throw new Fault(`something else of a request changed: ${seen.words}`);
  const isSteady = [...markers].every(([id, { text }]) => seen.markers.get(id)?.text === text);
  if (!isSteady) throw new Fault("a later request did not repeat a marker byte for byte");
  const savedBytes = Buffer.byteLength(sent) - Buffer.byteLength(arrived);
  return { talk: answered(talk, answer, planned), markers: seen.markers, savedBytes };
}

async function send(
  { provider, serving }: Stage,
  body: string,
): Promise<{ readonly arrived: string; readonly answer: readonly Block[] }> {
  const response = await fetch(`${serving.proxy.url}/v1/messages`, {
    method: "POST",
    headers: { "content-type": "application/json", "anthropic-version": "2023-06-01" },
    body,
    signal: AbortSignal.timeout(REQUEST_MS),
  });
  const text = await response.text();
  const arrived = provider.requests().at(-1)?.bodyRaw;
  if (arrived === undefined) throw new Fault("a request did not reach the provider");
  if (response.status !== 200) throw new Fault(`the provider refused what arrived (${response.status})`);
  return { arrived, answer: answerSchema.parse(JSON.parse(text)).content };
}

/** Throws `Fault` where a recall over HTTP does not bring the very bytes back. */
async function recallAll({ serving }: Stage, { talk, markers }: Progress): Promise<void> {
  for (const [id, { address }] of markers) {
    const response = await fetch(`${serving.proxy.url}/recall/${address}?raw`, {
      headers: { authorization: `Bearer ${serving.token}` },
      signal: AbortSignal.timeout(REQUEST_MS),
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    const isExact = response.status === 200 && bytes.equals(Buffer.from(talk.results.get(id)?.result ?? ""));
    if (!isExact) throw new Fault("a recall did not bring the exact bytes back");
  }
}
