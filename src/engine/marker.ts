import { cutAt, headLines } from "../lib/lines.ts";
import type { ItemLabel, MarkerMode, RecallChannel, ReleaseReason } from "../model/decision.ts";
import type { Address, MediaItem } from "../model/item.ts";

/** Version of the marker texts below; recorded with each decision. A change of any text is a new version. */
export const MARKER_TEMPLATE_VERSION = 3;

/** Originals under this many tokens get the short form. */
export const SHORT_FORM_TOKENS = 60;

/** Media under this many tokens get the short form: a path may take as many. */
const MEDIA_SHORT_FORM_TOKENS = 150;
const MEDIA_TYPE_CHARS = 40;
const HEAD_LINES = 6;
const HEAD_CHARS = 120;
const ERROR_HEAD_CHARS = 200;
const COMMAND_CHARS = 80;

/** What a change of a file is proven by: the agent's edit, a shell command, or the harness's word. */
export type ChangeProof = "edit" | "command" | "notice";

/** What a marker is made from. */
export interface MarkerInput {
  readonly address: Address;
  /** Where the item is itself the answer of a recall: the original it came from, which is the way back. */
  readonly recalledFrom: Address | null;
  readonly label: ItemLabel;
  readonly reason: ReleaseReason;
  /** What proves that the file changed, where it stands behind the marker. */
  readonly proof: ChangeProof | null;
  readonly mode: MarkerMode;
  readonly channel: RecallChannel;
  readonly bytes: number;
  readonly lines: number;
  readonly tokens: number;
  readonly isError: boolean;
  /** What an attachment is; null for a text. */
  readonly media: Pick<MediaItem, "mediaType" | "dimensions"> | null;
  /** Original text; used for heads only. */
  text(): string;
}

/** The text that stands in a released item's place. A pure function of the item and its decision. */
export function renderMarker(input: MarkerInput): string {
  const tag = `[ebb ${input.address}]`;
  if (input.mode === "off") return tag;
  const shortTokens = input.media === null ? SHORT_FORM_TOKENS : MEDIA_SHORT_FORM_TOKENS;
  if (input.tokens < shortTokens && !input.isError) return `[ebb ${input.address} ${SHORT_WORDS[input.reason]}]`;
  const call = input.mode === "full" ? wayBack(input) : "";
  if (input.media !== null) return `${tag} ${mediaText(input, input.media)}: ${mediaReason(input)}${call}`;
  const what = `${labelText(input.label)}, ${input.lines} ${input.lines === 1 ? "line" : "lines"}, ${input.bytes} bytes`;
  return `${tag} ${what}: ${reasonText(input)}${call}${headText(input)}`;
}

/** What an item was, in the words its marker and its recall share. */
export function labelText(label: ItemLabel): string {
  const tool = label.tool ?? "result";
  if (label.path !== null) return `${tool} ${oneLine(label.path)}${linesText(label)}`;
  if (label.command !== null) return `${tool} ${oneLine(cutAt(label.command, COMMAND_CHARS))}`;
  return tool;
}

/** The pointer that replaces an "unchanged" answer whose earlier read is not in the window. */
export function renderStubRepair(address: Address, channel: RecallChannel): string {
  return `[ebb ${address}] The file is unchanged since an earlier read, which is not in this window.${callText(channel, address)}`;
}

/** What stands in the place of a result kept in part: the label, why, the way back, and the kept lines as they were. */
export function renderKept(input: MarkerInput, keptText: string): string {
  return `${renderMarker({ ...input, reason: "kept", mode: "full", tokens: SHORT_FORM_TOKENS, isError: false })}\n${keptText}`;
}

/** How the original comes back through a channel; empty where no channel is reachable. */
export function callText(channel: RecallChannel, address: Address, what = "Full text"): string {
  switch (channel.kind) {
    case "command":
      return ` ${what}: ${channel.command} ${address}`;
    case "tool":
      return ` ${what}: ${channel.name}(id="${address}")`;
    case "none":
      return "";
  }
}

function wayBack({ channel, recalledFrom, address, media }: MarkerInput): string {
  return callText(channel, recalledFrom ?? address, media === null ? "Full text" : "The attachment itself");
}

/** A document's pages are not counted: its bytes do not state them. */
function mediaText(
  { label, bytes }: MarkerInput,
  { mediaType, dimensions }: NonNullable<MarkerInput["media"]>,
): string {
  const size = dimensions === null ? "" : ` ${dimensions.width}x${dimensions.height}`;
  const kind = `${oneLine(cutAt(mediaType, MEDIA_TYPE_CHARS))}${size}, ${bytes} bytes`;
  return label.tool === null ? kind : `${labelText(label)}, ${kind}`;
}

function mediaReason({ reason }: MarkerInput): string {
  return `only this view was shortened${MEDIA_REASONS[reason] ?? "."}`;
}

const MEDIA_REASONS: Readonly<Partial<Record<ReleaseReason, string>>> = {
  expired: ": the attachment's declared lifetime is over.",
  let_go: ": the attachment left by a recorded decision.",
  over_budget: ": the oldest attachments left, because the request was over its media budget.",
};

const REASON_WORDS: Readonly<Record<ReleaseReason, string>> = {
  stale: "only this view was shortened, not the file. The file was modified later in this conversation.",
  superseded: "only this view was shortened, not the file. The same lines were read again later in this conversation.",
  over_bound: "only this view was shortened, because it is over the size bound.",
  stub_repair: "an earlier read that is not in this window.",
  expired: "only this view was shortened: its declared lifetime is over.",
  let_go: "only this view was shortened, by a recorded decision.",
  kept: "only the lines below are kept here, by a recorded decision.",
  over_budget: "only this view was shortened, because the request was over its media budget.",
};

const PROOF_WORDS: Readonly<Record<ChangeProof, string>> = {
  edit: "the edit follows below",
  command: "a command that changed it follows below",
  notice: "a notice of it follows below",
};

const SHORT_WORDS: Readonly<Record<ReleaseReason, string>> = {
  stale: "modified later",
  superseded: "read again later",
  over_bound: "over size",
  stub_repair: "earlier read",
  expired: "lifetime over",
  let_go: "let go",
  kept: "kept in part",
  over_budget: "over budget",
};

function reasonText({ reason, proof }: MarkerInput): string {
  const words = REASON_WORDS[reason];
  return reason === "stale" && proof !== null ? `${words.slice(0, -1)} (${PROOF_WORDS[proof]}).` : words;
}

function linesText(label: ItemLabel): string {
  if (label.lineStart === null || label.lineEnd === null) return "";
  return ` lines ${label.lineStart}-${label.lineEnd}`;
}

function headText(input: MarkerInput): string {
  if (input.reason !== "over_bound" && !input.isError) return "";
  const lines = headLines(input.text(), HEAD_LINES, input.isError ? ERROR_HEAD_CHARS : HEAD_CHARS);
  const head = lines.map((line, index) => `\n${index + 1}: ${line}`).join("");
  if (!input.isError || input.lines <= HEAD_LINES) return head;
  return `${head}\n${input.lines}: ${lastLine(input.text(), ERROR_HEAD_CHARS)}`;
}

/** Errors end with their verdict (an exit status, a summary), so the last line stays in view too. */
function lastLine(text: string, charsMax: number): string {
  const body = text.endsWith("\n") ? text.slice(0, -1) : text;
  return cutAt(body.slice(body.lastIndexOf("\n") + 1), charsMax);
}

/** Line ends, tabs, and what a terminal would obey. */
const CONTROLS = /[\p{Cc}\u2028\u2029]+/gu;

function oneLine(text: string): string {
  return text.replace(CONTROLS, " ");
}
