import type { JsonObject } from "../../../src/model/json.ts";
import { refuseCacheEdits } from "../../../src/replay/simulated/cache-edit-check.ts";
import { readBody, resultsIn } from "../bodies.ts";
import type { ClientRequest } from "../client/session-play.ts";
import { TENANT, type Watcher } from "../world.ts";
import { toWtf8 } from "./recall-judge.ts";

/** The names of the form in which a world's wire asks for deletions. */
export interface Form {
  readonly blockType: string;
  readonly editsMember: string;
  readonly deleteType: string;
  readonly referenceMember: string;
}

/** One block of deletions in a forwarded body, with the text that follows it. */
interface Asked {
  readonly message: number;
  readonly block: string;
  readonly note: string;
  readonly calls: readonly string[];
}

const ADDRESSES = /\[ebb ([0-9a-hjkmnp-tv-z]{12})/g;

/**
 * What a forwarded body asks the provider to delete: only what the form allows, named once, told of by a note whose addresses bring the
 * very originals back; and as a thread last asked it, at the same place, in every later request until its history is rewritten.
 */
export function judgeDeletions(form: Form, counts: { asked: number; repeated: number }): Watcher {
  const threads = new Map<string, readonly Asked[]>();
  return async ({ request, prepared, forwarded, keeper }) => {
    if (prepared.kind === "refuse" || forwarded === null) return [];
    const body: JsonObject = JSON.parse(Buffer.from(forwarded).toString("utf8"));
    const refusal = refuseCacheEdits(body, { shape: { ...form, needsTextBehind: true, betaHeader: null }, isOn: true });
    const asked = askedIn(body, form);
    const faults = refusal === null ? [] : [`deletions: ${refusal.words}`];
    faults.push(...asked.flatMap(noteFaults));
    if (request.kind === "count") return faults;
    const before = threads.get(request.forkedFrom ?? request.thread) ?? [];
    // Without a breakpoint nothing is remembered that could be deleted.
    if (request.ttlMs !== null) {
      faults.push(...steadyFaults(before, asked, request));
      threads.set(request.thread, asked);
    }
    counts.repeated += before.length;
    counts.asked += Math.max(0, asked.length - before.length);
    const texts = new Map(resultsIn(readBody(request.body)).map(({ callId, text }) => [callId, text]));
    for (const { calls, note } of asked) {
      for (const [index, [, address = ""]] of Array.from(note.matchAll(ADDRESSES)).entries()) {
        const answer = await keeper.recall({ ...WHOLE, id: address, atMs: request.atMs });
        const text = texts.get(calls[index] ?? "");
        const isBack = answer.ok && text !== undefined && Buffer.from(answer.raw).equals(toWtf8(text));
        if (!isBack) faults.push(`deletions: ${address} does not bring ${calls[index]} back`);
      }
    }
    return faults;
  };
}

const WHOLE = {
  tenant: TENANT,
  range: null,
  pattern: null,
  ignoreCase: false,
  chars: null,
  sessionId: null,
  by: "user",
} as const;

function askedIn({ messages }: JsonObject, { blockType, editsMember, referenceMember }: Form): readonly Asked[] {
  if (!Array.isArray(messages)) return [];
  return messages.flatMap((given, message) => {
    const { content } = given as { readonly content: string | readonly JsonObject[] };
    if (typeof content === "string") return [];
    return content.flatMap((block, index) => {
      if (block.type !== blockType) return [];
      const edits = block[editsMember] as readonly JsonObject[];
      const calls = edits.map((edit) => String(edit[referenceMember]));
      return [{ message, block: JSON.stringify(block), note: String(content[index + 1]?.text ?? ""), calls }];
    });
  });
}

function noteFaults({ note, calls }: Asked): readonly string[] {
  const addresses = new Set(Array.from(note.matchAll(ADDRESSES), ([, address]) => address));
  return addresses.size === calls.length ? [] : [`deletions: the note of ${calls.join(", ")} names ${addresses.size}`];
}

/** A rewritten history may have lost its last blocks, never one before those that stay. */
function steadyFaults(before: readonly Asked[], asked: readonly Asked[], request: ClientRequest): readonly string[] {
  const mayLose = request.isRewritten || request.forkedFrom !== null;
  return before.flatMap((one, index) => {
    const same = asked[index];
    if (same === undefined && mayLose) return [];
    const isSame = JSON.stringify(same) === JSON.stringify(one);
    return isSame || mayLose ? [] : [`deletions: ${one.calls.join(", ")} is not asked again as it was`];
  });
}
