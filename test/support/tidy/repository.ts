import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { anchorsOf, type Page } from "./markdown.ts";
import { type Source, toSource } from "./source.ts";

const ROOT = resolve(import.meta.dirname, "../../..");
const SOURCE_FOLDERS = ["src", "test", "bench/src"];
const RECORDED_FOLDERS = ["test/fixtures/", "test/golden/"];

/** Every TypeScript file that people write here, parsed. */
export function repositorySources(): readonly Source[] {
  const paths = [...SOURCE_FOLDERS.flatMap(filesIn), ...namesIn("").filter((name) => name.endsWith(".config.ts"))];
  return paths
    .filter((path) => path.endsWith(".ts") && !RECORDED_FOLDERS.some((folder) => path.startsWith(folder)))
    .map((path) => toSource(path, textOf(path)));
}

/** Every Markdown page, of the root and of `docs`. */
export function repositoryPages(): readonly Page[] {
  return [...namesIn(""), ...filesIn("docs")]
    .filter((path) => path.endsWith(".md"))
    .map((path) => ({ path, text: textOf(path) }));
}

/** Whether a path from the root is there. */
export function existsInRepository(path: string): boolean {
  return existsSync(join(ROOT, path));
}

/** Anchors of the page at `path`; null where it is no Markdown page. */
export function anchorsInRepository(path: string): readonly string[] | null {
  return path.endsWith(".md") ? anchorsOf(textOf(path)) : null;
}

/** Text of a file, by its path from the root. */
export function textOf(path: string): string {
  return readFileSync(join(ROOT, path), "utf8");
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes("node_modules"))
    .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length + 1))
    .sort();
}

function namesIn(folder: string): readonly string[] {
  return readdirSync(join(ROOT, folder)).sort();
}
