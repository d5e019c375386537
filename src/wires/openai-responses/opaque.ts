import type { JsonBytes } from "../../lib/json-scan.ts";
import { addSeed } from "../shared/draft.ts";
import { measureText, readOrigin } from "../shared/origin.ts";
import type { Origin } from "../shared/seed.ts";
import { kindOf } from "../shared/value.ts";
import type { Draft } from "./draft.ts";
import type { Part } from "./outline.ts";
import { stableSha } from "./stable.ts";

/** Adds what has no known type or shape as one item that is never altered. */
export function addOpaque(text: JsonBytes, part: Part, blockIndex: number, draft: Draft): void {
  const origin: Origin = { kind: "raw", span: part.span };
  const original = readOrigin(text, origin);
  const type = part.type ?? kindOf(text, part.span);
  const item = { kind: "opaque", type, blockIndex, ...measureText(original) } as const;
  const keyStem = `opaque:${stableSha(text, part)}`;
  addSeed(draft, text, { item, keyStem, isNamed: false, origin, slot: null }, original);
}
