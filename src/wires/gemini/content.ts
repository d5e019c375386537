import { elementsOf } from "../../lib/json-spans.ts";
import type { Role } from "../../model/item.ts";
import type { Original } from "../shared/origin.ts";
import { type Seed, sealSeed } from "../shared/seed.ts";
import { kindOf, stringAt } from "../shared/value.ts";
import type { ContentOutline } from "./outline.ts";
import { addOpaque, addPart, createPartDraft, type PartDraft } from "./part.ts";
import type { ContentSeed } from "./seed.ts";

/** One content, read. */
export interface ReadContent {
  readonly content: ContentSeed;
  /** Originals that were made while reading; valid as long as the body is. */
  readonly originals: ReadonlyMap<Seed, Original>;
}

/** Reads the items of one content. One of no known role or shape is one opaque item. */
export function readContent(outline: ContentOutline): ReadContent {
  const { text, members, hasDuplicates, span } = outline;
  const role = roleOf(outline);
  const draft = createPartDraft();
  const parts = members.get("parts");
  if (role !== null && parts !== undefined && kindOf(text, parts) === "array") {
    for (const [index, part] of elementsOf(text, parts.start).entries()) addPart(text, part, index, draft);
  } else addOpaque(text, span, "content", 0, draft);
  return sealed(draft, role ?? "user", hasDuplicates);
}

/** A content without a role is the user's. Functions answered in a role of their own once. */
function roleOf({ text, members }: ContentOutline): Role | null {
  const role = members.get("role");
  if (role === undefined || kindOf(text, role) === "null") return "user";
  switch (stringAt(text, role)) {
    case "model":
      return "assistant";
    case "user":
    case "function":
    case "":
      return "user";
    default:
      return null;
  }
}

/** Of media the model made itself, and where nobody can tell which member counts, nothing is replaced anew. */
function sealed({ seeds, originals, unbound }: PartDraft, role: Role, hasDuplicates: boolean): ReadContent {
  const known = new Map<Seed, Original>();
  const all = seeds.map((seed) => {
    const isSealed = hasDuplicates || (role !== "user" && seed.item.kind === "media");
    const own = isSealed ? sealSeed(seed) : seed;
    const original = originals.get(seed);
    if (original !== undefined) known.set(own, original);
    return own;
  });
  return { content: { kind: "gemini-content", role, seeds: all, unbound }, originals: known };
}
