import { compareBodies, declaredIn, type ReadBlock } from "../bodies.ts";
import { MODELS } from "../client/session-play.ts";
import type { Watcher } from "../world.ts";

/** Forms of the results before a thinking block, in the request that the block answered. */
interface Signed {
  readonly model: string;
  readonly forms: ReadonlyMap<string, string>;
}

interface Thread {
  /** What the provider answered last. */
  last: Signed | null;
  readonly signed: Map<string, Signed>;
}

const UNBOUND: readonly string[] = MODELS.slice(0, 2);

/** On a model that signs its thinking over what was sent before it, that stands before it as it did then. */
export function judgeSignatures(): Watcher {
  const threads = new Map<string, Thread>();
  return ({ request, prepared, forwarded }) => {
    const thread = threadOf(request, threads);
    if (prepared.kind === "refuse" || forwarded === null) {
      // The client of these tests goes on with an answer that nobody sent for.
      thread.last = null;
      return [];
    }
    if (request.kind === "count") return [];
    const { after: body, came, left } = compareBodies(request.body, forwarded, declaredIn(prepared));
    const forms = left.map(({ text, at }, index) => ({ name: came[index]?.name ?? "", text, at }));
    const faults: string[] = [];
    for (const [at, block] of body.blocks.entries()) {
      if (!block.type.endsWith("thinking")) continue;
      const signature = signatureOf(block);
      const known = thread.signed.get(signature);
      if (known === undefined) {
        if (thread.last !== null && !request.hasUnseen) thread.signed.set(signature, thread.last);
        continue;
      }
      if (known.model !== request.model || UNBOUND.includes(request.model)) continue;
      const changed = forms.find((form) => form.at < at && (known.forms.get(form.name) ?? form.text) !== form.text);
      if (changed !== undefined) faults.push(`signed: ${changed.name.slice(0, 40)} changed under its thinking block`);
    }
    thread.last = { model: request.model, forms: new Map(forms.map(({ name, text }) => [name, text])) };
    return faults;
  };
}

function signatureOf({ node }: ReadBlock): string {
  return (node.members.get("signature") ?? node.members.get("data"))?.text ?? "";
}

function threadOf(
  { thread: name, forkedFrom }: Parameters<Watcher>[0]["request"],
  threads: Map<string, Thread>,
): Thread {
  const known = threads.get(name);
  if (known !== undefined) return known;
  const source = forkedFrom === null ? undefined : threads.get(forkedFrom);
  const opened: Thread = { last: source?.last ?? null, signed: new Map(source?.signed) };
  threads.set(name, opened);
  return opened;
}
