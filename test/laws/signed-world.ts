import { join } from "node:path";
import { keeperSettingsOf } from "../../src/cli/open-keeper.ts";
import { resolveFrom } from "../../src/config/resolve.ts";
import type { BoundThinking } from "../../src/engine/thinking-way.ts";
import type { Prepared } from "../../src/keeper/contract.ts";
import { createKeeper } from "../../src/keeper/keeper.ts";
import type { KeeperSettings } from "../../src/keeper/settings.ts";
import type { JsonObject } from "../../src/model/json.ts";
import type { ResponseFacts } from "../../src/model/usage.ts";
import { type SigningPoint, signThinking } from "../../src/replay/simulated/signature.ts";
import { createMemoryStore } from "../../src/stores/memory.ts";
import { factsOfRefusal, takeSigned } from "../support/signing-provider.ts";
import type { Move, Session } from "./client/moves.ts";
import { type ClientRequest, MODELS, requestsOf } from "./client/session-play.ts";
import { prepare, realWorld } from "./world.ts";

export const OPTIONS = ["hold", "strip_at_turn", "strip", "drop"] as const satisfies readonly BoundThinking[];

/** Configurations under which signed thinking must fit, each as an operator states it. */
export const PRESETS = {
  seed: { pipeline: "readlifecycle", readlifecycle_cold_cache: "true" },
  standard: { preset: "standard", readlifecycle_quiet_steps: "0" },
  tidy: { preset: "tidy" },
  pays: { pipeline: "readlifecycle", readlifecycle_cold_cache: "true", pays: "true", attention_price: "5000" },
} as const satisfies Readonly<Record<string, Readonly<Record<string, string>>>>;

export interface SignedRun {
  readonly option: BoundThinking;
  readonly preset: keyof typeof PRESETS;
  /** Last change of the settings. */
  adjust?(settings: KeeperSettings): KeeperSettings;
  /** Looks at a request that the provider took, and says what its response tells beside the usual. */
  told?(request: TakenRequest): Partial<ResponseFacts>;
}

/** A request as it left, and what Ebb says of it. */
export interface TakenRequest {
  readonly sent: JsonObject;
  readonly prepared: Extract<Prepared, { kind: "forward" }>;
}

/** What came of the sessions of a run. */
export interface SignedTally {
  sessions: number;
  requests: number;
  /** Requests that the provider would have refused its client without Ebb: they are not sent. */
  unfit: number;
  readonly refusals: string[];
  /** Releases of what was sent before, by moment. */
  readonly atDepth: Map<string, number>;
  /** Of those, in front of thinking that was there then, on a model that signs it over them. */
  overThinking: number;
}

export function newSignedTally(): SignedTally {
  return { sessions: 0, requests: 0, unfit: 0, refusals: [], atDepth: new Map(), overThinking: 0 };
}

/** Plays a session against a provider that signs and checks, and notes what it refuses. */
export async function playSigned(session: Session, run: SignedRun, tally: SignedTally): Promise<void> {
  const store = createMemoryStore({});
  const settings = known.get(run) ?? settingsOf(run);
  known.set(run, settings);
  let keeper = createKeeper({ ...settings, store });
  const [withEbb, without] = [createSigner(), createSigner()];
  tally.sessions++;
  for (const request of requestsOf(session)) {
    if (request.isAfterRestart) {
      await keeper.close();
      keeper = createKeeper({ ...settings, store });
    }
    const alone = without.signed(request);
    if (!without.take(request, alone, alone, []).ok) {
      tally.unfit++;
      continue;
    }
    tally.requests++;
    const body = withEbb.signed(request);
    const prepared = await prepare(keeper, { ...request, body }, realWorld);
    if (prepared.kind === "refuse") {
      tally.refusals.push(`Ebb: ${prepared.words}`);
      continue;
    }
    const taken = withEbb.take(request, Buffer.concat(prepared.body), body, prepared.headers);
    if (!taken.ok) tally.refusals.push(`${run.option} ${run.preset}: ${taken.words}`);
    if (request.kind === "generate") note(prepared, request, tally);
    const sent: JsonObject = JSON.parse(Buffer.concat(prepared.body).toString());
    const told = taken.ok ? run.told?.({ sent, prepared }) : {};
    await end(prepared, request, taken.ok ? null : taken.words, told);
  }
  const { law_violations, errors } = keeper.stats();
  if (law_violations > 0) tally.refusals.push(`own check: ${errors.map(({ words }) => words).join("; ")}`);
  await keeper.close();
  await store.close();
}

/** The same session with a model that signs, a client that repeats what came, and new turns on warm and on cold caches. */
export function signedSession({ setting, moves, seed }: Session, option: BoundThinking): Session {
  // Who has the provider drop thinking asks for it in every request: not to is to switch it off between two rounds.
  const frames = option === "drop" ? ON_FRAMES : THINKING_FRAMES;
  const kept = moves.flatMap((move): readonly Move[] => {
    if (move.kind === "clear" || move.kind === "compact") return [];
    if (move.kind === "work") return [{ ...move, thinks: move.thinks || seed % 2 === 0 }];
    // Tools and system prompt are signed over as well.
    if (move.kind === "frame") return [{ kind: "frame", frame: frames[move.frame % frames.length] ?? 0 }];
    return [move];
  });
  const turned = kept.flatMap((move, index): readonly Move[] => {
    if (index % 4 !== 3) return [move];
    const pause: readonly Move[] = (seed + index) % 3 === 0 ? [] : [{ kind: "pause", minutes: 70 }];
    return [move, ...pause, { kind: "ask", thread: 0, form: "text" }];
  });
  return {
    setting: { ...setting, model: SIGNING, ttl: setting.ttl ?? "5m", isFaithful: true },
    moves: [{ kind: "frame", frame: ADAPTIVE }, ...(seed % 3 === 0 ? [] : OPENING), ...turned],
    seed,
  };
}

const SIGNING = 2;
const ADAPTIVE = 6;
/** A read that becomes stale while the model thinks. */
const OPENING: readonly Move[] = [
  {
    kind: "work",
    thread: 0,
    uses: [{ tool: "read", path: 0, window: 0, size: 18, flavour: "plain", shape: "string", end: "ok" }],
    thinks: true,
  },
  { kind: "work", thread: 0, uses: [{ tool: "edit", path: 0, end: "ok" }], thinks: true },
];
/** Frames that change nothing thinking is signed over. */
const THINKING_FRAMES = [0, 3, 4, 5, 6, 7];
/** Those of them that ask for thinking. */
const ON_FRAMES = [3, 4, 6];
/** Models that do not sign over what stands before. */
const UNBOUND: readonly string[] = MODELS.slice(0, 2);
/** Small enough that ordinary results of a session pass it. */
const BOUND = { lines: 26, bytes: 3_000 };

/** The settings of a run, which all its sessions share. */
const known = new WeakMap<SignedRun, Omit<KeeperSettings, "store">>();

function settingsOf({ option, preset, adjust }: SignedRun): Omit<KeeperSettings, "store"> {
  const stated = Object.entries({ ...PRESETS[preset], bound_thinking: option });
  const env = Object.fromEntries(stated.map(([name, value]) => [`EBB_${name.toUpperCase()}`, value]));
  const place = { env, cwd: "/", home: join("/", "home"), platform: "linux" } as const;
  const config = resolveFrom(null, new Map(), place);
  const bounded = config.sizeBound === null ? null : { ...config.sizeBound, bound: BOUND };
  const settings = keeperSettingsOf({ ...config, sizeBound: bounded }, () => undefined);
  // Only what is given to it changes: the store is the keeper's own.
  return adjust === undefined ? settings : adjust({ ...settings, store: createMemoryStore({}) });
}

interface Signer {
  /** The client's body with the signatures that its model made. */
  signed(request: ClientRequest): Uint8Array;
  take(
    request: ClientRequest,
    sent: Uint8Array,
    came: Uint8Array,
    headers: Parameters<typeof takeSigned>[2],
  ): ReturnType<typeof takeSigned>;
}

/** Signs each thought over what was sent last in its thread. */
function createSigner(): Signer {
  const points = new Map<string, SigningPoint>();
  const signatures = new Map<string, string>();

  function sign(request: ClientRequest): void {
    const point = points.get(request.thread) ?? points.get(request.forkedFrom ?? "");
    for (const { thought, signature } of thoughtsOf(request)) {
      if (point !== undefined && !signatures.has(signature)) signatures.set(signature, signThinking(point, thought));
    }
  }

  return {
    signed(request) {
      sign(request);
      let text = Buffer.from(request.body).toString("latin1");
      for (const { signature } of thoughtsOf(request)) {
        text = text.replace(`"${signature}"`, () => `"${signatures.get(signature) ?? signature}"`);
      }
      return Buffer.from(text, "latin1");
    },
    take(request, sent, came, headers) {
      const body: JsonObject = JSON.parse(Buffer.from(sent).toString());
      const original: JsonObject = JSON.parse(Buffer.from(came).toString());
      const binding = UNBOUND.includes(request.model) ? "none" : "prefix";
      const taken = takeSigned(body, original, headers, binding);
      if (taken.ok && request.kind === "generate") points.set(request.thread, taken.next);
      return taken;
    },
  };
}

function thoughtsOf({ messages }: ClientRequest): readonly { readonly thought: string; readonly signature: string }[] {
  return messages.flatMap(({ blocks }) =>
    blocks.flatMap((block) => {
      if (block.kind !== "as-is" || typeof block.node !== "object" || block.node === null) return [];
      const members = "members" in block.node ? new Map(block.node.members) : new Map();
      if (members.get("type") !== "thinking") return [];
      return [{ thought: String(members.get("thinking")), signature: String(members.get("signature")) }];
    }),
  );
}

function note({ plan }: Extract<Prepared, { kind: "forward" }>, { model }: ClientRequest, tally: SignedTally): void {
  for (const { moment, thinkingBehind } of plan?.fresh ?? []) {
    if (moment === "first-send") continue;
    tally.atDepth.set(moment, (tally.atDepth.get(moment) ?? 0) + 1);
    if (thinkingBehind !== null && !UNBOUND.includes(model)) tally.overThinking++;
  }
}

async function end(
  prepared: Extract<Prepared, { kind: "forward" }>,
  { ending }: ClientRequest,
  refused: string | null,
  told: Partial<ResponseFacts> = {},
): Promise<void> {
  if (refused !== null) return prepared.finish(factsOfRefusal(refused), 400);
  if (ending === null) return;
  const isOk = ending.status === 200;
  await prepared.finish(
    {
      usage: null,
      messageId: null,
      stopReason: null,
      errorType: isOk ? null : "overloaded_error",
      calls: ending.calls,
      isComplete: isOk,
      ...told,
    },
    ending.status,
  );
}
