import type { Database } from "better-sqlite3";
import { sha256Hex } from "../lib/hash.ts";
import { decodeOriginal } from "./original-encoding.ts";

/** Problems named in one report; a damaged file could list thousands. */
const PROBLEMS_MAX = 20;
/** Originals verified when there are more. */
const SAMPLE_ORIGINALS = 1_000;

interface SampledRow {
  readonly digest: Buffer;
  readonly encoding: string;
  readonly byte_count: number;
  readonly bytes: Buffer;
}

/** Problems of the file, its figures and the bytes of its originals (an even sample where there are many), in words. */
export function checkDatabase(database: Database): readonly string[] {
  return [...fileProblems(database), ...figureProblems(database), ...originalProblems(database)].slice(0, PROBLEMS_MAX);
}

function fileProblems(database: Database): string[] {
  const rows = database.prepare<[], string>(`PRAGMA quick_check(${PROBLEMS_MAX})`).pluck().all();
  const dangling = database.prepare("PRAGMA foreign_key_check").all().length;
  const problems = rows.filter((row) => row !== "ok");
  return dangling === 0 ? problems : [...problems, `${dangling} rows refer to rows that are missing`];
}

function figureProblems(database: Database): string[] {
  const gaps = database
    .prepare<[], string>(
      `SELECT lineages.name FROM lineages LEFT JOIN entries ON entries.lineage_id = lineages.id
       GROUP BY lineages.id HAVING count(entries.seq) <> lineages.seq OR coalesce(max(entries.seq), 0) <> lineages.seq`,
    )
    .pluck()
    .all();
  const areTotalsRight = database
    .prepare(
      `SELECT 1 FROM totals WHERE (originals, byte_count, stored_count) =
       (SELECT count(*), coalesce(sum(byte_count), 0), coalesce(sum(length(bytes)), 0) FROM originals)`,
    )
    .get();
  const problems = gaps.map((name) => `the ledger of lineage ${name} has gaps`);
  return areTotalsRight === undefined ? [...problems, "the totals differ from the originals stored"] : problems;
}

function originalProblems(database: Database): string[] {
  const count = database.prepare<[], number>("SELECT originals FROM totals").pluck().get() ?? 0;
  const stride = Math.max(1, Math.ceil(count / SAMPLE_ORIGINALS));
  const sample = database.prepare<[number], SampledRow>(
    "SELECT digest, encoding, byte_count, bytes FROM originals WHERE id % ? = 0",
  );
  const problems: string[] = [];
  for (const row of sample.iterate(stride)) {
    const digest = row.digest.toString("hex");
    const bytes = decodeOriginal(row.encoding, row.bytes, row.byte_count);
    if (bytes === null || sha256Hex(bytes) !== digest)
      problems.push(`the original ${digest} does not match its digest`);
  }
  return problems;
}
