import { type ReportFormat, renderReport } from "../engine/report-format.ts";
import { printable } from "../lib/printable.ts";
import type { Answer, Desk, Exchange } from "./exchange.ts";
import { failed } from "./own-endpoints-answer.ts";
import { contextOf } from "./own-endpoints-orders.ts";
import { readQuery } from "./own-endpoints-query.ts";

const TYPES: Readonly<Record<ReportFormat, string>> = {
  json: "application/json",
  text: "text/plain; charset=utf-8",
  markdown: "text/markdown; charset=utf-8",
};

/** The account of a scope, or of a whole conversation where none is named: JSON, or as `format` says. */
export async function serveReport(desk: Desk, exchange: Exchange): Promise<Answer> {
  const query = readQuery(exchange.query, ["scope", "session", "format"]);
  if (!query.ok) return failed("bad order", query.words);
  const { values } = query;
  const format = formatOf(values.get("format") ?? "json");
  if (format === null) {
    return failed("bad order", `format: expected json, text or markdown, got ${printable(values.get("format"))}`);
  }
  const context = contextOf(desk, exchange, values.get("session") ?? null);
  const told = await desk.keeper.report({ scope: values.get("scope") ?? null }, context);
  if (!told.ok) return failed(told.failure, told.words);
  return { status: 200, contentType: TYPES[format], body: renderReport(told.report, format) };
}

function formatOf(name: string): ReportFormat | null {
  return name === "json" || name === "text" || name === "markdown" ? name : null;
}
