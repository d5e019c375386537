/** Counts by name. Beyond so many different names the further ones share one. */
export interface NameCounts {
  /** True for a name that was not counted before. */
  note(name: string): boolean;
  counts(): Readonly<Record<string, number>>;
}

const NAMES_MAX = 50;
const NAME_CHARS_MAX = 300;

/** Nothing counted yet. */
export function createNameCounts(): NameCounts {
  const counts = new Map<string, number>();
  return {
    note(name) {
      const short = name.slice(0, NAME_CHARS_MAX);
      const counted = counts.has(short) || counts.size < NAMES_MAX ? short : "other";
      const before = counts.get(counted) ?? 0;
      counts.set(counted, before + 1);
      return before === 0;
    },
    counts: () => Object.fromEntries(counts),
  };
}
