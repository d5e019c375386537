import type { Report, ReportedFile, ReportedItem } from "../model/report.ts";
import { changeText, countText, fileName, hunkHead, netText, partsOf, reportHead, standText } from "./report-text.ts";

/** A report as Markdown. Text of files and paths stands in code, with a fence longer than any inside. */
export function reportMarkdown(report: Report): string {
  const [title = "", ...rest] = reportHead(report);
  const lines = [`# ${plain(title)}`, "", ...rest.flatMap((line) => [line, ""])];
  lines.push(`## Acquired: ${countText(report.items.length, "item")}`, "");
  if (report.items.length > 0) lines.push(...report.items.map(itemLine), "");
  lines.push(`## Changed: ${countText(report.files.length, "file")}`, "");
  for (const file of report.files) lines.push(...fileLines(file));
  return `${lines.join("\n").trimEnd()}\n`;
}

function itemLine(item: ReportedItem): string {
  return `- ${code(item.address)} ${code(item.label)} ${item.bytes} bytes, ${standText(item)}`;
}

function fileLines(file: ReportedFile): readonly string[] {
  const lines = [
    `### ${code(fileName(file))}`,
    "",
    ...file.changes.map((change) => `- ${plain(changeText(change))}`),
    "",
  ];
  lines.push(`Net: ${plain(netText(file))}`, "");
  const hunks = partsOf(file).flatMap((part) => part.hunks.flatMap((hunk) => [hunkHead(hunk, part), ...hunk.lines]));
  if (hunks.length > 0) {
    const fence = fenceFor(hunks.join("\n"));
    lines.push(`${fence}diff`, ...hunks, fence, "");
  }
  return lines;
}

/** Names and reasons are the user's or a tool's words: they stay words on one line. */
function plain(text: string): string {
  return text.replace(/\s+/g, " ").replace(/[\\`*_[\]<>#|]/g, (mark) => `\\${mark}`);
}

function code(text: string): string {
  const line = text.replace(/\s+/g, " ");
  const ticks = "`".repeat(longestRun(line) + 1);
  return ticks.length === 1 ? `\`${line}\`` : `${ticks} ${line} ${ticks}`;
}

function fenceFor(text: string): string {
  return "`".repeat(Math.max(3, longestRun(text) + 1));
}

function longestRun(text: string): number {
  return Math.max(0, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length));
}
