import type { Decision } from "../../../src/model/decision.ts";
import type { Script } from "../../../src/model/edit.ts";
import type { Wire } from "../../../src/model/ports.ts";
import type { Store } from "../../../src/model/store.ts";
import { realWorld, type World } from "../world.ts";
import { type Mutant, textOf, verbose, withStore } from "./mutants.ts";

type Write = Wire["write"];

const real = realWorld.wire;

/** Faults in what decides, writes and stores: none of them may reach a provider. */
export const stoppedMutants: readonly Mutant[] = [
  { name: "writes edited bodies again", world: writing(again) },
  { name: "drops a signature as it writes", world: writing(withoutSignatures) },
  { name: "drops what stands behind the last marker", world: writing(cutShort) },
  { name: "sends slices in another order", world: writing(reversed) },
  { name: "leaves one text block beside its marker", world: writing(uncut) },
  { name: "forgets the script in every third body", world: writing(everyThird((script) => script.slice(1))) },
  { name: "gives each result the marker of another", world: writing(rotated) },
  { name: "puts a breakpoint where nobody decided one", world: writing(marking) },
  { name: "says something that nobody decided", world: writing(saying) },
  { name: "puts notes of attachments beside themselves", world: writing(beside) },
  { name: "changes markers in memory", world: withStore(drifting) },
  { name: "has no gate against large markers", world: withoutSizeGate() },
  { name: "reads back other bytes than it stored", world: withStore(cutting) },
];

/** Ebb with another way to write. */
function writing(write: Write): World {
  return { ...realWorld, wire: { ...real, write } };
}

function again(...[body, source, script]: Parameters<Write>): readonly Uint8Array[] {
  const slices = real.write(body, source, script);
  return script.length === 0 ? slices : [Buffer.from(JSON.stringify(JSON.parse(textOf(slices))))];
}

/** Two blocks where one stood. */
function beside(...given: Parameters<Write>): readonly Uint8Array[] {
  return real.write(...given).map((slice) => {
    const text = textOf([slice]);
    return text.startsWith('{"type":"text","text":"[ebb ') ? Buffer.from(`${text},${text}`) : slice;
  });
}

/** Every item that can carry one, whenever there is something to write. */
function marking(...[body, source, script]: Parameters<Write>): readonly Uint8Array[] {
  const marks = source.transcript.items.map(
    ({ key }) => ({ kind: "breakpoint", itemKey: key, ttlMs: 300_000 }) as const,
  );
  return real.write(body, source, script.length === 0 ? script : [...script, ...marks]);
}

function saying(...[body, source, script]: Parameters<Write>): readonly Uint8Array[] {
  const notes = source.transcript.items.map(({ key }) => ({ kind: "note", anchorKey: key, text: "a note" }) as const);
  return real.write(body, source, script.length === 0 ? script : [...script, ...notes.slice(-1)]);
}

function withoutSignatures(...given: Parameters<Write>): readonly Uint8Array[] {
  return real.write(...given).map((slice) => {
    const text = textOf([slice]);
    return text.includes('"sig') ? Buffer.from(text.replace(/"sig[^"]*"/, '""')) : slice;
  });
}

function cutShort(...given: Parameters<Write>): readonly Uint8Array[] {
  const slices = real.write(...given);
  return slices.length === 1 ? slices : [...slices.slice(0, -1), Buffer.from(slices.at(-1) ?? []).subarray(1)];
}

function reversed(...given: Parameters<Write>): readonly Uint8Array[] {
  return real.write(...given).toReversed();
}

/** Puts cut blocks back: what follows one slice of the body without anything new between them. */
function uncut(...given: Parameters<Write>): readonly Uint8Array[] {
  const [body] = given;
  let end = body.byteOffset;
  let isText = false;
  return real.write(...given).map((slice) => {
    const isOwn =
      slice.buffer === body.buffer && slice.byteOffset >= end && slice.byteOffset <= body.byteOffset + body.length;
    if (!isOwn) {
      isText = true;
      return slice;
    }
    const start = isText ? slice.byteOffset - body.byteOffset : end - body.byteOffset;
    isText = false;
    end = slice.byteOffset + slice.length;
    return body.subarray(start, end - body.byteOffset);
  });
}

function everyThird(change: (script: Script) => Script): Write {
  let count = 0;
  return (body, source, script) => real.write(body, source, ++count % 3 === 0 ? change(script) : script);
}

function rotated(...[body, source, script]: Parameters<Write>): readonly Uint8Array[] {
  const replaces = script.flatMap((edit) => (edit.kind === "replace" ? [edit] : []));
  const turned = replaces.map((edit, index) => ({ ...edit, text: replaces.at(index - 1)?.text ?? edit.text }));
  return real.write(body, source, turned);
}

/** What is stored stays as it was decided; what the keeper goes on with does not. */
function drifting(store: Store): Store {
  const decided: Decision[] = [];
  return {
    ...store,
    findChain(...given) {
      for (const decision of decided.splice(0)) Object.assign(decision, { marker: `${decision.marker} ` });
      return store.findChain(...given);
    },
    commit(given) {
      for (const entry of given.entries) if (entry.type === "item-released") decided.push(entry.decision);
      return store.commit(structuredClone(given));
    },
  };
}

function withoutSizeGate(): World {
  return {
    ...realWorld,
    adjust: (settings) => ({
      ...settings,
      policies: settings.policies.map(verbose),
      gates: settings.gates.filter((gate) => gate.reason !== "marker_no_win"),
    }),
  };
}

function cutting(store: Store): Store {
  return {
    ...store,
    getOriginal: async (tenant, digest) => {
      const stored = await store.getOriginal(tenant, digest);
      return stored.state === "present" ? { ...stored, bytes: Buffer.from(stored.bytes).subarray(1) } : stored;
    },
  };
}
