import type { Aside, AsideBlocks, InlineRound } from "../model/aside.ts";
import type { LedgerEntry } from "../model/ledger.ts";
import type { InlineWire } from "../model/ports.ts";
import type { ToolAnswer } from "../model/tool.ts";
import { appendNote } from "./append.ts";
import type { Inline, Pinned } from "./contract.ts";
import type { DraftInput } from "./draft.ts";
import { wordsOf } from "./error-words.ts";
import type { Workshop } from "./keeper.ts";
import { prepareRound } from "./prepare.ts";

/** How calls of the tools that Ebb added to a request are answered; null where it added none. */
export function createInline(input: DraftInput, workshop: Workshop): Inline | null {
  const { request, expansion, placement } = input;
  const { inline } = request.wire;
  const { offer, anchor } = expansion;
  if (inline === null || offer === null || anchor === null || request.route.kind !== "generate") return null;
  const message: AskedMessage = { input, inline, anchor, attempt: expansion.attempt ?? input.requestId };
  const { tenant, id, standing } = placement.lineage;
  const asked = { type: "aside-closed", anchor, attempt: message.attempt, seen: [] } as const;
  if (expansion.attempt === null) workshop.anchors.note(tenant, asked, request.atMs);
  return {
    toolNames: new Set(offer.names),
    lineage: id,
    sessionId: standing.sessionId,
    pin: (round, answers, atMs) =>
      survived(atMs, workshop, () => pin(message, { round, answers, atMs }, workshop)).catch((error: unknown) => ({
        ok: false,
        words: `Ebb could not record what its own tools answered: ${wordsOf(error)}`,
      })),
    close: (seen, atMs) => survived(atMs, workshop, () => close(message, seen, atMs, workshop)).catch(() => undefined),
  };
}

/** The message of the model that a request asks for. */
interface AskedMessage {
  readonly input: DraftInput;
  readonly inline: InlineWire;
  readonly anchor: string;
  readonly attempt: string;
}

interface AnsweredRound {
  readonly round: InlineRound;
  readonly answers: readonly ToolAnswer[];
  readonly atMs: number;
}

async function pin(message: AskedMessage, answered: AnsweredRound, workshop: Workshop): Promise<Pinned> {
  const { round, atMs } = answered;
  const { tenant } = message.input.placement.lineage;
  const blocks = blocksOf(message, answered);
  const digest = await workshop.asides.keep(tenant, blocks, atMs);
  const aside = asideOf(message, round, digest);
  await record(message, [{ type: "aside-pinned", aside }, ...othersAt(message, workshop)], atMs, workshop);
  workshop.anchors.note(tenant, { type: "aside-pinned", aside }, atMs);
  workshop.accounting.noteAside(round.place);
  if (round.place === "beside") return { ok: true, next: null };
  const next = await prepareNextRound(message, { aside, blocks, answered }, workshop);
  return next.kind === "refuse" ? { ok: false, words: next.words } : { ok: true, next };
}

function prepareNextRound(
  { input, inline, attempt }: AskedMessage,
  {
    aside,
    blocks,
    answered,
  }: { readonly aside: Aside; readonly blocks: AsideBlocks; readonly answered: AnsweredRound },
  workshop: Workshop,
) {
  const { request, source, expansion } = input;
  const { round, atMs } = answered;
  const body = inline.append(request.body, source, round.blocks, blocks.results);
  const asides = [...expansion.asides, aside];
  const offer = expansion.offer === null ? null : { ...expansion.offer, isNew: false };
  const next = { ...expansion, received: null, asides, offer, attempt, hasRivals: false };
  return prepareRound({ ...request, body, atMs }, next, workshop);
}

async function close(
  { input, anchor, attempt }: AskedMessage,
  seen: readonly string[],
  atMs: number,
  workshop: Workshop,
): Promise<void> {
  const { tenant } = input.placement.lineage;
  const entry = { type: "aside-closed", anchor, attempt, seen } as const;
  workshop.anchors.note(tenant, entry, atMs);
  const known = workshop.anchors.known(tenant, anchor)?.attempts ?? [];
  if (known.some(({ asides }) => asides.length > 0)) await record({ input }, [entry], atMs, workshop);
}

/** What this process knows of other requests for the message: from its first aside on, whoever reads the ledger must tell them apart. */
function othersAt({ input, anchor, attempt }: AskedMessage, { anchors }: Workshop): readonly LedgerEntry[] {
  if (input.expansion.attempt !== null) return [];
  const known = anchors.known(input.placement.lineage.tenant, anchor)?.attempts ?? [];
  return known.flatMap(({ id, asides, seen }): readonly LedgerEntry[] =>
    id === attempt || asides.length > 0 ? [] : [{ type: "aside-closed", anchor, attempt: id, seen: seen ?? [] }],
  );
}

function record(
  { input }: Pick<AskedMessage, "input">,
  entries: readonly LedgerEntry[],
  atMs: number,
  { lock, lineages, settings }: Workshop,
): Promise<void> {
  const { tenant, id } = input.placement.lineage;
  return lock.run(() => appendNote({ tenant, lineage: id, atMs, entries }, lineages, settings.store));
}

function blocksOf({ inline }: AskedMessage, { round, answers }: AnsweredRound): AsideBlocks {
  const { calls } = round;
  if (answers.length !== calls.length) throw new Error("each call has one answer");
  return {
    calls: calls.map(({ blockIndex }) => round.blocks[blockIndex] ?? ""),
    results: calls.flatMap(({ id }, index) => {
      const answer = answers[index];
      return answer === undefined ? [] : [inline.resultJson(id, answer)];
    }),
  };
}

function asideOf({ anchor, attempt }: AskedMessage, round: InlineRound, digest: string): Aside {
  const { place, seen, seenStart } = round;
  const calls = round.calls.map(({ id, name, seenBefore }) => ({ id, name, seenBefore }));
  return { anchor, attempt, place, seen, seenStart, calls, digest };
}

/** Notes what failed before it is told. */
async function survived<Value>(
  atMs: number,
  { accounting, settings }: Workshop,
  act: () => Promise<Value>,
): Promise<Value> {
  try {
    return await act();
  } catch (error) {
    const words = wordsOf(error);
    accounting.noteError(atMs, "inline_failed", words);
    settings.onError("inline_failed", words);
    throw error;
  }
}
