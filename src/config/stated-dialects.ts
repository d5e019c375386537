import type { DescribedRange, DescribedTool, DialectDescription } from "../dialects/described/description.ts";
import type { StatedDialect, StatedDialectMap, StatedRange, StatedTool } from "./dialects-option.ts";

const NUMBER = "N";

/** Stated dialects as descriptions, in their order. */
export function toDialectDescriptions(map: StatedDialectMap): readonly DialectDescription[] {
  return Object.entries(map).map(([name, stated]) => toDescription(name, stated));
}

function toDescription(name: string, stated: StatedDialect): DialectDescription {
  const { recognise } = stated;
  const known = recognise && {
    tools: recognise.tools ?? [],
    system: recognise.system ?? null,
    userAgent: recognise.user_agent ?? null,
  };
  const tools = Object.entries(stated.tools).map(([tool, one]) => [tool, toTool(one)] as const);
  return {
    name,
    base: stated.extends ?? "generic",
    recognise: known ?? null,
    tools: Object.fromEntries(tools),
    readsThroughShell: stated.reads_through_shell ?? null,
  };
}

function toTool(stated: StatedTool): DescribedTool {
  const { kind, range, replace, result } = stated;
  return {
    kind,
    path: listOf(stated.path),
    to: listOf(stated.to),
    range: range === undefined ? null : toRange(range),
    rows: result === undefined || result === "raw" ? null : toRows(result),
    isRawOutput: result === "raw",
    command: listOf(stated.command),
    success: listOf(stated.success),
    failure: listOf(stated.failure),
    replace: replace === undefined ? null : { from: replace.from, to: replace.to, all: replace.all ?? null },
    content: stated.content ?? null,
  };
}

function toRange(range: StatedRange): DescribedRange {
  if (range.pair !== undefined) return { form: "pair", pair: range.pair };
  if (range.offset === undefined && range.limit === undefined) {
    return { form: "ends", start: range.start ?? null, end: range.end ?? null };
  }
  return {
    form: "counted",
    offset: range.offset ?? null,
    limit: range.limit ?? null,
    firstLine: range.first_line === 0 ? 0 : 1,
    limitDefault: range.limit_default ?? null,
  };
}

function toRows(result: string) {
  const at = result.indexOf(NUMBER);
  return { prefix: result.slice(0, at), separator: result.slice(at + NUMBER.length) };
}

function listOf(value: string | readonly string[] | undefined): readonly string[] {
  return value === undefined ? [] : typeof value === "string" ? [value] : value;
}
