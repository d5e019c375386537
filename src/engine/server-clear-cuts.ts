import type { Proposal } from "../model/decision.ts";
import type { ResultItem } from "../model/item.ts";

/** What a tool use is to the provider's clearing: it must stay, was asked for before, or may leave. */
export type JudgedUse =
  | { readonly state: "stays"; readonly tool: string }
  | { readonly state: "asked"; readonly tool: string; readonly item: ResultItem }
  | LeavingUse;

export interface LeavingUse {
  readonly state: "leaves";
  readonly tool: string;
  readonly item: ResultItem;
  readonly proposal: Proposal;
  /** Place of its result among the items. */
  readonly index: number;
  /** What its leaving saves. */
  readonly savedTokens: number;
  readonly isStale: boolean;
}

/** What leaves newly, before and behind the end of what the provider may hold. */
export interface SavedTokens {
  readonly held: number;
  readonly heldStale: number;
  readonly rest: number;
  readonly restStale: number;
}

/** One way to clear: all tool uses in front of a place but those of some tools. */
export interface Cut {
  /** Tool uses in front of it. */
  readonly useCount: number;
  /** Index of the first result that leaves newly. */
  readonly start: number;
  readonly saved: SavedTokens;
  readonly exceptTools: readonly string[];
}

interface Tool {
  readonly name: string;
  isOut: boolean;
  isAsked: boolean;
  start: number;
  saved: SavedTokens;
}

const NOTHING: SavedTokens = { held: 0, heldStale: 0, rest: 0, restStale: 0 };

/**
 * The ways to clear that leave newly what may, and no result that must stay, the earliest first. What was asked for before stays
 * asked for: behind a use that would put it back there is none.
 */
export function* cutsOf(uses: readonly JudgedUse[], heldCount: number): Iterable<Cut> {
  const tools = new Map<string, Tool>();
  const last = uses.findLastIndex(({ state }) => state === "asked");
  for (const [at, use] of uses.entries()) {
    const tool = toolOf(use.tool, tools);
    if (use.state === "stays") {
      if (tool.isAsked) return;
      tool.isOut = true;
      continue;
    }
    if (use.state === "asked") {
      if (tool.isOut) return;
      tool.isAsked = true;
      continue;
    }
    tool.start = Math.min(tool.start, use.index);
    tool.saved = withUse(tool.saved, use, heldCount);
    if (!tool.isOut && at > last) yield cutBehind(at, tools);
  }
}

/** Results of a cut, oldest first. */
export function leavingBy(
  uses: readonly JudgedUse[],
  { useCount, exceptTools }: Cut,
): readonly Extract<JudgedUse, { readonly item: ResultItem }>[] {
  return uses
    .slice(0, useCount)
    .flatMap((use) => (use.state === "stays" || exceptTools.includes(use.tool) ? [] : [use]));
}

function toolOf(name: string, tools: Map<string, Tool>): Tool {
  const known = tools.get(name);
  if (known !== undefined) return known;
  const tool = { name, isOut: false, isAsked: false, start: Number.POSITIVE_INFINITY, saved: NOTHING };
  tools.set(name, tool);
  return tool;
}

function withUse(saved: SavedTokens, { index, savedTokens, isStale }: LeavingUse, heldCount: number): SavedTokens {
  const place = index < heldCount ? (isStale ? "heldStale" : "held") : isStale ? "restStale" : "rest";
  return { ...saved, [place]: saved[place] + savedTokens };
}

function cutBehind(at: number, tools: ReadonlyMap<string, Tool>): Cut {
  const all = Array.from(tools.values());
  const leaving = all.filter(({ isOut }) => !isOut);
  const total = (place: keyof SavedTokens) => leaving.reduce((sum, { saved }) => sum + saved[place], 0);
  return {
    useCount: at + 1,
    start: Math.min(...leaving.map(({ start }) => start)),
    saved: { held: total("held"), heldStale: total("heldStale"), rest: total("rest"), restStale: total("restStale") },
    exceptTools: all.filter(({ isOut }) => isOut).map(({ name }) => name),
  };
}
