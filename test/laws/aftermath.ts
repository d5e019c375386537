import type { Keeper } from "../../src/keeper/contract.ts";
import type { Store } from "../../src/model/store.ts";
import { readBody, resultsIn } from "./bodies.ts";
import { crashSession } from "./child/crash-session.ts";
import type { ToldBody } from "./child/dying-keeper.ts";
import { requestsOf } from "./client/session-play.ts";
import { toWtf8 } from "./judges/recall-judge.ts";
import { end, keeperSettings, prepare, realWorld, TENANT } from "./world.ts";

/** A result as it left, beside its original. */
interface Form {
  readonly callId: string;
  readonly original: string;
  readonly form: string;
}

export const requests = requestsOf(crashSession);
const ADDRESS = /^\[ebb ([0-9a-hjkmnp-tv-z]{12})/;

/** What is wrong with a store that a process left behind: markers that left and do not come back, forms that do not repeat. */
export async function faultsBehind(store: Store, told: readonly ToldBody[]): Promise<readonly string[]> {
  const keeper = newKeeper(store);
  const left = told.flatMap(({ request, body }) => formsOf(requests[request]?.body, Buffer.from(body, "base64")));
  const faults = await lostMarkers(left, keeper);
  const forms = new Map(left.map((one) => [nameOf(one), one.form]));
  // The client repeats what it got no answer to, then goes on.
  for (const request of requests.slice(told.at(-1)?.request ?? 0)) {
    const prepared = await prepare(keeper, request, realWorld);
    if (prepared.kind === "refuse") {
      faults.push(`refused: ${prepared.words}`);
      continue;
    }
    // A decision may be on record whose body never left: it was made at its moment all the same.
    const decided = new Set(prepared.plan?.inForce.map((decision) => decision.marker));
    const next = formsOf(request.body, Buffer.concat(prepared.body));
    for (const one of next) {
      const known = forms.get(nameOf(one));
      const isKept = known === undefined || known === one.form || (known === one.original && decided.has(one.form));
      if (!isKept) faults.push(`${one.callId} was ${known?.slice(0, 40)} and is ${one.form.slice(0, 40)}`);
      forms.set(nameOf(one), one.form);
    }
    faults.push(...(await lostMarkers(next, keeper)));
    await end(prepared, request);
  }
  await keeper.close();
  return [...faults, ...(await store.check())];
}

/** Markers that bring back anything but their original, or nothing. */
async function lostMarkers(forms: readonly Form[], keeper: Keeper): Promise<string[]> {
  const faults: string[] = [];
  for (const one of forms) {
    if (one.form === one.original) continue;
    const raw = await recalled(one, keeper);
    if (raw === null) faults.push(`${one.callId} does not come back`);
    else if (!raw.equals(toWtf8(one.original))) faults.push(`${one.callId} comes back as something else`);
  }
  return faults;
}

/** What a marker's address brings back; null for an answer without text. */
export async function recalled({ form }: Pick<Form, "form">, keeper: Keeper): Promise<Buffer | null> {
  const id = ADDRESS.exec(form)?.[1] ?? "";
  const query = {
    tenant: TENANT,
    range: null,
    pattern: null,
    ignoreCase: false,
    chars: null,
    sessionId: null,
    by: "user",
    atMs: 9e6,
  };
  const answer = await keeper.recall({ ...query, id, by: "user" });
  return answer.ok ? Buffer.from(answer.raw) : null;
}

export function newKeeper(store: Store): Keeper {
  return realWorld.createKeeper(keeperSettings(crashSession.setting, store, realWorld));
}

/** Results of a request beside the form they left in. */
export function formsOf(original: Uint8Array | undefined, forwarded: Uint8Array): readonly Form[] {
  const after = resultsIn(readBody(forwarded));
  return resultsIn(readBody(original ?? new Uint8Array())).map(({ callId, text }, index) => ({
    callId,
    original: text,
    form: after[index]?.text ?? "",
  }));
}

function nameOf({ callId, original }: Form): string {
  return `${callId}\n${original}`;
}
