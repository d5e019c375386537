import { createHash } from "node:crypto";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import type { Keeper, RequestPlan } from "../../../src/keeper/contract.ts";
import type { Decision } from "../../../src/model/decision.ts";
import type { Store } from "../../../src/model/store.ts";
import { createLawChecker, type LawFindings } from "../../../src/replay/law-checker.ts";
import { declaredIn } from "../bodies.ts";
import { toWtf8 } from "../judges/recall-judge.ts";
import { TENANT } from "../world.ts";
import { type WireHandled, type WireWatcher, type WireWorld, wireSettings } from "./world.ts";

/**
 * Judges what leaves on one wire by the laws untouched, paired, steady, recoverable and never worse, with the independent checker.
 * A thread whose history was cut begins anew: its forms may be those of another.
 */
export function judgeLaws(world: WireWorld): WireWatcher {
  const checker = createLawChecker((text) => countTokens(text, { disallowedSpecial: new Set() }));
  return async (handled, session) => {
    const { request, prepared, forwarded, store } = handled;
    if (prepared.kind === "refuse" || forwarded === null) return [];
    const { plan } = prepared;
    const edits = declaredIn(prepared);
    const found = checker.check({
      conversation: request.kind === "count" ? `count at ${request.atMs}` : `${request.thread} ${request.cuts}`,
      wire: world.name,
      original: request.body,
      forwarded,
      declared: declaredNames(plan),
      edits,
      insertions: new Set(),
    });
    const inForce = plan?.inForce ?? [];
    const isSame = Buffer.from(request.body).equals(forwarded);
    const isUnasked = plan !== null && inForce.length + edits.length === 0 && !isSame;
    const faults = [...found.violations, ...(plan === null ? [] : undecided(found, inForce))];
    if (isUnasked) faults.push("untouched: nothing was decided, and the bytes differ");
    const originals = originalsIn(found);
    for (const one of originals) {
      if (!(await isDurable(one.bytes, store))) faults.push(`recoverable: what ${one.marker} stands for is not stored`);
    }
    if (request.kind === "count" || originals.length === 0) return faults;
    const newcomer = world.createKeeper(wireSettings(session, store, world));
    for (const one of originals) faults.push(...(await lostIn(newcomer, one, request.atMs)));
    await newcomer.close();
    return faults;
  };
}

async function lostIn(keeper: Keeper, { marker, bytes }: Gone, atMs: number): Promise<readonly string[]> {
  const answer = await keeper.recall({ ...ANY, id: ADDRESS.exec(marker)?.[1] ?? "", atMs });
  if (answer.ok && Buffer.from(answer.raw).equals(bytes)) return [];
  return [`recoverable: ${JSON.stringify(marker.slice(0, 60))} does not bring its original back`];
}

/** With a sound store nothing is refused, and every body is understood. */
export const judgeSoundness: WireWatcher = async ({ prepared, keeper }) => {
  const { law_violations: own } = keeper.stats();
  const faults = own === 0 ? [] : [`open on failure: its own check found ${own} violations`];
  if (prepared.kind === "refuse") return [...faults, `open on failure: refused with a sound store: ${prepared.words}`];
  if (prepared.problem !== null) faults.push(`open on failure: ${prepared.problem}`);
  return faults;
};

const ADDRESS = /^\[ebb ([0-9a-hjkmnp-tv-z]{12})/;
const ANY = {
  tenant: TENANT,
  range: null,
  pattern: null,
  ignoreCase: false,
  chars: null,
  sessionId: null,
  by: "user",
} as const;

/** Results and media that this request decides on, as the checker names them. */
function declaredNames(plan: RequestPlan | null): ReadonlySet<string> {
  const keys = new Set(plan?.fresh.map(({ itemKey }) => itemKey));
  const items = plan?.transcript.items.filter(({ key }) => keys.has(key)) ?? [];
  return new Set(
    items.flatMap((item) => {
      if (item.kind === "result") return [item.callId, `result#${item.digest}`];
      return item.kind === "media" ? [`${item.callId ?? "message"}#${item.digest}`] : [];
    }),
  );
}

function undecided({ replaced, media }: LawFindings, inForce: readonly Decision[]): readonly string[] {
  const markers = new Set(inForce.map(({ marker }) => marker));
  const gone = [...replaced.map(({ callId, marker }) => ({ name: callId, marker })), ...media];
  return gone.flatMap(({ name, marker }) =>
    markers.has(marker) ? [] : [`untouched: ${name} was replaced without a decision`],
  );
}

interface Gone {
  readonly marker: string;
  readonly bytes: Buffer;
}

function originalsIn({ replaced, media }: LawFindings): readonly Gone[] {
  return [
    ...replaced.map(({ marker, original }) => ({ marker, bytes: toWtf8(original) })),
    ...media.map(({ marker, bytes }) => ({ marker, bytes: Buffer.from(bytes) })),
  ];
}

async function isDurable(bytes: Buffer, store: Store): Promise<boolean> {
  const stored = await store.getOriginal(TENANT, createHash("sha256").update(bytes).digest("hex"));
  return stored.state === "present" && Buffer.from(stored.bytes).equals(bytes);
}

/** Keeps what leaves, for a comparison. */
export function recordBodies(bodies: string[]): WireWatcher {
  return async ({ forwarded }: WireHandled) => {
    bodies.push(forwarded === null ? "refused" : Buffer.from(forwarded).toString("latin1"));
    return [];
  };
}
