import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RecallAnswer } from "../../keeper/contract.ts";
import type { ItemRecord } from "../../model/ledger.ts";
import type { CommandSpec, ExitCode, GivenArguments } from "../command.ts";
import { UsageError } from "../command.ts";
import { type Io, printLine } from "../io.ts";
import { LOCAL_TENANT, withKeeper } from "../open-keeper.ts";

/** `ebb recall`: prints the original of a released or held item, straight from the store. */
export const recallCommand: CommandSpec = {
  name: "recall",
  description: "print what stood where a marker stands now: whole, by lines, or by pattern",
  argument: { notation: "<id>", description: "the address that a marker prints, or a call id" },
  flags: [
    {
      name: "range",
      value: "lines",
      description:
        "A-B, A-, -B (from the start to B), N, N@C-D (characters of a line), or all; of a read: lines of the file",
    },
    { name: "pattern", value: "regex", description: "only lines that match, inside the range" },
    { name: "ignore-case", value: null, description: "match the pattern without regard to case" },
    { name: "raw", value: null, description: "the exact bytes of the whole original and nothing else" },
    { name: "output", value: "file", description: "write an attachment here instead of into a temporary folder" },
  ],
  configured: "recall",
  run: recall,
};

async function recall(given: GivenArguments, io: Io): Promise<ExitCode> {
  const range = given.textOf("range");
  const pattern = given.textOf("pattern");
  const isRaw = given.isSet("raw");
  if (isRaw && (range !== null || pattern !== null))
    throw new UsageError("--raw is whole: leave out --range and --pattern");
  const config = given.config();
  const answer = await withKeeper(config, io, ({ keeper }) =>
    keeper.recall({
      tenant: LOCAL_TENANT,
      id: given.positional[0] ?? "",
      range,
      pattern,
      ignoreCase: given.isSet("ignore-case"),
      chars: null,
      sessionId: null,
      by: io.isInteractive ? "user" : "agent",
      atMs: Date.now(),
    }),
  );
  if (!answer.ok) {
    const place = answer.failure === "unknown id" ? ` in ${config.dataFolder}` : "";
    io.err(`ebb: ${answer.words}${place}\n`);
    return 1;
  }
  printAnswer(answer, isRaw, given.textOf("output"), io);
  return 0;
}

function printAnswer(
  answer: RecallAnswer & { readonly ok: true },
  isRaw: boolean,
  output: string | null,
  io: Io,
): void {
  if (isRaw) io.out(answer.raw);
  else if (answer.item.kind === "media") printLine(io, writeAttachment(answer.item, answer.raw, output));
  else io.out(answer.text.endsWith("\n") ? answer.text : `${answer.text}\n`);
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
