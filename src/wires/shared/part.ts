import { sha256Hex } from "../../lib/hash.ts";
import type { JsonBytes, Span } from "../../lib/json-scan.ts";
import type { Digest } from "../../model/item.ts";
import type { ReadMemo } from "../../model/ports.ts";
import { recallSeed } from "./seed.ts";

/** A part of a request beside its conversation, as its tools, read; remembered by the digest of the raw bytes. */
export interface PartSeed {
  /** Names the wire and the part. */
  readonly kind: string;
  /** Tool names, or the system prompt's texts. */
  readonly texts: readonly string[];
  /** SHA-256 of what the provider's cache depends on. */
  readonly digest: Digest;
}

/** The part at `span`, read once for the same bytes; an absent one has no texts and the digest of the empty list. */
export function readPart(
  text: JsonBytes,
  span: Span | undefined,
  memo: ReadMemo,
  kind: string,
  read: (text: JsonBytes, span: Span) => Omit<PartSeed, "kind">,
): PartSeed {
  if (span === undefined) return { kind, texts: [], digest: sha256Hex("[]") };
  const digest = sha256Hex(`${kind} ${sha256Hex(text.bytes.subarray(span.start, span.end))}`);
  const known = recallSeed<PartSeed>(memo.get(digest), kind);
  if (known !== null) return known;
  const part = { kind, ...read(text, span) };
  memo.set(digest, part);
  return part;
}
