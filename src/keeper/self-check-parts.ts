import { askedIn, FILLER } from "./self-check-additions.ts";
import type { Splice } from "./self-check-splices.ts";

/** What was put into a body, each kind in order. */
export interface Parts {
  /** Texts in the place of items. */
  readonly texts: string[];
  /** Texts of blocks put in beside those that came. */
  readonly notes: string[];
  /** Lifetimes of cache breakpoints, in milliseconds. */
  readonly lifetimes: number[];
  /** Call ids of results that the provider is asked to delete. */
  readonly asked: string[];
  /** Call ids that results were named by. */
  readonly references: string[];
  /** Members of the request or of one of its parameters, by name. */
  readonly fields: (readonly [name: string, value: unknown])[];
}

/**
 * A string in the place of a result's text, or an object that holds it in the place of a whole response; a text block in the place of
 * media, in the form of any format, or one around the value of the client's breakpoint; whole blocks and members behind others. Null
 * where something else was put in.
 */
export function insertedParts(splices: readonly Splice[]): Parts | null {
  const parts: Parts = { texts: [], notes: [], lifetimes: [], asked: [], references: [], fields: [] };
  let awaited: "nothing" | "end" | "list" = "nothing";
  for (const piece of splices.flatMap(({ pieces }) => pieces)) {
    const json = Buffer.from(piece.buffer, piece.byteOffset, piece.length).toString();
    if (awaited === "end" && json !== "}") return null;
    if (awaited === "list" && !takeBlocks(json, /^\},(.+)\]$/s, parts)) return null;
    if (awaited !== "nothing") {
      awaited = "nothing";
      continue;
    }
    const breakpoint = BREAKPOINTS.find((one) => json.endsWith(one)) ?? "";
    if (json === LIST_BEGIN) awaited = "list";
    else if (breakpoint !== "") awaited = "end";
    const isTaken =
      awaited === "list" ||
      takeText(awaited === "end" ? `${json.slice(0, -breakpoint.length)}}` : json, parts) ||
      takeMember(json, parts) ||
      takeBlocks(json, /^,(.+)$/s, parts);
    if (!isTaken) return null;
  }
  return awaited === "nothing" ? parts : null;
}

/** What stands in front of the value of a client's breakpoint. */
const BREAKPOINTS = [',"cache_control":', ',"prompt_cache_breakpoint":'];
/** Types of a block of text; a format without types names none. */
const TEXT_TYPES: ReadonlySet<unknown> = new Set(["text", "input_text", undefined]);
const LIST_BEGIN = '[{"type":"text","text":';
/** Members of requests and parameters that may be put in. */
const FIELDS: ReadonlySet<string> = new Set(["context_management", "block_binding"]);

function takeText(json: string, parts: Parts): boolean {
  const value = parse(json);
  if (typeof value === "string") {
    parts.texts.push(value);
    return true;
  }
  const block = membersOf(value);
  if (block === null) return false;
  const { type, text: own, output, cache_control: breakpoint, ...rest } = block;
  const isOutput = type === undefined && own === undefined && !("cache_control" in block);
  const text = isOutput ? output : own;
  const isText = TEXT_TYPES.has(type) && (isOutput || !("output" in block));
  if (!isText || typeof text !== "string" || Object.keys(rest).length > 0) return false;
  if ("cache_control" in block && type !== "text") return false;
  if ("cache_control" in block && !takeBreakpoint(breakpoint, parts)) return false;
  parts.texts.push(text);
  return true;
}

/** A member behind others: its comma, its name and its value. */
function takeMember(json: string, parts: Parts): boolean {
  if (!json.startsWith(',"')) return false;
  const [member, ...others] = Object.entries(membersOf(parse(`{${json.slice(1)}}`)) ?? {});
  if (member === undefined || others.length > 0) return false;
  const [name, value] = member;
  if (name === "cache_control") return takeBreakpoint(value, parts);
  if (FIELDS.has(name)) parts.fields.push(member);
  else if (typeof value === "string") parts.references.push(value);
  else return false;
  return true;
}

function takeBreakpoint(value: unknown, parts: Parts): boolean {
  const members = membersOf(value);
  if (members === null) return false;
  const { type, ttl, ...rest } = members;
  const isKnown = type === "ephemeral" && Object.keys(rest).length === 0;
  if (!isKnown || (ttl !== undefined && ttl !== "1h")) return false;
  parts.lifetimes.push(ttl === undefined ? 300_000 : 3_600_000);
  return true;
}

/** Blocks behind others: notes, and deletions with a text behind them where none would stand. */
function takeBlocks(json: string, pattern: RegExp, parts: Parts): boolean {
  const list = parse(`[${pattern.exec(json)?.[1] ?? "x"}]`);
  if (!Array.isArray(list)) return false;
  let isBehindDeletion = false;
  for (const block of list) {
    const { type, text, ...rest } = membersOf(block) ?? {};
    const isText = type === "text" && typeof text === "string" && Object.keys(rest).length === 0;
    const asked = isText ? null : askedIn(block);
    if (!isText && asked === null) return false;
    if (asked !== null) parts.asked.push(...asked);
    else if (isText && !(isBehindDeletion && text === FILLER)) parts.notes.push(text);
    isBehindDeletion = asked !== null;
  }
  return true;
}

function membersOf(value: unknown): { readonly [name: string]: unknown } | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : null;
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
