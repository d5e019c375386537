import { posix } from "node:path";
import type { ReleaseReason } from "../../../src/model/decision.ts";
import { type ReadBlock, type ReadBody, type ReadResult, resultsIn, textIn } from "../bodies.ts";
import type { Session } from "../client/moves.ts";
import { BOUND } from "../world.ts";

/** A call as an outsider reads it, with the answer behind it. */
interface CallFacts {
  readonly order: number;
  readonly name: string;
  readonly path: string | null;
  readonly window: string;
  readonly words: readonly string[];
  readonly answer: ReadResult | null;
}

const UNCHANGED = "File unchanged since last read";
const REPAIR = "The file is unchanged since an earlier read, which is not in this window.";
const SIZE = /^\[ebb [^\]]*\] .*, (\d+) lines?, (\d+) bytes: /;
const RANGE = / lines (\d+)-(\d+), \d+ lines?, \d+ bytes: /;

/** What a marker claims that `body`, the one it stands in, does not prove; null where it claims no more than that. */
export function untruthOf(marker: string, original: ReadResult, body: ReadBody, { setting }: Session): string | null {
  const calls = callsIn(body);
  const call = calls.find(({ answer }) => answer?.at === original.at) ?? null;
  const [head = "", ...rest] = marker.split("\n");
  if (original.text.startsWith(UNCHANGED)) return repairUntruth(marker, call, calls, setting.hasShell);
  if (!/^\[ebb [0-9a-hjkmnp-tv-z]{12}[ \]]/.test(marker)) return "no address at its head";
  if (/modified later/.test(head) && !isChangedLater(call, calls, body)) return "no later change of the file";
  if (/read again later/.test(head) && !isReadLater(call, calls)) return "no later read of the same lines";
  if (/over (?:the )?size/.test(head) && !isOver(original.text)) return "not over the bound";
  if (head.includes("ebb recall") && !setting.hasShell) return "names a way back that is out of reach";
  return sizeUntruth(head, original) ?? labelUntruth(head, call) ?? headUntruth(rest, original);
}

/** True where `body` proves that the read behind `original` is stale or superseded; true of every other reason. */
export function isProven(reason: ReleaseReason, original: ReadResult, body: ReadBody): boolean {
  const calls = callsIn(body);
  const call = calls.find(({ answer }) => answer?.at === original.at) ?? null;
  if (reason === "stale") return isChangedLater(call, calls, body);
  return reason !== "superseded" || isReadLater(call, calls);
}

function sizeUntruth(head: string, { text }: ReadResult): string | null {
  const [, lines, bytes] = SIZE.exec(head) ?? [];
  if (lines === undefined) return null;
  if (Number(lines) !== lineCount(text)) return `states ${lines} lines of ${lineCount(text)}`;
  if (Number(bytes) !== Buffer.byteLength(text)) return `states ${bytes} bytes of ${Buffer.byteLength(text)}`;
  const [, first, last] = RANGE.exec(head) ?? [];
  const printed = printedIn(text);
  if (first === undefined || printed === null) return null;
  return Number(first) === printed.first && Number(last) === printed.last ? null : "states other lines than it printed";
}

function labelUntruth(head: string, call: CallFacts | null): string | null {
  if (!SIZE.test(head)) return null;
  if (call === null) return head.includes("] result, ") ? null : "names a tool that no call shows";
  if (!head.includes(`] ${call.name}`)) return `names another tool than ${call.name}`;
  return call.words.length === 0 || call.words.some((words) => head.includes(words))
    ? null
    : "names no argument of its call";
}

/** Numbered lines kept in view are lines of the original, under their own numbers. */
function headUntruth(rest: readonly string[], { text }: ReadResult): string | null {
  const lines = text.split("\n");
  for (const shown of rest) {
    const [, number = "0", words = ""] = /^(\d+): (.*)$/s.exec(shown) ?? [];
    if (lines[Number(number) - 1]?.startsWith(words) !== true) return `shows ${JSON.stringify(shown.slice(0, 40))}`;
  }
  return null;
}

/** A pointer instead of an "unchanged" answer is true only where the earlier read is not held in full. */
function repairUntruth(
  marker: string,
  stub: CallFacts | null,
  calls: readonly CallFacts[],
  hasShell: boolean,
): string | null {
  if (stub === null) return "repairs an answer without a call";
  const isHeld = calls.some(
    (call) => call.order < stub.order && isRead(call, stub) && /^ *\d+[→\t]/.test(call.answer?.text ?? ""),
  );
  if (isHeld && isUnchangedSince(stub, calls)) return "the earlier read stands in this window in full";
  if (marker.includes(REPAIR))
    return marker.includes("ebb recall") && !hasShell ? "names a way back out of reach" : null;
  return /^ *\d+[→\t]/.test(marker) && !hasShell ? null : "neither a pointer nor the text itself";
}

/** No change of the file between the last full read before the stub and the stub. */
function isUnchangedSince(stub: CallFacts, calls: readonly CallFacts[]): boolean {
  const held = calls.filter((call) => call.order < stub.order && isRead(call, stub));
  const last = held.at(-1);
  return (
    last !== undefined &&
    !calls.some((call) => isChange(call, stub.path) && call.order > last.order && call.order < stub.order)
  );
}

function isRead(call: CallFacts, like: CallFacts): boolean {
  return call.name === "Read" && call.path === like.path && call.window === like.window && isOk(call.answer);
}

function isChange(call: CallFacts, path: string | null): boolean {
  return (call.name === "Edit" || call.name === "Write") && call.path === path && isOk(call.answer);
}

function isOk(answer: ReadResult | null): boolean {
  if (answer === null || answer.isError) return false;
  return !answer.text.startsWith("<tool_use_error>") && !answer.text.startsWith("The user doesn't want to");
}

function isChangedLater(read: CallFacts | null, calls: readonly CallFacts[], { blocks }: ReadBody): boolean {
  if (read === null || read.path === null) return false;
  if (calls.some((call) => call.order > read.order && isChange(call, read.path))) return true;
  const note = `Note: ${read.path} was modified, either by the user or by a linter`;
  return blocks.slice(read.order + 1).some((block) => isText(block) && wordsOf(block).includes(note));
}

function isReadLater(read: CallFacts | null, calls: readonly CallFacts[]): boolean {
  if (read === null) return false;
  return calls.some(
    (call) => call.order > read.order && isRead(call, read) && !call.answer?.text.startsWith(UNCHANGED),
  );
}

function isText({ type }: ReadBlock): boolean {
  return type === "text" || type === "string";
}

function wordsOf({ type, node }: ReadBlock): string {
  return type === "string" ? textIn(node) : (node.members.get("text")?.text ?? "");
}

function callsIn(body: ReadBody): readonly CallFacts[] {
  const results = resultsIn(body);
  return body.blocks.flatMap((block, order) => {
    if (block.type !== "tool_use" || block.callId === null) return [];
    const input = block.node.members.get("input")?.members;
    const path = input?.get("file_path")?.text ?? null;
    const command = input?.get("command")?.text ?? null;
    const answer = results.find(({ callId, at }) => callId === block.callId && at > order) ?? null;
    return [
      {
        order,
        name: block.node.members.get("name")?.text ?? "",
        path: path === null ? null : posix.resolve("/w", path),
        window: `${input?.get("offset")?.raw} ${input?.get("limit")?.raw}`,
        words: [path, command?.split("\n")[0] ?? null].flatMap((words) => (words === null ? [] : [words])),
        answer,
      },
    ];
  });
}

function printedIn(text: string): { readonly first: number; readonly last: number } | null {
  const numbers = text.split("\n").flatMap((line) => /^ *(\d+)[→\t]/.exec(line)?.[1] ?? []);
  const [first] = numbers;
  return first === undefined ? null : { first: Number(first), last: Number(numbers.at(-1)) };
}

function lineCount(text: string): number {
  return text.split("\n").length - (text.endsWith("\n") || text === "" ? 1 : 0);
}

function isOver(text: string): boolean {
  return lineCount(text) > BOUND.lines || Buffer.byteLength(text) > BOUND.bytes;
}
