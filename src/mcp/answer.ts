import { renderReport } from "../engine/report-format.ts";
import { parseRange } from "../engine/selection.ts";
import type { RecallAnswer, RecallFailure } from "../keeper/contract.ts";
import type { OrderAnswer, OrderFailure } from "../keeper/order.ts";
import type { WindowAnswer, WindowItem } from "../keeper/window.ts";
import { oneLine } from "../lib/visible.ts";
import type { ToolAnswer as Answered, ToolContent } from "../model/tool.ts";

/** What a tool call is answered with; a failure is one of the known names. */
export interface ToolAnswer extends Answered {
  readonly failure: ToolFailure | null;
}

/** Names of failures; a `fault` is Ebb's own. */
export type ToolFailure = RecallFailure | OrderFailure | Extract<WindowAnswer, { ok: false }>["failure"] | "fault";

type ListedWindow = Extract<WindowAnswer, { ok: true }>;

const IMAGE_TYPES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);
const OTHER_TYPE = "application/octet-stream";

/** A failure as an answer: its name, then why. */
export function failed(failure: ToolFailure, words: string): ToolAnswer {
  return { content: [{ type: "text", text: `${failure}: ${words}` }], failure };
}

/** The text of an original; an attachment as what it is, byte for byte, behind a line that names it. */
export function recalled(answer: RecallAnswer): ToolAnswer {
  if (!answer.ok) return failed(answer.failure, answer.words);
  const { item, raw, text } = answer;
  if (item?.kind !== "media") return said(text);
  const mimeType = item.mediaType ?? OTHER_TYPE;
  const data = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength).toString("base64");
  const attachment: ToolContent = IMAGE_TYPES.has(mimeType)
    ? { type: "image", data, mimeType }
    : { type: "resource", resource: { uri: `ebb://original/${item.address}`, mimeType, blob: data } };
  return { content: text === "" ? [attachment] : [{ type: "text", text }, attachment], failure: null };
}

/** What was decided, and when it acts; of a scope that was closed also its report, whole lines up to `charsMax` characters. */
export function decided(answer: OrderAnswer, charsMax: number): ToolAnswer {
  if (!answer.ok) return failed(answer.failure, answer.words);
  const { words, report } = answer;
  if (report === undefined) return said(words);
  const text = renderReport(report, "text").trimEnd();
  const end = text.length <= charsMax ? text.length : Math.max(0, text.lastIndexOf("\n", charsMax));
  const rest = end === text.length ? "" : `\n(${text.length - end} characters more: ebb report)`;
  return said(`${words}\n\n${text.slice(0, end)}${rest}`);
}

/** The listing of a window: items oldest first, then paths and scopes, one a line; whole lines up to `charsMax` characters. */
export function windowed(answer: WindowAnswer, range: string | null, charsMax: number): ToolAnswer {
  if (!answer.ok) return failed(answer.failure, answer.words);
  const asked = parseRange(range);
  if (!asked.ok) return failed("bad range", asked.words);
  const { from, to, chars } = asked.selection;
  if (chars !== null) return failed("bad range", "a listing is cut by lines: A-B, A-, -B or N");
  const all = [...answer.items.map(itemLine), ...answer.paths.map(pathLine), ...answer.scopes.map(scopeLine)].map(
    oneLine,
  );
  const shown: string[] = [];
  let length = 0;
  for (const line of all.slice(from - 1, to ?? undefined)) {
    length += line.length + 1;
    if (length > charsMax && shown.length > 0) break;
    shown.push(line);
  }
  const next = from + shown.length;
  const rest = next > Math.min(to ?? all.length, all.length) ? "complete" : `continue with range=${next}-${to ?? ""}`;
  return said([headLine(answer, shown.length, rest), ...shown].join("\n"));
}

function said(text: string): ToolAnswer {
  return { content: [{ type: "text", text }], failure: null };
}

function headLine({ turn, step, items, gone }: ListedWindow, shown: number, rest: string): string {
  const lost = gone === 0 ? "" : `, ${gone} no longer in it but recallable`;
  return `turn ${turn}, step ${step}, ${items.length} items${lost}; ${shown} lines shown, ${rest}`;
}

function itemLine({ address, state, bytes, label, words }: WindowItem): string {
  return `${address} ${state} ${bytes} bytes ${label}${words === "" ? "" : ` (${words})`}`;
}

function pathLine({ path, kind, until, reason }: ListedWindow["paths"][number]): string {
  return `path ${path} ${kind} ${until}: ${reason}`;
}

function scopeLine({ name, turn, addresses, reason }: ListedWindow["scopes"][number]): string {
  return `scope ${name} open since turn ${turn}: ${reason}; ${addresses.length} items`;
}
