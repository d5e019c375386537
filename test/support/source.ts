import { sha256Hex } from "../../src/lib/hash.ts";
import type { Item, Role } from "../../src/model/item.ts";
import type { JsonValue } from "../../src/model/json.ts";
import type { WireSource } from "../../src/model/ports.ts";
import type { Message, RequestHeader } from "../../src/model/transcript.ts";
import { headerOf } from "./header.ts";

/** A block of a message before it is an item. */
export type Part =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "call"; readonly id: string; readonly name: string; readonly input: JsonValue }
  | {
      readonly kind: "result";
      readonly id: string;
      readonly text: string;
      readonly isError?: boolean;
      readonly mediaCount?: number;
    };

export interface PartsMessage {
  readonly role: Role;
  readonly parts: readonly Part[];
}

/** A source without a wire: items as a wire would build them, `decoded` counts the texts that were asked for. */
export interface FakeSource extends WireSource {
  readonly decoded: readonly string[];
}

/** Builds a source from messages. */
export function sourceOf(messages: readonly PartsMessage[], header: Partial<RequestHeader> = {}): FakeSource {
  const items: Item[] = [];
  const placed: Message[] = [];
  const texts = new Map<Item, string>();
  const decoded: string[] = [];
  const occurrences = new Map<string, number>();
  for (const [messageIndex, { role, parts }] of messages.entries()) {
    const itemStart = items.length;
    for (const [blockIndex, part] of parts.entries()) {
      const text = part.kind === "call" ? JSON.stringify(part.input) : part.text;
      const item = itemOf(part, { ...measured(text), role, messageIndex, blockIndex }, occurrences);
      items.push(item);
      texts.set(item, text);
    }
    placed.push({ role, itemStart, itemEnd: items.length });
  }
  return {
    transcript: { header: { ...HEADER, ...header }, messages: placed, items, breakpoints: [] },
    sessionId: null,
    decoded,
    textOf(item) {
      const text = texts.get(item) ?? "";
      decoded.push(text);
      return text;
    },
    takesDrop: false,
    canMark: (item) => item.kind !== "thinking" && item.kind !== "opaque",
    originalOf: (item) => new TextEncoder().encode(texts.get(item) ?? ""),
  };
}

export function says(text: string): PartsMessage {
  return { role: "user", parts: [{ kind: "text", text }] };
}

export function harness(text: string): PartsMessage {
  return { role: "system", parts: [{ kind: "text", text }] };
}

/** One assistant message with the given calls: id, tool, input. */
export function calls(...made: readonly (readonly [id: string, name: string, input: JsonValue])[]): PartsMessage {
  return { role: "assistant", parts: made.map(([id, name, input]) => ({ kind: "call", id, name, input })) };
}

/** The results of one user message: id, text. */
export function results(...given: readonly (readonly [id: string, text: string])[]): PartsMessage {
  return { role: "user", parts: given.map(([id, text]) => ({ kind: "result", id, text })) };
}

export function failure(id: string, text: string): PartsMessage {
  return { role: "user", parts: [{ kind: "result", id, text, isError: true }] };
}

/** Lines as Claude Code prints them, from `first` on. */
export function numbered(first: number, ...lines: readonly string[]): string {
  return lines.map((line, index) => `${first + index}\t${line}`).join("\n");
}

const HEADER = headerOf({
  model: "claude-test",
  toolNames: ["Read", "Edit", "Write", "Bash"],
  systemTexts: ["Working directory: /w\n"],
  cacheKey: "0",
  isStreaming: true,
});

type Base = Pick<Item, "digest" | "bytes" | "lines" | "role" | "messageIndex" | "blockIndex">;

function measured(text: string): Pick<Item, "digest" | "bytes" | "lines"> {
  return { digest: sha256Hex(text), bytes: Buffer.byteLength(text), lines: text.split("\n").length };
}

function itemOf(part: Part, base: Base, occurrences: Map<string, number>): Item {
  switch (part.kind) {
    case "call":
      return {
        ...base,
        kind: "call",
        key: `${part.id}:${part.name}`,
        callId: part.id,
        name: part.name,
        input: part.input,
      };
    case "result":
      return {
        ...base,
        kind: "result",
        key: `${part.id}:${base.digest}`,
        callId: part.id,
        isError: part.isError ?? false,
        mediaCount: part.mediaCount ?? 0,
        isReplaceable: true,
      };
    case "text": {
      const occurrence = (occurrences.get(base.digest) ?? 0) + 1;
      occurrences.set(base.digest, occurrence);
      return { ...base, kind: "text", key: `text:${base.digest}:${occurrence}` };
    }
  }
}
