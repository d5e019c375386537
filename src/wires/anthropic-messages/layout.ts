import type { JsonBytes, Span } from "../../lib/json-scan.ts";
import type { Seed } from "../shared/seed.ts";
import { kindOf } from "../shared/value.ts";
import type { Block } from "./block.ts";
import { CACHE_CONTROL } from "./cache-control.ts";
import type { Outline } from "./outline.ts";

/** A block of a content list; it is an object unless `otherNames` is null. */
export interface BlockPlace extends Span {
  /** It can carry a cache breakpoint and states none. */
  readonly isMarkable: boolean;
  /** Names of a result's members beside the usual ones; null where another member cannot be added. */
  readonly otherNames: readonly string[] | null;
}

/** Where a message takes blocks of its own. Spans are relative to the message. */
export type Layout = ListLayout | StringLayout;

export interface ListLayout extends MessageShape {
  readonly kind: "list";
  readonly content: Span;
  readonly blocks: readonly BlockPlace[];
  /** Blocks up to and including the last tool result; the API wants all of those first. */
  readonly resultEnd: number;
}

interface StringLayout extends MessageShape {
  readonly kind: "string";
  readonly content: Span;
}

interface MessageShape {
  /** Which of its two members comes first; null where it has others, so that it cannot be parted. */
  readonly first: "role" | "content" | null;
}

const MARKABLE: ReadonlySet<string> = new Set(["text", "result", "call", "media"]);
const RESULT_MEMBERS: ReadonlySet<string> = new Set(["type", "tool_use_id", "content", "is_error", CACHE_CONTROL]);
const NONE: readonly string[] = [];

/** The place of a block whose own item is `seed`; without one it is empty or none that is known. */
export function placeOfBlock(block: Block, seed: Seed | undefined): BlockPlace {
  const { start, end } = block.span;
  const isKnown = seed !== undefined && MARKABLE.has(seed.item.kind) && !block.hasDuplicates;
  const isResult = isKnown && seed.item.kind === "result";
  return {
    start,
    end,
    isMarkable: isKnown && !block.members.has(CACHE_CONTROL),
    otherNames: isResult ? otherNamesOf(block) : null,
  };
}

/** Null where nobody can tell which content counts. */
export function layoutOf(text: JsonBytes, outline: Outline, places: readonly BlockPlace[]): Layout | null {
  const { blocks, role, content, hasDuplicates } = outline;
  if (hasDuplicates || content === undefined || role === undefined) return null;
  const first = outline.hasOthers ? null : role.start < content.start ? "role" : "content";
  if (blocks === null) return kindOf(text, content) === "string" ? { kind: "string", content, first } : null;
  const resultEnd = blocks.findLastIndex(({ type }) => type === "tool_result") + 1;
  return { kind: "list", content, first, blocks: places, resultEnd };
}

function otherNamesOf({ members }: Block): readonly string[] {
  const others = Array.from(members.keys()).filter((name) => !RESULT_MEMBERS.has(name));
  return others.length === 0 ? NONE : others;
}
