import { chooseAttempt } from "../engine/asides.ts";
import type { Chain } from "../engine/chain.ts";
import { EbbError } from "../lib/ebb-error.ts";
import { sha256Hex } from "../lib/hash.ts";
import type { Aside, AsideBlocks } from "../model/aside.ts";
import type { InlineWire, PlacedAside, WireSource } from "../model/ports.ts";
import type { AnchorQuestion } from "./anchors.ts";
import { type AnswerRun, answerRuns, blocksOfRun, numbered, placeInRun } from "./answer-runs.ts";
import type { Workshop } from "./keeper.ts";

/** An aside with what it puts in, in its place in a body. */
export interface AsideInBody {
  readonly aside: Aside;
  readonly blocks: AsideBlocks;
  readonly placed: PlacedAside;
}

/** A body as a client sent it, in which asides may be missing. */
export interface ReceivedBody {
  readonly tenant: string;
  /** Name of the wire that read it. */
  readonly wire: string;
  readonly inline: InlineWire;
  readonly source: WireSource;
  readonly chain: Chain;
}

/** The parts of a keeper that finding asides uses. */
export type AsideDesk = Pick<Workshop, "anchors" | "asides">;

/** Asides for a body, and those whose originals are gone. */
export interface FoundAsides {
  readonly found: readonly AsideInBody[];
  readonly gone: readonly Aside[];
}

/**
 * The asides of every message of the model that the body holds. Throws `EbbError` where nobody can tell. Of `own`, the anchor of
 * the message that is asked for, the store is asked in the same breath.
 */
export async function findAsides(body: ReceivedBody, own: string | null, desk: AsideDesk): Promise<FoundAsides> {
  const messages = anchoredMessages(body);
  await askWhereNeeded(body, messages, own, desk);
  const found: AsideInBody[] = [];
  const gone: Aside[] = [];
  for (const message of messages) {
    for (const { aside, place } of asidesOf(message, body, desk) ?? []) {
      const blocks = await desk.asides.load(body.tenant, aside.digest);
      if (blocks === null || blocks.calls.length !== aside.calls.length) gone.push(aside);
      else found.push({ aside, blocks, placed: placedIn(place, blocks) });
    }
  }
  return { found, gone };
}

/**
 * The anchor of a message behind the first `itemCount` items of a chain. Each format has its own, since an aside is put back as it was
 * written down; those of the first format are the hashes themselves.
 */
export function anchorAt({ hashes }: Chain, itemCount: number, wire: string): string {
  const hash = hashes[itemCount - 1] ?? NOTHING_BEFORE;
  return wire === FIRST_WIRE ? hash : sha256Hex(`${wire} ${hash}`).slice(0, ANCHOR_CHARS);
}

const FIRST_WIRE = "anthropic-messages";
const ANCHOR_CHARS = 32;
const NOTHING_BEFORE = sha256Hex("").slice(0, ANCHOR_CHARS);

interface AnchoredMessage extends AnchorQuestion {
  readonly run: AnswerRun;
  readonly end: string;
}

function anchoredMessages({ source, chain, wire }: ReceivedBody): readonly AnchoredMessage[] {
  const { messages } = source.transcript;
  return answerRuns(source).map((run) => ({
    run,
    anchor: anchorAt(chain, messages[run.messageIndex]?.itemStart ?? 0, wire),
    end: anchorAt(chain, messages[run.end - 1]?.itemEnd ?? 0, wire),
  }));
}

/** One question for all messages of which nothing is known, or of which what is known does not fit. */
async function askWhereNeeded(
  body: ReceivedBody,
  messages: readonly AnchoredMessage[],
  own: string | null,
  desk: AsideDesk,
): Promise<void> {
  const unknown = messages.filter(({ anchor }) => desk.anchors.known(body.tenant, anchor) === undefined);
  const unfit = messages.filter((message) => {
    const known = desk.anchors.known(body.tenant, message.anchor);
    return known !== undefined && known.askedEnd !== message.end && asidesOf(message, body, desk) === null;
  });
  const questions: readonly AnchorQuestion[] = [
    ...unknown,
    ...unfit,
    ...(own === null ? [] : [{ anchor: own, end: null }]),
  ];
  if (questions.length === 0) return;
  try {
    await desk.anchors.ask(body.tenant, questions);
  } catch (error) {
    if (!(error instanceof EbbError) || unknown.length > 0) throw error;
  }
}

/** An aside, and where it stands. */
interface FoundAside {
  readonly aside: Aside;
  readonly place: ReturnType<typeof placeInRun>;
}

/** Null where none fits, or the store may know of others. */
function asidesOf(
  { run, anchor, end }: AnchoredMessage,
  { tenant, inline, source }: ReceivedBody,
  { anchors }: AsideDesk,
): readonly FoundAside[] | null {
  const { attempts, askedEnd } = anchors.known(tenant, anchor) ?? { attempts: [], askedEnd: null };
  if (!attempts.some(({ asides }) => asides.length > 0)) return askedEnd === end ? [] : null;
  const alone = { ...run, end: run.messageIndex + 1 };
  const expected = attempts.flatMap(({ seen, asides }) => [
    ...(seen === null ? [] : [seen]),
    ...asides.map((aside) => aside.seen),
  ]);
  for (const one of run.end === alone.end ? [run] : [run, alone]) {
    const blocks = blocksOfRun(one, source, inline, expected.toReversed());
    const chosen = chooseAttempt(numbered(blocks), attempts);
    if (chosen !== null)
      return chosen.asides.map((each) => ({ aside: each.aside, place: placeInRun(one, blocks, each) }));
  }
  return null;
}

function placedIn({ messageIndex, callsAt, partedAt }: FoundAside["place"], blocks: AsideBlocks): PlacedAside {
  return {
    messageIndex,
    calls: callsAt.map((blockIndex, index) => ({ blockIndex, json: blocks.calls[index] ?? "" })),
    partedAt,
    results: blocks.results,
  };
}
