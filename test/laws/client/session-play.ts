import { createDice, type Dice } from "./dice.ts";
import { FRAMES } from "./frames.ts";
import { object } from "./json-text.ts";
import type { Move, Session, ToolUse } from "./moves.ts";
import { type TalkBlock, type TalkMessage, writeRequest } from "./talk.ts";
import { exchangeOf, image, PATHS } from "./tool-results.ts";

/** One request as the proxy receives it, and what the client knows of it. */
export interface ClientRequest {
  readonly body: Uint8Array;
  readonly thread: string;
  /** The thread whose history this one takes over with this very request. */
  readonly forkedFrom: string | null;
  /** The history was cut or rewritten since the thread's last request. */
  readonly isRewritten: boolean;
  /** The model answered a request of the thread that Ebb did not see. */
  readonly hasUnseen: boolean;
  readonly sessionId: string;
  readonly agentId: string | null;
  readonly kind: "generate" | "count";
  readonly model: string;
  /** What the provider keeps cached messages apart by, beside the model. */
  readonly cache: string;
  /** The history as the client has it, before it gives it a form. */
  readonly messages: readonly TalkMessage[];
  readonly ttlMs: number | null;
  readonly atMs: number;
  /** Ebb was started anew since the last request. */
  readonly isAfterRestart: boolean;
  /** Whether the response's end was ever seen, and its status. */
  readonly ending: Ending | null;
}

/** The response's end; `calls` are those of the answer the client went on with. */
export interface Ending {
  readonly status: number;
  readonly calls: { readonly id: string; readonly name: string }[];
}

/** A model that signs its thinking over everything before, two that do not, and one nobody knows. */
export const MODELS = [
  "claude-sonnet-4-5-20250929",
  "claude-opus-4-5",
  "claude-opus-5-5",
  "someone-elses-model",
] as const;
const TTL_MS = { "5m": 300_000, "1h": 3_600_000 } as const;
const THREADS_MAX = 4;
const FOLD =
  "This session is being continued from a previous conversation that ran out of context. The summary of task ";
const CLEARED = "[Old tool result content cleared]";

interface Thread {
  readonly name: string;
  readonly agentId: string | null;
  sessionId: string;
  messages: readonly TalkMessage[];
  /** Set until the first request of a thread that took another's history over. */
  forkedFrom: string | null;
  isRewritten: boolean;
  /** Messages of the last request that Ebb saw. */
  seenCount: number;
  last: ClientRequest | null;
}

interface Stage {
  readonly session: Session;
  readonly dice: Dice;
  readonly threads: Thread[];
  readonly requests: ClientRequest[];
  model: number;
  frame: number;
  nowMs: number;
  uses: number;
  isRestarted: boolean;
}

/** Plays a session on the client's side: the requests it would send, in order. */
export function requestsOf(session: Session): readonly ClientRequest[] {
  const main = newThread("main", null);
  const stage: Stage = {
    session,
    dice: createDice(session.seed),
    threads: [main],
    requests: [],
    model: session.setting.model,
    frame: 0,
    nowMs: 1_000_000,
    uses: 0,
    isRestarted: false,
  };
  say(main, { kind: "text", text: `Begin with task ${session.seed}.` });
  emit(stage, main, "generate");
  for (const move of session.moves) play(stage, move);
  return stage.requests;
}

function play(stage: Stage, move: Move): void {
  switch (move.kind) {
    case "side":
      playSide(stage, move.purpose);
      break;
    case "pause":
      stage.nowMs += move.minutes * 60_000;
      break;
    case "model":
      stage.model = move.model;
      break;
    case "frame":
      stage.frame = move.frame;
      break;
    case "restart":
      stage.isRestarted = true;
      break;
    case "unseen":
      work(stage, threadOf(stage, move.thread), move.uses, false);
      break;
    case "fork":
      fork(stage, threadOf(stage, move.thread), move.back);
      break;
    default:
      playOn(stage, threadOf(stage, move.thread), move);
  }
}

function threadOf(stage: Stage, number: number): Thread {
  const [main] = stage.threads;
  const thread = stage.threads[number % stage.threads.length] ?? main;
  if (thread === undefined) throw new Error("a session has a thread from its start");
  return thread;
}

/** Moves that end in one request of the thread. */
type ThreadMove = Extract<
  Move,
  { kind: "work" | "ask" | "note" | "again" | "count" | "rewind" | "resume" | "compact" | "clear" }
>;

function playOn(stage: Stage, thread: Thread, move: ThreadMove): void {
  switch (move.kind) {
    case "work":
      work(stage, thread, move.uses, move.thinks);
      break;
    case "ask":
      ask(stage, thread, move.form);
      break;
    case "note":
      note(thread, move.path, move.role);
      break;
    case "again":
      repeat(stage, thread);
      return;
    case "count":
      break;
    case "rewind":
      cut(thread, move.back);
      ask(stage, thread, "text");
      break;
    case "resume":
      thread.sessionId = `s${stage.nowMs}`;
      break;
    case "compact":
      thread.messages = [
        { role: "user", blocks: [{ kind: "text", text: `${FOLD}${stage.session.seed}: files were read.` }] },
      ];
      thread.isRewritten = true;
      break;
    case "clear":
      clear(thread, move.keeps);
      break;
  }
  emit(stage, thread, move.kind === "count" ? "count" : "generate");
}

function work(stage: Stage, thread: Thread, uses: readonly ToolUse[], thinks: boolean): void {
  const exchanges = uses.map((use) => {
    stage.uses++;
    return exchangeOf(use, `toolu_${stage.uses}`, stage.uses, stage.session.setting.isTabbed);
  });
  const { isFaithful } = stage.session.setting;
  const thought = { type: "thinking", thinking: `hm ${stage.uses} ü`, signature: `sig+/${stage.uses}==` };
  const hidden = { type: "redacted_thinking", data: `opaque${stage.uses}` };
  const thinking: readonly TalkBlock[] = thinks
    ? [{ kind: "as-is", node: object(stage.uses % 3 === 0 && !isFaithful ? hidden : thought) }]
    : [];
  const calls = exchanges.map(({ call }) => call);
  if (thread.seenCount === thread.messages.length) {
    thread.last?.ending?.calls.push(
      ...calls.flatMap((call) => (call.kind === "call" ? [{ id: call.id, name: call.name }] : [])),
    );
  }
  append(thread, { role: "assistant", blocks: [...thinking, { kind: "text", text: `Step ${stage.uses}` }, ...calls] });
  append(thread, { role: "user", blocks: exchanges.map(({ result }) => result) });
}

function ask(stage: Stage, thread: Thread, form: "text" | "string" | "image" | "unknown"): void {
  append(thread, { role: "assistant", blocks: [{ kind: "text", text: `Done ${stage.uses}.` }] });
  const text: TalkBlock = { kind: "text", text: `And now ${stage.requests.length}?` };
  const extra: Readonly<Record<typeof form, readonly TalkBlock[]>> = {
    text: [],
    string: [],
    image: [{ kind: "as-is", node: image(1_000 + stage.uses * 100 + stage.requests.length) }],
    unknown: [
      { kind: "as-is", node: { verbatim: '{"type":"novel_block","n":1e999,"n":[{}],"deep":{"\\u0061":"\\ud800"}}' } },
    ],
  };
  append(thread, { role: "user", blocks: [...extra[form], text] });
}

function note(thread: Thread, path: number, role: "user" | "system"): void {
  const name = PATHS[path] ?? PATHS[0];
  const words = `Note: ${name} was modified, either by the user or by a linter. This change was intentional.`;
  const text = role === "system" ? words : `<system-reminder>\n${words}\n</system-reminder>`;
  append(thread, { role, blocks: [{ kind: "text", text }] });
}

/** Takes steps back, never past the first message and never between a call and its result. */
function cut(thread: Thread, back: number): void {
  let end = Math.max(1, thread.messages.length - back);
  while (end > 1 && thread.messages[end - 1]?.blocks.some((block) => block.kind === "call") === true) end--;
  thread.isRewritten ||= end < thread.messages.length;
  thread.messages = thread.messages.slice(0, end);
}

function fork(stage: Stage, thread: Thread, back: number): void {
  if (stage.threads.length >= THREADS_MAX || thread.last === null) return;
  const name = `fork${stage.threads.length}`;
  const sessionId = stage.dice.oneIn(2) ? `s-${name}` : thread.sessionId;
  const twin: Thread = { ...thread, name, sessionId, forkedFrom: thread.name, isRewritten: true };
  cut(twin, back);
  ask(stage, twin, "text");
  stage.threads.push(twin);
  emit(stage, twin, "generate");
}

/** What some clients do by themselves on a long history: old results give way to a short text. */
function clear(thread: Thread, keeps: number): void {
  const places = thread.messages.flatMap((message, index) => (hasResults(message) ? [index] : []));
  const old = new Set(places.slice(0, Math.max(0, places.length - keeps)));
  thread.messages = thread.messages.map((message, index) =>
    old.has(index)
      ? {
          ...message,
          blocks: message.blocks.map((block) => (block.kind === "result" ? { ...block, content: CLEARED } : block)),
        }
      : message,
  );
  thread.isRewritten ||= old.size > 0;
}

function hasResults(message: TalkMessage): boolean {
  return message.blocks.some((block) => block.kind === "result");
}

function playSide(stage: Stage, purpose: "title" | "quota" | "sub-agent"): void {
  const name = `${purpose}${stage.requests.length}`;
  const side = newThread(name, purpose === "sub-agent" ? name : null);
  const task = purpose === "sub-agent" ? `Search for task ${stage.session.seed}.` : `Summarise ${stage.session.seed}.`;
  say(side, { kind: "text", text: purpose === "quota" ? `quota ${stage.session.seed}` : task });
  emit(stage, side, "generate");
  if (purpose === "sub-agent" && stage.threads.length < THREADS_MAX) stage.threads.push(side);
}

function newThread(name: string, agentId: string | null): Thread {
  return {
    name,
    agentId,
    sessionId: "s0",
    messages: [],
    forkedFrom: null,
    isRewritten: false,
    seenCount: 0,
    last: null,
  };
}

function say(thread: Thread, block: TalkBlock): void {
  append(thread, { role: "user", blocks: [block] });
}

function append(thread: Thread, message: TalkMessage): void {
  thread.messages = [...thread.messages, message];
}

/** The same request once more, byte for byte, as clients retry. */
function repeat(stage: Stage, thread: Thread): void {
  if (thread.last === null) return;
  stage.nowMs += 20_000;
  thread.last = {
    ...thread.last,
    forkedFrom: null,
    isRewritten: false,
    hasUnseen: false,
    atMs: stage.nowMs,
    isAfterRestart: stage.isRestarted,
  };
  stage.requests.push(thread.last);
  stage.isRestarted = false;
}

/** Answers since the last request that Ebb saw: assistant messages in a row are one. */
function answersBehind({ messages, seenCount }: Thread): number {
  const roles = messages.slice(seenCount).map(({ role }) => role);
  return roles.filter((role, index) => role === "assistant" && roles[index - 1] !== "assistant").length;
}

function emit(stage: Stage, thread: Thread, kind: "generate" | "count"): void {
  const { setting } = stage.session;
  const { dice } = stage;
  stage.nowMs += 20_000;
  const model = MODELS[stage.model] ?? MODELS[0];
  const tools = setting.hasShell ? ["Read", "Edit", "Write", "Bash"] : ["Read", "Edit", "Write"];
  const frame = FRAMES[stage.frame] ?? FRAMES[0];
  const parts = {
    model,
    ttl: setting.ttl,
    frame,
    tools,
    messages: thread.messages,
    isFaithful: setting.isFaithful === true,
  };
  const request: ClientRequest = {
    body: writeRequest(parts, dice),
    thread: thread.name,
    forkedFrom: thread.forkedFrom,
    isRewritten: thread.isRewritten,
    hasUnseen: answersBehind(thread) > 1,
    sessionId: thread.sessionId,
    agentId: thread.agentId,
    kind,
    model,
    cache: frame.cache,
    messages: thread.messages,
    ttlMs: setting.ttl === null ? null : TTL_MS[setting.ttl],
    atMs: stage.nowMs,
    isAfterRestart: stage.isRestarted,
    ending: dice.oneIn(6) ? null : { status: dice.oneIn(9) ? 529 : 200, calls: [] },
  };
  stage.requests.push(request);
  stage.isRestarted = false;
  if (kind === "count") return;
  thread.forkedFrom = null;
  thread.isRewritten = false;
  thread.seenCount = thread.messages.length;
  thread.last = request;
}
