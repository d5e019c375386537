import { createHash } from "node:crypto";
import type { Keeper } from "../../../src/keeper/contract.ts";
import type { Store } from "../../../src/model/store.ts";
import { compareBodies, declaredIn } from "../bodies.ts";
import { keeperSettings, TENANT, type Watcher, type World } from "../world.ts";

interface Gone {
  readonly callId: string;
  readonly original: string;
  readonly bytes: Buffer;
  readonly marker: string;
}

const ADDRESS = /^\[ebb ([0-9a-hjkmnp-tv-z]{12})/;

/**
 * In the moment a body leaves, the original behind each marker is durable, and comes back exactly from a keeper that knows nothing
 * else. A body that is only counted is read by no model, so nothing has left with it that could be asked for.
 */
export function judgeRecall(world: World): Watcher {
  const seen = new Set<string>();
  return async ({ request, prepared, forwarded, store }, session) => {
    if (forwarded === null) return [];
    const { came, left } = compareBodies(request.body, forwarded, declaredIn(prepared));
    for (const { text } of came) seen.add(text);
    const gone = came.flatMap(({ callId, text, attached }, index): readonly Gone[] => {
      const marker = left[index]?.text ?? "";
      return marker === text ? [] : [{ callId, original: text, bytes: attached ?? toWtf8(text), marker }];
    });
    // Asked for at once, before anything that runs behind the request can store what must be there already.
    const durable = await Promise.all(gone.map((one) => isDurable(one, store)));
    const faults = gone.flatMap(({ callId }, index) =>
      durable[index] === true ? [] : [`recoverable: the original of ${callId} is not in the store`],
    );
    if (request.kind === "count") return faults;
    const newcomer = world.createKeeper(keeperSettings(session.setting, store, world));
    for (const one of gone) if (!(await isBack(one, seen, newcomer, request.atMs))) faults.push(lost(one));
    await newcomer.close();
    return faults;
  };
}

async function isBack(one: Gone, seen: ReadonlySet<string>, keeper: Keeper, atMs: number): Promise<boolean> {
  const address = ADDRESS.exec(one.marker)?.[1] ?? null;
  const isRepair = one.original.startsWith("File unchanged since");
  // Where nothing can recall, the answer gives way to the text of the earlier read itself.
  if (address === null) return isRepair && seen.has(one.marker);
  const answer = await keeper.recall({ ...ANY, id: address, atMs });
  if (!answer.ok) return false;
  const raw = Buffer.from(answer.raw);
  return isRepair ? [...seen].some((text) => raw.equals(toWtf8(text))) : raw.equals(one.bytes);
}

function lost({ callId, marker }: Gone): string {
  return `recoverable: ${callId} does not come back by ${JSON.stringify(marker.slice(0, 60))}`;
}

const ANY = {
  tenant: TENANT,
  range: null,
  pattern: null,
  ignoreCase: false,
  chars: null,
  sessionId: null,
  by: "user",
} as const;

async function isDurable({ bytes }: Gone, store: Store): Promise<boolean> {
  const stored = await store.getOriginal(TENANT, createHash("sha256").update(bytes).digest("hex"));
  return stored.state === "present" && Buffer.from(stored.bytes).equals(bytes);
}

/** UTF-8 in which a lone surrogate is three bytes like any other character of its size. */
export function toWtf8(text: string): Buffer {
  const bytes: number[] = [];
  for (const char of text) {
    const point = char.codePointAt(0) ?? 0;
    if (point < 0x80) bytes.push(point);
    else if (point < 0x800) bytes.push(0xc0 | (point >> 6), 0x80 | (point & 63));
    else if (point < 0x10000) bytes.push(0xe0 | (point >> 12), 0x80 | ((point >> 6) & 63), 0x80 | (point & 63));
    else bytes.push(0xf0 | (point >> 18), 0x80 | ((point >> 12) & 63), 0x80 | ((point >> 6) & 63), 0x80 | (point & 63));
  }
  return Buffer.from(bytes);
}
