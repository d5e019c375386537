import type { Role } from "../../model/item.ts";
import { addBlock, addText } from "./content.ts";
import { createDraft } from "./draft.ts";
import type { Original } from "./origin.ts";
import type { Outline } from "./outline.ts";
import { type MessageSeed, type Seed, sealSeed } from "./seed.ts";
import { kindOf, namedKind, stringAt } from "./value.ts";

export type MessageOutcome =
  | {
      readonly ok: true;
      readonly message: MessageSeed;
      /** Originals that were made while reading; valid as long as the body is. */
      readonly originals: ReadonlyMap<Seed, Original>;
    }
  /** What was expected and what came. */
  | { readonly ok: false; readonly words: string };

const ROLE_CHARS_SHOWN = 40;

/** Reads the items of one message. */
export function readMessage(outline: Outline): MessageOutcome {
  const { text, span, role, content, blocks } = outline;
  if (kindOf(text, span) !== "object") return { ok: false, words: `expected an object, got ${namedKind(text, span)}` };
  const name = stringAt(text, role);
  if (!isRole(name)) {
    const came = name === null ? namedKind(text, role) : JSON.stringify(name.slice(0, ROLE_CHARS_SHOWN));
    return { ok: false, words: `role: expected "user", "assistant" or "system", got ${came}` };
  }
  const draft = createDraft();
  if (blocks !== null) for (const [index, block] of blocks.entries()) addBlock(text, block, index, draft);
  else if (content !== undefined && kindOf(text, content) === "string") addText(text, content, 0, draft);
  else return { ok: false, words: `content: expected a string or an array, got ${namedKind(text, content)}` };
  const { cacheTtlMs, originals } = draft;
  const seeds = outline.hasDuplicates ? draft.seeds.map(sealSeed) : draft.seeds;
  return { ok: true, message: { kind: "anthropic-message", role: name, seeds, cacheTtlMs }, originals };
}

function isRole(name: string | null): name is Role {
  return name === "user" || name === "assistant" || name === "system";
}
