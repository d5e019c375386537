import type { JsonBytes, Span } from "../../lib/json-scan.ts";
import { skipValue } from "../../lib/json-scan.ts";
import { visitMembers } from "../../lib/json-spans.ts";
import type { Role } from "../../model/item.ts";
import { visitBlocks } from "./block.ts";
import { addBlock, addText } from "./content.ts";
import { createDraft, type Draft } from "./draft.ts";
import { type MessageSeed, type Seed, sealSeed } from "./seed.ts";
import { kindOf, namedKind, stringAt } from "./value.ts";

export type MessageOutcome =
  | {
      readonly ok: true;
      readonly message: MessageSeed;
      /** Originals that were made while reading; valid as long as the body is. */
      readonly originals: ReadonlyMap<Seed, Uint8Array>;
    }
  /** What was expected and what came. */
  | { readonly ok: false; readonly words: string };

interface MessageMembers {
  role: Span | undefined;
  content: Span | undefined;
  hasDuplicates: boolean;
  draft: Draft;
}

/** Reads one message from its own bytes, which must be valid JSON. */
export function readMessage(text: JsonBytes): MessageOutcome {
  const whole = { start: 0, end: text.bytes.length };
  if (kindOf(text, whole) !== "object")
    return { ok: false, words: `expected an object, got ${namedKind(text, whole)}` };
  const { role, content, draft, hasDuplicates } = readMembers(text);
  const name = stringAt(text, role);
  if (!isRole(name)) {
    const came = name === null ? namedKind(text, role) : JSON.stringify(name.slice(0, 40));
    return { ok: false, words: `role: expected "user", "assistant" or "system", got ${came}` };
  }
  const kind = content === undefined ? null : kindOf(text, content);
  if (content === undefined || (kind !== "string" && kind !== "array")) {
    return { ok: false, words: `content: expected a string or an array, got ${namedKind(text, content)}` };
  }
  if (kind === "string") addText(text, content, 0, draft);
  const seeds = hasDuplicates ? draft.seeds.map(sealSeed) : draft.seeds;
  const message = { kind: "anthropic-message", role: name, seeds, cacheTtlMs: draft.cacheTtlMs } as const;
  return { ok: true, message, originals: draft.originals };
}

function readMembers(text: JsonBytes): MessageMembers {
  const keys = new Set<string>();
  const found: MessageMembers = { role: undefined, content: undefined, hasDuplicates: false, draft: createDraft() };
  visitMembers(text, 0, (key, start) => {
    found.hasDuplicates ||= keys.has(key);
    keys.add(key);
    if (key === "content") return readContent(text, start, found);
    const end = skipValue(text, start);
    if (key === "role") found.role = { start, end };
    return end;
  });
  return found;
}

/** Of two contents the later one counts. */
function readContent(text: JsonBytes, start: number, found: MessageMembers): number {
  const draft = createDraft();
  const isList = text.bytes[start] === 0x5b;
  const end = isList
    ? visitBlocks(text, start, (block, index) => addBlock(text, block, index, draft))
    : skipValue(text, start);
  found.draft = draft;
  found.content = { start, end };
  return end;
}

function isRole(name: string | null): name is Role {
  return name === "user" || name === "assistant" || name === "system";
}
