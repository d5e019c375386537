import type { ComparedSession, ComparisonReport } from "../replay/comparison.ts";
import { countWords } from "./figures.ts";
import { type Column, cutStart, fittedTable, type Width } from "./layout.ts";
import { usdWords } from "./usd-words.ts";

type Figures = Omit<ComparedSession, "file">;

interface FigureColumn extends Column {
  cell(figures: Figures): string;
}

const FIGURES: readonly FigureColumn[] = [
  column("net cost", null, ({ net_cost_usd: usd }) => usdWords(usd)),
  column("cost without", 5, ({ baseline_cost_usd: usd }) => usdWords(usd)),
  column("stale", null, (figures) => countWords(figures.stale_token_turns)),
  column("token-turns", 4, (figures) => countWords(figures.token_turns)),
  column("re-anchored", null, (figures) => countWords(figures.reanchored_tokens)),
  column("peak", 3, (figures) => countWords(figures.peak_window)),
  column("regret s/u/i", 2, ({ regret: { strict, use, induced } }) => [strict, use, induced].map(countWords).join("/")),
  column("violations", 1, (figures) => countWords(figures.law_violations)),
];

/** All configurations beside each other: a block a session, then the totals, and why a cost is unknown. */
export function comparisonLines(report: ComparisonReport, width: Width): readonly string[] {
  const sessions = report.comparisons[0]?.sessions ?? [];
  const blocks = sessions.flatMap(({ file }, index) => [
    headRow(file),
    ...report.comparisons.flatMap(({ name, sessions: own }) => figureRows(name, own[index])),
  ]);
  const totals = report.comparisons.flatMap(({ name, totals: figures }) => figureRows(name, figures));
  const table = fittedTable({
    columns: [{ title: "configuration", align: "left", leavesAs: null }, ...FIGURES],
    rows: [...blocks, headRow("all sessions"), ...totals, ...pricedRows(report)],
    width,
    cut: cutStart,
    dim: (text) => text,
  });
  return [...table.split("\n"), ...unknownCosts(sessions)];
}

function headRow(title: string): readonly string[] {
  return [title, ...FIGURES.map(() => "")];
}

function figureRows(name: string, figures: Figures | undefined): readonly (readonly string[])[] {
  return figures === undefined ? [] : [[`  ${name}`, ...FIGURES.map(({ cell }) => cell(figures))]];
}

/** Costs of the sessions that have one, where some have none: the other figures are those of all sessions. */
function pricedRows({ comparisons }: ComparisonReport): readonly (readonly string[])[] {
  const count = comparisons[0]?.sessions.length ?? 0;
  const known = comparisons[0]?.totals.priced.sessions ?? 0;
  if (known === 0 || known === count) return [];
  const rows = comparisons.map(({ name, totals: { priced } }) => {
    const costs = [usdWords(priced.net_cost_usd), usdWords(priced.baseline_cost_usd)];
    return [`  ${name}`, ...costs, ...FIGURES.slice(costs.length).map(() => "")];
  });
  return [headRow(`${known} of ${count} sessions, with a known cost`), ...rows];
}

function unknownCosts(sessions: readonly ComparedSession[]): readonly string[] {
  return sessions
    .filter(({ unpriced_models: models }) => models.length > 0)
    .map(({ file, unpriced_models: models }) => `${file}: cost unknown, no price on record for ${models.join(", ")}`);
}

function column(title: string, leavesAs: number | null, cell: FigureColumn["cell"]): FigureColumn {
  return { title, align: "right", leavesAs, cell };
}
