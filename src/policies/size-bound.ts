import type { MarkerMode, Proposal } from "../model/decision.ts";
import type { Policy } from "../model/ports.ts";
import type { SizeBound } from "../model/view.ts";

export interface SizeBoundOptions {
  readonly bound: SizeBound;
  /** The pair for single tools, by tool name. */
  readonly tools: Readonly<Record<string, SizeBound>>;
  readonly markerMode: MarkerMode;
}

/** Proposes to release every result over the bound; under both numbers size alone proposes nothing. */
export function createSizeBound(options: SizeBoundOptions): Policy {
  return {
    name: "sizebound",
    propose(view) {
      const proposals: Proposal[] = [];
      for (const item of view.transcript.items) {
        if (item.kind !== "result") continue;
        const tool = view.labelOf(item).tool;
        if (isOverBound(item.lines, item.bytes, boundOf(options, tool))) proposals.push(proposalOf(item.key, options));
      }
      return { proposals, declines: [] };
    },
  };
}

/** Over means strictly more than either number. */
export function isOverBound(lines: number, bytes: number, bound: SizeBound): boolean {
  return lines > bound.lines || bytes > bound.bytes;
}

function boundOf(options: SizeBoundOptions, tool: string | null): SizeBound {
  if (tool === null || !Object.hasOwn(options.tools, tool)) return options.bound;
  return options.tools[tool] ?? options.bound;
}

function proposalOf(itemKey: string, options: SizeBoundOptions): Proposal {
  return {
    itemKey,
    policy: "sizebound",
    reason: "over_bound",
    markerMode: options.markerMode,
    evidenceKey: null,
    wish: null,
    waitsForFree: false,
    allowsCold: true,
    isForced: false,
  };
}
