import type { Report } from "../model/report.ts";
import { reportMarkdown } from "./report-markdown.ts";
import { reportText } from "./report-text.ts";

export type ReportFormat = "text" | "json" | "markdown";

/** A report to read or to parse: the same report gives the same bytes, ended by a line end. */
export function renderReport(report: Report, format: ReportFormat): string {
  switch (format) {
    case "text":
      return reportText(report);
    case "markdown":
      return reportMarkdown(report);
    case "json":
      return `${JSON.stringify(report, null, 2)}\n`;
  }
}
