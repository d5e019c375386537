import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RecallAnswer } from "../../keeper/contract.ts";
import { visible } from "../../lib/visible.ts";
import type { ItemRecord } from "../../model/ledger.ts";
import type { CommandSpec, ExitCode, GivenArguments } from "../command.ts";
import { UsageError } from "../command.ts";
import { type Io, printLine } from "../io.ts";
import { LOCAL_TENANT, withKeeper } from "../open-keeper.ts";

/** `ebb recall`: prints the original of a released or held item, straight from the store. */
export const recallCommand: CommandSpec = {
  name: "recall",
  description: "print what stood where a marker stands now: whole, by lines, or by pattern",
  argument: {
    notation: "<id>",
    description: "the address that a marker prints, a call id, or `index` for the list of what left",
  },
  flags: [
    {
      name: "range",
      value: "lines",
      description:
        "A-B, A-, -B (from the start to B), N, N@C-D (characters of a line), or all; of a read: lines of the file",
    },
    { name: "pattern", value: "regex", description: "only lines that match, inside the range" },
    { name: "ignore-case", value: null, description: "match the pattern without regard to case" },
    {
      name: "chars",
      value: "n",
      description: "at most so many characters in this answer; it names the range that continues",
    },
    { name: "session", value: "id", description: "only within this conversation; for the index, which one" },
    { name: "raw", value: null, description: "the exact bytes of the whole original and nothing else" },
    { name: "output", value: "file", description: "write an attachment here instead of into a temporary folder" },
  ],
  configured: "recall",
  run: recall,
};

async function recall(given: GivenArguments, io: Io): Promise<ExitCode> {
  const range = given.textOf("range");
  const pattern = given.textOf("pattern");
  const chars = charsOf(given.textOf("chars"));
  const isRaw = given.isSet("raw");
  if (isRaw && (range !== null || pattern !== null || chars !== null))
    throw new UsageError("--raw is whole: leave out --range, --pattern and --chars");
  const config = given.config();
  const answer = await withKeeper(config, io, ({ keeper }) =>
    keeper.recall({
      tenant: LOCAL_TENANT,
      id: given.positional[0] ?? "",
      range,
      pattern,
      ignoreCase: given.isSet("ignore-case"),
      chars,
      sessionId: given.textOf("session"),
      by: io.isInteractive ? "user" : "agent",
      atMs: Date.now(),
    }),
  );
  if (!answer.ok) {
    const place = answer.failure === "unknown id" ? ` in ${config.dataFolder}` : "";
    io.err(`ebb: ${answer.failure}: ${answer.words}${place}\n`);
    return 1;
  }
  printAnswer(answer, isRaw, given.textOf("output"), io);
  return 0;
}

function charsOf(text: string | null): number | null {
  if (text === null) return null;
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new UsageError(`--chars: expected a whole number from 1, got ${text}`);
  return Number(text);
}

function printAnswer(
  answer: RecallAnswer & { readonly ok: true },
  isRaw: boolean,
  output: string | null,
  io: Io,
): void {
  const { item, raw } = answer;
  // A pipe gets the text as it was; a terminal would obey it.
  const text = io.isInteractive ? visible(answer.text) : answer.text;
  if (isRaw) io.out(raw);
  else if (item?.kind === "media") printLine(io, writeAttachment(item, raw, output));
  else io.out(text.endsWith("\n") ? text : `${text}\n`);
}

/** An attachment comes back whole, as a file that only the user can read. */
function writeAttachment(item: ItemRecord, bytes: Uint8Array, output: string | null): string {
  const file = output ?? join(mkdtempSync(join(tmpdir(), "ebb-")), `${item.address}.${extensionOf(item.mediaType)}`);
  writeFileSync(file, bytes, { mode: 0o600 });
  return file;
}

function extensionOf(mediaType: string | null): string {
  const part = /^[a-z]+\/([a-z0-9]+)/.exec(mediaType ?? "")?.[1] ?? "bin";
  return part === "jpeg" ? "jpg" : part === "plain" ? "txt" : part;
}
