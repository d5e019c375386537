import { pathToFileURL } from "node:url";
import { assert } from "../../../src/lib/assert.ts";
import { type BuiltSource, buildSource } from "../child/built-source.ts";
import { realWorld, type World } from "../world.ts";

/** Other words in one file of the source. */
export interface SourceMutant {
  readonly name: string;
  readonly path: string;
  readonly words: string;
  readonly others: string;
}

export const sourceMutants: readonly SourceMutant[] = [
  {
    name: "believes that breakpoints look back over five blocks",
    path: "src/engine/cache-entries.ts",
    words: "back < lookbackBlocks",
    others: "back < 5",
  },
];

/** A world whose keeper is built of such a source. */
export async function worldOf({ path, words, others }: SourceMutant): Promise<World & Pick<BuiltSource, "remove">> {
  const source = buildSource(["src"], (file, text) => {
    if (file !== path) return text;
    assert(text.includes(words), `${path} holds the words that the mutant changes`);
    return text.replace(words, others);
  });
  const keeper: Pick<World, "createKeeper"> = await import(pathToFileURL(source.fileOf("src/keeper/keeper")).href);
  return { ...realWorld, createKeeper: keeper.createKeeper, remove: source.remove };
}
