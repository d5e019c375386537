import fc from "fast-check";
import type { Edit, Script } from "../../src/model/edit.ts";
import type { Item, ItemKey } from "../../src/model/item.ts";

type Kind = Edit["kind"];

const KINDS: readonly Kind[] = ["replace", "omit", "breakpoint", "note", "delete", "server-clear", "drop-thinking"];

/** What one edit is made of, before there are items. */
export interface EditSeed {
  readonly kind: Kind;
  readonly at: number;
  readonly others: readonly number[];
  readonly text: string;
  readonly ttlMs: number;
}

/** Scripts of any kind of edit, for whatever items a body turns out to have. */
export function scriptSeeds(kinds: readonly Kind[] = KINDS): fc.Arbitrary<readonly EditSeed[]> {
  return fc.array(
    fc.record({
      kind: fc.constantFrom(...kinds),
      at: fc.nat(),
      others: fc.array(fc.nat(), { minLength: 1, maxLength: 3 }),
      text: fc.constantFrom("", "n", ".", 'a "note"\n\ud83d'),
      ttlMs: fc.constantFrom(300_000, 3_600_000, 1),
    }),
    { maxLength: 8 },
  );
}

/** The script that the seeds make of a body's items, and of one item that it does not have. */
export function scriptFrom(seeds: readonly EditSeed[], items: readonly Item[]): Script {
  const keys = [...items.map(({ key }) => key), "no such item"];
  const results = items.filter(({ kind }) => kind === "result").map(({ key }) => key);
  return seeds.map((seed) => editFrom(seed, keys, [...results, ...results, ...keys]));
}

function editFrom(
  { kind, at, others, text, ttlMs }: EditSeed,
  keys: readonly ItemKey[],
  resultKeys: readonly ItemKey[],
): Edit {
  const key = keys[at % keys.length] ?? "";
  switch (kind) {
    case "replace":
      return { kind, itemKey: key, text: text === "" ? "" : `MARKER ${text}` };
    case "omit":
      return { kind, itemKey: key };
    case "breakpoint":
      return { kind, itemKey: key, ttlMs };
    case "note":
      return { kind, anchorKey: key, text };
    case "delete": {
      const anchorKey = keys[keys.length - 1 - (at % Math.min(keys.length, 8))] ?? "";
      return { kind, anchorKey, resultKeys: others.map((other) => resultKeys[other % resultKeys.length] ?? "") };
    }
    case "server-clear":
      return { kind, clear: { triggerTokens: at, keepUses: 3, clearTokensMin: null, exceptTools: [text] } };
    case "drop-thinking":
      return { kind };
  }
}
