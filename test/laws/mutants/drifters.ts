import { realWorld, type World } from "../world.ts";
import { withTail } from "./mutants.ts";

/** Worlds whose markers depend on where or when they are written. */
export const drifters: Readonly<Record<string, World>> = {
  clock: withTail(() => String(process.hrtime.bigint())),
  zone: withTail(() => new Date(0).toString()),
  locale: withTail(() => (1234.5).toLocaleString()),
  order: {
    ...realWorld,
    adjust: (settings) => {
      const [first] = settings.dialects;
      const chosen = first?.name ?? "";
      return {
        ...settings,
        recallCommand: `ebb recall --as ${chosen}`,
      };
    },
  },
};
