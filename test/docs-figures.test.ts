import { describe, expect, test } from "vitest";
import { repositoryPages, textOf } from "./support/tidy/repository.ts";

const PAGE = "docs/reference/figures.md";

interface Row {
  readonly path: string;
  readonly cells: readonly string[];
}

const rows: readonly Row[] = repositoryPages().flatMap(({ path, text }) =>
  text
    .split("\n")
    .filter((line) => line.startsWith("| "))
    .map((line) => ({ path, cells: line.slice(2, -2).split(" | ") })),
);
const defined = rows.filter(({ path }) => path === PAGE).flatMap(({ cells }) => figureIn(cells[0] ?? "") ?? []);

/** The figure that a cell names and nothing else, as `name` or `figures.name`. */
function figureIn(cell: string): string | null {
  return /^`(?:figures\.)?([a-z_]+)`$/.exec(cell)?.[1] ?? null;
}

function definitionOf(name: string): string | undefined {
  return rows.find(({ path, cells }) => path === PAGE && figureIn(cells[0] ?? "") === name)?.cells[1];
}

/** The members that an interface of a source file declares. */
function membersOf(path: string, name: string): readonly string[] {
  const body = new RegExp(`export interface ${name}\\b[^{]*\\{\\n(.*?)\\n\\}`, "s").exec(textOf(path))?.[1] ?? "";
  return [...body.matchAll(/^ {2}readonly ([a-z_]+):/gm)].map((match) => match[1] ?? "");
}

describe("the figures", () => {
  test.each([
    ["src/keeper/contract.ts", "Figures"],
    ["src/replay/replay-report.ts", "SessionFigures"],
    ["src/replay/comparison.ts", "ComparedSession"],
    ["src/replay/comparison.ts", "ComparedTotals"],
  ])("of %s %s are each defined, but for the one without Ebb", (path, name) => {
    const members = membersOf(path, name);
    expect(members.length).toBeGreaterThan(0);
    const named = members.map((member) => member.replace(/^baseline_/, "")).filter((member) => member !== "file");
    expect(named.filter((member) => !defined.includes(member))).toEqual([]);
  });

  test("are defined once", () => expect(defined.toSorted()).toEqual([...new Set(defined)].toSorted()));

  test("have the same words on every page", () => {
    const other = rows
      .filter(({ path }) => path !== PAGE && path.startsWith("docs/guides/"))
      .flatMap(({ path, cells }) => {
        const name = cells
          .slice(0, -1)
          .map(figureIn)
          .find((one) => one !== null && defined.includes(one));
        const words = cells.at(-1);
        return name == null || words === definitionOf(name) ? [] : [`${path}: ${name}: ${words}`];
      });
    expect(other).toEqual([]);
  });
});
