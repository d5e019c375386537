import type { Keeper } from "../../../src/keeper/contract.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import type { Wire } from "../../../src/model/ports.ts";
import type { Store } from "../../../src/model/store.ts";
import { type SigningPoint, signThinking } from "../../../src/replay/simulated/signature.ts";
import { createMemoryStore } from "../../../src/stores/memory.ts";
import { type Block, bodyOf } from "../../support/conversation.ts";
import { ask, type Forward, textOf } from "../../support/inline/keeper-client.ts";
import type { RoundMessage } from "../../support/inline/messages.ts";
import { prepare, wire } from "../../support/keeper.ts";
import { SIGNING_MODEL, takeSigned } from "../../support/signing-provider.ts";
import type { AsideMove, AsideSession, RoundShape } from "./moves.ts";
import type { GivenRound, Thread, ThreadMessage } from "./thread.ts";

/** What a session is played with. */
export interface AsideWorld {
  /** A keeper as a process opens it. */
  open(store: Store, idPrefix: string): Keeper & { readonly errors: readonly string[] };
  /** The store and the wire as the keeper sees them; a broken one is a mutant. */
  storeOf(store: Store): Store;
  readonly wire: Wire;
}

/** One body as it left, and what it must be judged by. */
export interface LeftBody {
  readonly received: Uint8Array;
  readonly sent: string;
  /** The thread as the client sent it, and the rounds of the message that is asked for, which were answered before. */
  readonly messages: readonly ThreadMessage[];
  readonly isFirst: boolean;
  readonly prepared: Forward;
}

export interface AsideTally {
  sessions: number;
  requests: number;
  rounds: number;
  putBack: number;
  restarts: number;
}

/** Judges one body; words for what is wrong. */
export type AsideWatcher = (left: LeftBody, store: Store) => Promise<readonly string[]>;

const MINUTE = 60_000;
const MODEL = "claude-sonnet-4-5-20250929";

/** Plays a session, and answers what its watcher and its provider find wrong. */
export async function playAsides(
  session: AsideSession,
  world: AsideWorld,
  watch: AsideWatcher,
  tally: AsideTally,
): Promise<readonly string[]> {
  const store = createMemoryStore();
  const play: Play = {
    session,
    world,
    watch,
    tally,
    store,
    keeper: world.open(world.storeOf(store), "p0"),
    threads: [{ sessionId: "s0", messages: [] }],
    faults: [],
    clockMs: 0,
    count: 0,
  };
  tally.sessions++;
  for (const move of session.moves) {
    play.clockMs += MINUTE;
    await make(move, play);
    if (play.faults.length > 0) break;
  }
  const { law_violations: violations } = play.keeper.stats();
  if (violations > 0) play.faults.push(`own check: ${play.keeper.errors.join("; ")}`);
  await play.keeper.close();
  return play.faults;
}

interface Play {
  readonly session: AsideSession;
  readonly world: AsideWorld;
  readonly watch: AsideWatcher;
  readonly tally: AsideTally;
  readonly store: Store;
  keeper: ReturnType<AsideWorld["open"]>;
  readonly threads: Thread[];
  readonly faults: string[];
  clockMs: number;
  /** Names what is new. */
  count: number;
}

async function make(move: AsideMove, play: Play): Promise<void> {
  if (move.kind === "restart") return restart(play);
  const index = move.thread % play.threads.length;
  const thread = play.threads[index];
  if (thread === undefined) return;
  const put = (messages: Thread["messages"]) => {
    play.threads[index] = { ...thread, messages };
  };
  const { messages } = thread;
  const isAsked = messages.at(-1)?.role === "user";
  switch (move.kind) {
    case "say":
      return put(await answered({ ...thread, messages: isAsked ? messages : spoken(messages, play) }, move, play));
    case "again": {
      const asked = isAsked ? messages : messages.slice(0, -1);
      return asked.length === 0 ? undefined : put(await answered({ ...thread, messages: asked }, move, play));
    }
    case "rewind":
      return put(messages.slice(0, Math.max(0, messages.length - 2 * move.back)));
    case "fork":
      play.threads.push({ messages, sessionId: move.isOther ? `s${++play.count}` : thread.sessionId });
      return;
    case "count":
      return isAsked || messages.length === 0 ? undefined : countTokens(thread, play);
  }
}

async function restart(play: Play): Promise<void> {
  await play.keeper.close();
  play.tally.restarts++;
  play.keeper = play.world.open(play.world.storeOf(play.store), `p${++play.count}-`);
}

/** Results of what the model called, else words. */
function spoken(messages: Thread["messages"], play: Play): Thread["messages"] {
  const used = messages.at(-1)?.content.filter(({ type }) => type === "tool_use") ?? [];
  const results = used.map(({ id }) => ({ type: "tool_result", tool_use_id: id, content: `output ${String(id)}` }));
  const content = results.length > 0 ? results : [{ type: "text", text: `say ${++play.count}` }];
  return [...messages, { role: "user", content, rounds: [] }];
}

type Asking = Extract<AsideMove, { kind: "say" | "again" }>;

/** The thread with the model's answer as the client has it. */
async function answered(thread: Thread, { rounds, isCut }: Asking, play: Play): Promise<Thread["messages"]> {
  const received = bodyFor(thread.messages, play);
  const given: GivenRound[] = [];
  const shapes = rounds.map((shape, index) => (isCut && index === 0 ? { ...shape, says: true } : shape));
  const options = { atMs: play.clockMs, sessionId: thread.sessionId, isCut, wire: play.world.wire };
  const model = async (prepared: Forward, index: number): Promise<RoundMessage | null> => {
    const point = await take({ thread, received, given, prepared, isFirst: index === 0 }, play);
    if (point === null) return null;
    const blocks = blocksOf(shapes[index] ?? LAST, prepared, point, play);
    given.push(roundOf(blocks, prepared));
    return { blocks: blocks.map((block): JsonObject => JSON.parse(JSON.stringify(block))) };
  };
  const { content } = await ask(play.keeper, received, model, options);
  const echo = echoOf(content ?? [], play);
  return echo.length === 0
    ? thread.messages
    : [...thread.messages, { role: "assistant", content: echo, rounds: given }];
}

const LAST: RoundShape = { thinks: false, says: true, recalls: 0, recallsFirst: false, uses: 0 };

interface Taking {
  readonly thread: Thread;
  readonly received: Uint8Array;
  readonly given: readonly GivenRound[];
  readonly prepared: Forward;
  readonly isFirst: boolean;
}

/** What the provider makes of a body: where it signs next; null where it refuses. */
async function take({ thread, received, given, prepared, isFirst }: Taking, play: Play): Promise<SigningPoint | null> {
  const sent = textOf(prepared);
  const asking: readonly ThreadMessage[] = isFirst ? [] : [{ role: "assistant", content: [], rounds: given }];
  const messages = [
    ...thread.messages,
    ...asking.map((one) => ({ ...one, content: given.flatMap(({ blocks }) => blocks) })),
  ];
  play.tally.requests++;
  if (!isFirst) play.tally.rounds++;
  play.faults.push(...(await play.watch({ received, sent, messages, isFirst, prepared }, play.store)));
  const came: JsonObject = isFirst ? JSON.parse(Buffer.from(received).toString()) : JSON.parse(sent);
  const taken = takeSigned(JSON.parse(sent), came, prepared.headers, play.session.isBinding ? "prefix" : "none");
  if (taken.ok) return taken.next;
  play.faults.push(`refused: ${taken.words}`);
  return null;
}

function blocksOf(shape: RoundShape, { inline }: Forward, point: SigningPoint, play: Play): readonly Block[] {
  const name = () => `${++play.count}`;
  const canRecall = inline !== null;
  const recalls = Array.from({ length: canRecall ? shape.recalls : 0 }, () => used(`own${name()}`, "ebb_recall"));
  const uses = Array.from({ length: shape.uses }, () => used(`use${name()}`, "Read"));
  const thought = `thought ${name()}`;
  const thinking = shape.thinks
    ? [{ type: "thinking", thinking: thought, signature: signThinking(point, thought) }]
    : [];
  const isSilent = recalls.length + uses.length === 0;
  const says = shape.says || isSilent ? [{ type: "text", text: `text ${name()}\n ` }] : [];
  const own = shape.recallsFirst ? [...recalls, ...says] : [...says, ...recalls];
  return [...thinking, ...own, ...uses];
}

function used(id: string, name: string): Block {
  return { type: "tool_use", id, name, input: { id } };
}

function roundOf(blocks: readonly Block[], { inline }: Forward): GivenRound {
  const calls = blocks.filter(({ type }) => type === "tool_use");
  const own = calls.filter(({ name }) => inline?.toolNames.has(String(name)) === true);
  return {
    blocks,
    own: new Set(own.map(({ id }) => String(id))),
    isRound: own.length > 0 && own.length === calls.length,
  };
}

function echoOf(content: readonly Block[], { session }: Play): readonly Block[] {
  if (session.habit === "faithful") return content;
  const kept = content.filter(({ type }) => type !== "thinking");
  if (session.habit !== "trimmed") return kept;
  return kept.map((block) => (block.type === "text" ? { ...block, text: String(block.text).trim() } : block));
}

async function countTokens(thread: Thread, play: Play): Promise<void> {
  const asked = { ...thread, messages: spoken(thread.messages, play) };
  const received = bodyFor(asked.messages, play);
  const { sessionId } = thread;
  const options = { atMs: play.clockMs, sessionId, kind: "count", wire: play.world.wire } as const;
  const prepared = await prepare(play.keeper, received, options);
  if (prepared.kind === "refuse") {
    play.faults.push(`refused by Ebb: ${prepared.words}`);
    return;
  }
  const left = { received, sent: textOf(prepared), messages: asked.messages, isFirst: true, prepared };
  play.faults.push(...(await play.watch(left, play.store)));
}

function bodyFor(messages: readonly ThreadMessage[], { session }: Play): Uint8Array {
  const thinking = { type: "enabled", budget_tokens: 2_000 };
  const talk = { messages: messages.map(({ role, content }) => ({ role, content })) };
  return bodyOf(talk, { model: session.isBinding ? SIGNING_MODEL : MODEL, thinking });
}

/** The wire of these sessions as it is. */
export const realWire = wire;
