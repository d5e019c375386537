import type { Keeper } from "../../../src/keeper/contract.ts";
import type { Policy, Wire } from "../../../src/model/ports.ts";
import type { Store } from "../../../src/model/store.ts";
import { realWorld, type World } from "../world.ts";

/** A world with one thing broken on purpose. */
export interface Mutant {
  readonly name: string;
  readonly world: World;
}

export function textOf(slices: readonly Uint8Array[]): string {
  return Buffer.concat(slices).toString("utf8");
}

/** Adds words to every marker that leaves. */
export function withTail(tail: () => string): World {
  return afterCheck((text, isEdited) => (isEdited ? text.replace(/\[ebb \w{12}[^"\\]*/g, `$& ${tail()}`) : text));
}

/** Changes what leaves behind the back of the keeper, which has checked it. */
function afterCheck(change: (text: string, isEdited: boolean, came: string) => string): World {
  return {
    ...realWorld,
    createKeeper(settings) {
      const keeper = realWorld.createKeeper(settings);
      return {
        ...keeper,
        async prepare(request) {
          const prepared = await keeper.prepare(request);
          if (prepared.kind === "refuse") return prepared;
          const came = textOf([request.body]);
          return { ...prepared, body: [Buffer.from(change(textOf(prepared.body), prepared.isEdited, came))] };
        },
      };
    },
  };
}

const IMAGE = /\{[^{}]*"type"\s*:\s*"image"[^{}]*\{[^{}]*\}[^{}]*\}/;

export const untouchedMutants: readonly Mutant[] = [
  {
    name: "writes every body again",
    world: afterCheck((text) => JSON.stringify(JSON.parse(text))),
  },
  {
    name: "writes only edited bodies again",
    world: afterCheck((text, isEdited) => (isEdited ? JSON.stringify(JSON.parse(text)) : text)),
  },
  { name: "trims the body", world: afterCheck((text) => `${text.trim()} `) },
  {
    name: "shortens a result without a decision",
    world: afterCheck((text) => text.replace(/npm (test)|Exit code 1/, "gone")),
  },
  {
    name: "puts a note in an image's place without a decision",
    world: afterCheck((text) => text.replace(IMAGE, '{"type":"text","text":"[ebb 000000000000] image"}')),
  },
  {
    name: "leaves an image out",
    world: afterCheck((text) => text.replace(IMAGE, '{"type":"text","text":"image"}')),
  },
];

export const pairedMutants: readonly Mutant[] = [
  {
    name: "drops a thinking block's signature",
    world: afterCheck((text) => text.replace(/sig\+\/|sig\+\\\//, "")),
  },
  { name: "lets a result answer another call", world: afterCheck((text) => text.replaceAll(/toolu_2\b/g, "toolu_1")) },
  {
    name: "turns a result into a text",
    world: afterCheck((text) => text.replace('"tool_result"', '"text"')),
  },
  { name: "leaves no text in the marker's place", world: afterCheck((text) => text.replace(/"\[ebb [^"]*"/, '""')) },
];

export const steadyMutants: readonly Mutant[] = [
  { name: "sends every third body as it came", world: asItCame() },
  {
    name: "counts in its markers",
    world: counting(),
  },
  { name: "loses decisions in the store", world: withStore(withoutDecisions) },
  { name: "acts at any depth unasked", world: withPolicies(forced) },
  { name: "takes the prefix of every request for broken", world: withWire(breaking) },
  { name: "forgets over a restart what its requests were cached as", world: withStore(withoutCacheKeys) },
];

function asItCame(): World {
  let count = 0;
  return afterCheck((text, _isEdited, came) => (++count % 3 === 0 ? came : text));
}

function counting(): World {
  let count = 0;
  return withTail(() => String(++count));
}

export function withStore(change: (store: Store) => Store): World {
  return { ...realWorld, adjust: (settings) => ({ ...settings, store: change(settings.store) }) };
}

function withoutDecisions(store: Store): Store {
  return {
    ...store,
    loadLineage: async (tenant, lineage) =>
      (await store.loadLineage(tenant, lineage)).filter(({ entry }) => entry.type !== "item-released"),
  };
}

function withWire(change: (wire: Wire) => Wire): World {
  return { ...realWorld, wire: change(realWorld.wire) };
}

/** Tools, system prompt and parameters seem to be others in each request of another length. */
function breaking(wire: Wire): Wire {
  return {
    ...wire,
    read(body, memo) {
      const outcome = wire.read(body, memo);
      if (!outcome.ok) return outcome;
      const { transcript } = outcome.source;
      const cacheKey = `${transcript.header.cacheKey} ${transcript.items.length}`;
      const source = { ...outcome.source, transcript: { ...transcript, header: { ...transcript.header, cacheKey } } };
      return { ok: true, source };
    },
  };
}

function withoutCacheKeys(store: Store): Store {
  return {
    ...store,
    loadLineage: async (tenant, lineage) =>
      (await store.loadLineage(tenant, lineage)).map((record) =>
        record.entry.type === "request-sent" ? { ...record, entry: { ...record.entry, cacheKey: "" } } : record,
      ),
  };
}

function withPolicies(change: (policy: Policy) => Policy): World {
  return { ...realWorld, adjust: (settings) => ({ ...settings, policies: settings.policies.map(change) }) };
}

/** Acts on sent items although nothing allows it. */
function forced(policy: Policy): Policy {
  return {
    ...policy,
    propose(view) {
      const opinion = policy.propose(view);
      return { ...opinion, proposals: opinion.proposals.map((proposal) => ({ ...proposal, isForced: true })) };
    },
  };
}

export const recoverableMutants: readonly Mutant[] = [
  { name: "sends before it stores", world: withStore(withoutOriginals) },
  { name: "cuts what it has stored and read back", world: withStore(cuttingLater()) },
  { name: "recalls a trimmed text", world: recalling((raw) => raw.subarray(0, -1)) },
  { name: "prints another address", world: afterCheck((text) => text.replace(/\[ebb \w{11}\w/, "[ebb 00000000000z")) },
];

/** Believes that originals are kept, and never keeps one. */
function withoutOriginals(store: Store): Store {
  const believed = new Map<string, Uint8Array>();
  return {
    ...store,
    putOriginals: async (_tenant, originals) => {
      for (const { digest, bytes } of originals) believed.set(digest, bytes);
      return true;
    },
    getOriginal: async (tenant, digest) => {
      const bytes = believed.get(digest);
      return bytes === undefined ? store.getOriginal(tenant, digest) : { state: "present", bytes };
    },
  };
}

/** The first answer is true, so that the marker leaves. */
function cuttingLater(): (store: Store) => Store {
  const answered = new Set<string>();
  return (store) => ({
    ...store,
    getOriginal: async (tenant, digest) => {
      const stored = await store.getOriginal(tenant, digest);
      if (stored.state !== "present" || !answered.has(digest)) {
        answered.add(digest);
        return stored;
      }
      return { ...stored, bytes: Buffer.from(stored.bytes).subarray(1) };
    },
  });
}

function recalling(change: (raw: Uint8Array) => Uint8Array): World {
  return {
    ...realWorld,
    createKeeper(settings) {
      const keeper: Keeper = realWorld.createKeeper(settings);
      return {
        ...keeper,
        async recall(query) {
          const answer = await keeper.recall(query);
          return answer.ok ? { ...answer, raw: change(answer.raw) } : answer;
        },
      };
    },
  };
}

export const worseMutants: readonly Mutant[] = [
  {
    name: "writes more tokens than it saves",
    world: afterCheck((text) => text.replace(/"\[ebb [^"]{0,200}/, (marker) => `${marker} ${"x1".repeat(900)}`)),
  },
];

/** Proposes everything as over-large. */
export function verbose(policy: Policy): Policy {
  return {
    ...policy,
    propose: (view) => ({
      declines: [],
      proposals: view.transcript.items.flatMap((item) =>
        item.kind === "result" && item.bytes > 0
          ? [
              {
                itemKey: item.key,
                policy: policy.name,
                reason: "over_bound" as const,
                markerMode: "full" as const,
                evidenceKey: null,
                wish: null,
                waitsForFree: false,
                allowsCold: true,
                isForced: false,
              },
            ]
          : [],
      ),
    }),
  };
}

export const untruthfulMutants: readonly Mutant[] = [
  { name: "calls everything stale", world: withPolicies(claiming("stale")) },
  { name: "calls everything read again", world: withPolicies(claiming("superseded")) },
  { name: "calls everything over the bound", world: withPolicies(claiming("over_bound")) },
  { name: "counts lines wrong", world: afterCheck((text) => text.replace(/, (\d+) lines, /, ", 1$1 lines, ")) },
  { name: "counts bytes wrong", world: afterCheck((text) => text.replace(/, (\d+) bytes: /, ", 1$1 bytes: ")) },
  { name: "names another tool", world: afterCheck((text) => text.replaceAll(/\] (?:Read|Bash) /g, "] Grep ")) },
  { name: "shows lines that were not there", world: afterCheck((text) => text.replace(/\\n2: /, "\\n2: new ")) },
];

function claiming(reason: "stale" | "superseded" | "over_bound"): (policy: Policy) => Policy {
  return (policy) => ({
    ...policy,
    propose: (view) => {
      const { proposals } = verbose(policy).propose(view);
      return { declines: [], proposals: proposals.map((proposal) => ({ ...proposal, reason })) };
    },
  });
}

export const closedMutants: readonly Mutant[] = [
  { name: "sends the original whenever something fails", world: failingWith("original") },
  { name: "refuses whenever something fails", world: failingWith("refusal") },
  { name: "throws whenever something fails", world: failingWith("throw") },
];

function failingWith(answer: "original" | "refusal" | "throw"): World {
  return {
    ...realWorld,
    createKeeper(settings) {
      let hasFailed = false;
      const onError = () => {
        hasFailed = true;
      };
      const keeper = realWorld.createKeeper({ ...settings, onError });
      return {
        ...keeper,
        async prepare(request) {
          hasFailed = false;
          const prepared = await keeper.prepare(request);
          if (!hasFailed) return prepared;
          if (answer === "throw") throw new Error("not caught");
          if (answer === "refusal" || prepared.kind === "refuse") return { kind: "refuse", words: "no" };
          return { ...prepared, body: [request.body], isEdited: false };
        },
      };
    },
  };
}
