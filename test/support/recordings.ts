import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { readRecording } from "../../src/replay/readers/recording-file.ts";
import type { RecordedContext, RecordedMessage, Recording } from "../../src/replay/recording.ts";
import { openForeignTables } from "../../src/stores/foreign-tables.ts";

/** A folder with files of recordings, gone when it is removed. */
export interface RecordingsFolder {
  readonly path: string;
  write(name: string, content: string): string;
  /** One JSON value a line. */
  lines(name: string, values: readonly unknown[]): string;
  remove(): void;
}

/** A new empty folder. */
export function recordingsFolder(): RecordingsFolder {
  const path = mkdtempSync(join(tmpdir(), "ebb-recordings-"));
  const write = (name: string, content: string): string => {
    const file = join(path, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
    return file;
  };
  return {
    path,
    write,
    lines: (name, values) => write(name, values.map((value) => JSON.stringify(value)).join("\n")),
    remove: () => rmSync(path, { recursive: true }),
  };
}

const counter = { count: (text: string) => Math.ceil(text.length / 4) };

/** The recording in a file. Throws with the reader's words where there is none. */
export async function recordingIn(file: string): Promise<Recording> {
  const outcome = await readRecording(file, { counter, openTables: openForeignTables });
  if (!outcome.ok) throw new Error(outcome.words);
  return outcome.recording;
}

/** What each request of a context sent, a message a line: role, then blocks as the first words of their text, `call id` or `=id text`. */
export function outlines(context: RecordedContext | undefined): string[][] {
  return (context?.requests ?? []).map((request) => request.messages().map(outline));
}

function outline({ role, blocks }: RecordedMessage): string {
  const parts = blocks.map(({ kind, callId, toolName, json }) => {
    const words = wordsOf(JSON.parse(Buffer.from(json).toString()));
    if (kind === "call") return `${toolName}(${callId})`;
    return kind === "result" ? `=${callId} ${words}` : kind === "text" ? words : kind;
  });
  return `${role}: ${parts.join(" | ")}`;
}

/** The longest text of a block that is under one of the members in which formats keep texts. */
function wordsOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(wordsOf).join("");
  if (typeof value !== "object" || value === null) return "";
  const texts = Object.entries(value)
    .filter(([name]) => ["text", "content", "output", "functionResponse", "response"].includes(name))
    .map(([, member]) => wordsOf(member));
  return texts.join("");
}
